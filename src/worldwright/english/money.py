"""Currencies as people write them: codes, signs and names."""

from __future__ import annotations

from worldwright.english.words import wordmap, wordset

CURRENCY_CODES = wordset(
    """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY
    COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS
    INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU
    MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK
    SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF
    XCD XOF XPF YER ZAR ZMW ZWL
    """
)
"""Codes of ISO 4217."""
COMMON_CURRENCY_CODES = wordset("USD EUR GBP CHF JPY CAD AUD SEK NOK DKK PLN CZK INR CNY")
"""Those that a text may hold without a word of warning: ALL, TOP and TRY are also words."""
CURRENCY_SIGNS = wordmap(
    "us$=USD a$=AUD c$=CAD r$=BRL hk$=HKD s$=SGD nz$=NZD $=USD €=EUR £=GBP ¥=JPY ￥=JPY ₹=INR ₩=KRW ₽=RUB ₺=TRY "
    "₫=VND ฿=THB ₱=PHP ₦=NGN zł=PLN rm=MYR rs=INR rs.=INR kr=SEK euro=EUR euros=EUR dollar=USD dollars=USD "
    "pounds=GBP yen=JPY rupees=INR rmb=CNY yuan=CNY dólares=USD reais=BRL rubles=RUB"
)
"""The code for each sign and name, in lower case."""
