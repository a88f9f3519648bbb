"""English, United Kingdom. Phone numbers are in the ranges that Ofcom keeps free for drama."""

from worldwright.kinds.database.compile.values.locale import Locale, cities, phrases, words

_WOMEN = words("""
Olivia Amelia Isla Ava Ivy Freya Lily Florence Poppy Evie Phoebe Imogen Georgia Harriet Beatrice Eleanor Alice Matilda
Rosie Daisy Charlotte Jessica Emily Sophie Chloe Holly Gemma Kirsty Fiona Morag Ailsa Catriona Siobhan Niamh Bronwen
Cerys Rhiannon Gwen Margaret Helen Susan Julie Alison Tracey Deborah Jacqueline Claire Joanne Rebecca Laura Priya Meera
Anita Sunita Nisha Ayesha Zainab Fatima Sana Nasreen Shanice Abena Folake Adaeze Yetunde Agnieszka Kasia Ioana Mei-Ling
Hui Leila
""")

_MEN = words("""
Oliver George Arthur Harry Noah Jack Leo Oscar Alfie Archie Freddie Theo Henry Charlie Edward Rupert Hugo Barnaby
Dominic Giles Nigel Graham Stuart Keith Trevor Colin Derek Malcolm Ian Alan Andrew Simon Gareth Rhys Dylan Owain Ewan
Callum Hamish Angus Fraser Alasdair Declan Conor Patrick Liam Aidan Raj Amit Sanjay Vikram Imran Tariq Bilal Usman
Mohammed Yusuf Kofi Kwame Tunde Chidi Femi Marlon Delroy Piotr Tomasz Andrei Wei Jun
""")

_FAMILIES = words("""
Smith Jones Taylor Brown Williams Wilson Johnson Davies Robinson Wright Thompson Evans Walker White Roberts Green Hall
Wood Jackson Clarke Harris Turner Hill Cooper Ward Moore Morris King Watson Baker Harrison Morgan Patel Young Allen
Mitchell Phillips Lee Bell Parker Bennett Cook Shaw Griffiths Collins Marshall Richardson Cox Webb Gray Fox Chapman
Palmer Stevens Hughes Edwards Lewis Thomas James Price Lloyd Powell Rees Jenkins Pritchard Campbell Stewart Murray
MacDonald Fraser Reid Ross Graham Ferguson Sinclair McKenzie Sutherland Murphy Kelly O'Neill O'Sullivan Byrne Doyle
Gallagher Quinn Khan Ahmed Hussain Ali Begum Malik Iqbal Chaudhry Singh Kaur Sharma Gupta Desai Mehta Shah Okafor
Adeyemi Mensah Boateng Asante Osei Campbell-Reid Bailey Francis Gordon Kowalski Nowak Ionescu Popescu Chan Wong Cheung
Nguyen Haddad Whitaker Ashworth Holloway Pemberton Thornton Winterbourne Hargreaves Fairclough Entwistle Featherstone
Birtwistle Ramsbottom Blackwood Langley Mercer Nightingale
""")

_CITIES = cities("""
London | Greater London | SW% #@@,SE% #@@,EC%@ #@@,W% #@@,N% #@@,E% #@@ | 020 7946 0###
Birmingham | West Midlands | B% #@@,B1# #@@ | 0121 496 0###
Manchester | Greater Manchester | M% #@@,M1# #@@ | 0161 496 0###
Leeds | West Yorkshire | LS% #@@,LS1# #@@ | 0113 496 0###
Sheffield | South Yorkshire | S% #@@,S1# #@@ | 0114 496 0###
Nottingham | Nottinghamshire | NG% #@@ | 0115 496 0###
Leicester | Leicestershire | LE% #@@ | 0116 496 0###
Bristol | Bristol | BS% #@@ | 0117 496 0###
Reading | Berkshire | RG% #@@ | 0118 496 0###
Edinburgh | Midlothian | EH% #@@,EH1# #@@ | 0131 496 0###
Glasgow | Lanarkshire | G% #@@,G1# #@@ | 0141 496 0###
Liverpool | Merseyside | L% #@@,L1# #@@ | 0151 496 0###
Newcastle upon Tyne | Tyne and Wear | NE% #@@ | 0191 498 0###
Cardiff | South Glamorgan | CF% #@@,CF1# #@@ | 029 2018 0###
Belfast | County Antrim | BT% #@@,BT1# #@@ | 028 9649 6###
York | North Yorkshire | YO% #@@ | 01632 960###
Norwich | Norfolk | NR% #@@ | 01632 960###
Exeter | Devon | EX% #@@ | 01632 960###
Plymouth | Devon | PL% #@@ | 01632 960###
Oxford | Oxfordshire | OX% #@@ | 01632 960###
Southampton | Hampshire | SO% #@@,SO1# #@@ | 01632 960###
Brighton | East Sussex | BN% #@@ | 01632 960###
Aberdeen | Aberdeenshire | AB1# #@@,AB2# #@@ | 01632 960###
Swansea | West Glamorgan | SA% #@@ | 01632 960###
""")

_STREETS = words("""
High Station Church Victoria Albert King Queen Mill Park Manor London Windsor Castle Bridge Market Chapel School Green
North South West New York Grange Orchard Meadow Elm Ash Beech Chestnut Hawthorn Holly Rowan Sycamore Kingsway Priory
Abbey Rectory Stanley Clarence Alexandra Wellington Nelson Trafalgar Waterloo Canal Wharf Foundry Tanner Cooper
""")

_ROOTS = words("""
Ashdown Blackthorn Calderbrook Dunmore Elmstead Fernleigh Greenholt Harrowby Inglewood Kelham Larkspur Marlowe Northolt
Oakhurst Pennine Quorndon Ravensworth Silverdale Thornfield Uffington Wetherby Yarrow Aldergate Brackenhurst Copperfield
Driftway Eastcote Farrowdale Glenmore Holbrook Ivorywell Juniper Kingfisher Lockhart Merriton Netherfield Orwell
Peregrine
Quayside Rookwood Sandringate Tidewell Underhill Vale Whitlock Brightwater Cloverley Deepdale Emberton Foxholt Hadleigh
Lanternhouse Millbrook Redgrave Stonecroft Tamarisk Waverton Winterfold Arkwell Bramblegate Corvane Lumora Solenthic
Tressel Vantis Novely Halcyon Meridane
""")

_TRADES = phrases("""
Logistics; Supplies; Foods; Industries; Manufacturing; Consulting; Systems; Software; Packaging; Stationery; Electrical
Plumbing; Construction; Builders; Design; Media; Print; Paper; Textiles; Clothing; Furniture; Ironmongers; Tools; Steel
Plastics; Chemicals; Laboratories; Medical; Dental; Pharma; Healthcare; Energy; Solar; Power; Controls; Robotics
Instruments; Networks; Data; Analytics; Security; Cleaning; Facilities; Recruitment; Training; Travel; Catering; Bakery
Farms; Produce; Drinks; Tea; Outdoor; Sports; Toys; Books; Motors; Haulage; Freight; Marine; Aviation; Engineering
Architects; Insurance; Capital; Partners; Trading; Wholesale; Distribution; Imports
""")

LOCALE = Locale(
    code="en_GB",
    country="United Kingdom",
    dial="+44",
    women=_WOMEN,
    men=_MEN,
    families=_FAMILIES,
    cities=_CITIES,
    street_names=_STREETS,
    street_types=words("Road Street Lane Avenue Close Drive Gardens Terrace Grove Crescent"),
    street_form="{n} {name} {type}",
    last_house=190,
    units=phrases("Flat %; Flat 1#; Unit %; Unit 1#; Floor %"),
    mobiles=("07700 900###",),
    roots=_ROOTS,
    root_trades=_TRADES,
    family_trades=_TRADES,
    family_first=True,
    suffixes=phrases("Ltd; Limited; LLP; PLC; Group"),
)
