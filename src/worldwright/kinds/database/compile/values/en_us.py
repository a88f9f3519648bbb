"""English, United States. Phone numbers are 555-01xx, the block kept free for fiction."""

from worldwright.kinds.database.compile.values.locale import Locale, cities, phrases, words

_WOMEN = words("""
Emma Olivia Sophia Ava Mia Isabella Charlotte Amelia Harper Evelyn Abigail Emily Elizabeth Sofia Madison Grace Victoria
Hannah Natalie Lily Zoe Leah Audrey Claire Lucy Anna Caroline Maria Ana Elena Camila Valentina Gabriela Lucia Rosa
Carmen Mei Linh Yuki Priya Anjali Deepa Fatima Aisha Layla Nadia Imani Keisha Tamika Latoya Ebony Jasmine Destiny
Amara Chioma Ngozi Rebecca Rachel Sarah Jessica Ashley Amanda Nicole Heather Michelle Kimberly Lisa Susan Karen Linda
Patricia Barbara Nancy Donna Carol Diane Janet Teresa Gloria Denise Monica Stephanie Megan Erin Kelly Allison
""")

_MEN = words("""
Liam Noah Oliver Elijah James William Benjamin Lucas Henry Alexander Mason Michael Ethan Daniel Jacob Logan Jackson
Sebastian Jack Aiden Owen Samuel Matthew Joseph Levi David John Wyatt Carter Julian Luke Isaac Anthony Dylan Nathan
Caleb Ryan Adrian Miguel Carlos Luis Jorge Diego Javier Rafael Mateo Wei Minh Hiroshi Kenji Raj Arjun Vikram Sanjay
Omar Ali Hassan Yusuf Ibrahim Malik Darnell Jamal Terrence Marcus Andre Kwame Emeka Robert Thomas Charles Christopher
Mark Paul Steven Kenneth Kevin Brian George Edward Ronald Timothy Jason Jeffrey Gary Eric Scott Patrick Gregory Frank
""")

_FAMILIES = words("""
Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson
Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson Walker Young
Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts
Gomez Phillips Evans Turner Diaz Parker Cruz Edwards Collins Reyes Stewart Morris Morales Murphy Cook Rogers Gutierrez
Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Kim Cox Ward Richardson Watson Brooks Chavez Wood Bennett
Gray Mendoza Ruiz Hughes Price Alvarez Castillo Sanders Patel Myers Long Ross Foster Jimenez Powell Jenkins Perry
Russell Sullivan Bell Coleman Butler Henderson Barnes Fisher Vasquez Simmons Graham Murray Ford Hamilton Wallace West
Cole Hayes Chen Wang Li Zhang Liu Yang Huang Wu Lin Tran Pham Le Vo Dang Park Choi Tanaka Nakamura Sato Singh Kaur
Shah Gupta Sharma Reddy Iyer Khan Ahmed Hussain Rahman Haddad Nasser Okafor Adeyemi Mensah Diallo Okonkwo Abebe
Washington Jefferson Booker Banks Freeman Dixon Holloway Schmidt Schneider Weber Hoffman Kowalski Novak Petrov Ivanov
Rossi Romano Russo Costa Silva Pereira O'Brien O'Connor Gallagher Donovan MacDonald Larsen Hansen Lindberg Vance
Whitaker
""")

_CITIES = cities("""
New York | NY | 100##,112## | (212) 555-01##,(646) 555-01##,(718) 555-01##
Los Angeles | CA | 900## | (213) 555-01##,(323) 555-01##
Chicago | IL | 606## | (312) 555-01##,(773) 555-01##
Houston | TX | 770## | (713) 555-01##,(832) 555-01##
Phoenix | AZ | 850## | (602) 555-01##
Philadelphia | PA | 191## | (215) 555-01##,(267) 555-01##
San Antonio | TX | 782## | (210) 555-01##
San Diego | CA | 921## | (619) 555-01##,(858) 555-01##
Dallas | TX | 752## | (214) 555-01##,(972) 555-01##
Austin | TX | 787## | (512) 555-01##
San Jose | CA | 951## | (408) 555-01##
Columbus | OH | 432## | (614) 555-01##
Charlotte | NC | 282## | (704) 555-01##
Indianapolis | IN | 462## | (317) 555-01##
San Francisco | CA | 941## | (415) 555-01##
Seattle | WA | 981## | (206) 555-01##
Denver | CO | 802## | (303) 555-01##,(720) 555-01##
Boston | MA | 021## | (617) 555-01##
Nashville | TN | 372## | (615) 555-01##
Portland | OR | 972## | (503) 555-01##
Las Vegas | NV | 891## | (702) 555-01##
Detroit | MI | 482## | (313) 555-01##
Memphis | TN | 381## | (901) 555-01##
Louisville | KY | 402## | (502) 555-01##
Baltimore | MD | 212## | (410) 555-01##
Milwaukee | WI | 532## | (414) 555-01##
Albuquerque | NM | 871## | (505) 555-01##
Tucson | AZ | 857## | (520) 555-01##
Sacramento | CA | 958## | (916) 555-01##
Kansas City | MO | 641## | (816) 555-01##
Atlanta | GA | 303## | (404) 555-01##,(678) 555-01##
Omaha | NE | 681## | (402) 555-01##
Raleigh | NC | 276## | (919) 555-01##
Minneapolis | MN | 554## | (612) 555-01##
Tampa | FL | 336## | (813) 555-01##
Miami | FL | 331## | (305) 555-01##,(786) 555-01##
New Orleans | LA | 701## | (504) 555-01##
Cleveland | OH | 441## | (216) 555-01##
Pittsburgh | PA | 152## | (412) 555-01##
Salt Lake City | UT | 841## | (801) 555-01##
""")

_STREETS = words("""
Oak Maple Cedar Elm Pine Walnut Chestnut Willow Birch Hickory Magnolia Laurel Main Church Center Park Lake Hill River
Spring Mill Ridge Valley Meadow Forest Sunset Highland Washington Lincoln Jefferson Madison Franklin Jackson Monroe
Grant
Union Market Commerce Industrial Railroad Canal Harbor Summit Prospect Pleasant Liberty College Broad Front Water Second
Third Fourth Fifth Sixth Seventh Eighth Ninth
""")

_ROOTS = words("""
Brightline Northgate Halden Silverbrook Cedarworks Bluepeak Ironwood Larkfield Stonebridge Westhaven Clearwell Oakmont
Riverton Summitview Redfern Truepoint Keystead Harborlight Pinecrest Goldfinch Meridale Novaterra Quantrell Vantora
Axiometric Corvella Lumenta Bexley Fairmark Granitepath Highmark Juniperco Kitewood Longacre Mapleton Norvale Openfield
Pathway Quillon Rockford Sagewood Tallgrass Umberly Veritane Wavecrest Yellowbird Zephyra Arborvale Beaconhill
Copperline
Driftwood Eastmoor Foxglove Glenhaven Hawthorne Inletbay Jetstream Kestrelco Lakeshire Millstone Nightingale Orchardside
Palisade Ridgeback Sandpiper Thornbury Uplandia Vistamar Whitfield Windmere Amberton Baywood Crestline Dovetail Evergate
Firthway Greystone Hollowell Ivyline Kingsley Linden
""")

_TRADES = phrases("""
Logistics; Supply; Foods; Industries; Manufacturing; Consulting; Systems; Software; Packaging; Office Supply; Electric
Plumbing; Construction; Builders; Design; Media; Printing; Paper; Textiles; Apparel; Furniture; Hardware; Tools; Steel
Plastics; Chemicals; Labs; Medical; Dental; Pharma; Health; Energy; Solar; Power; Controls; Robotics; Instruments
Networks; Data; Analytics; Security; Cleaning; Facilities; Staffing; Training; Travel; Catering; Bakery; Farms; Produce
Beverages; Coffee; Outdoor; Sports; Toys; Books; Motors; Auto Parts; Freight; Trucking; Marine; Aviation; Engineering
Architects; Insurance; Capital; Partners; Trading; Wholesale; Distribution; Imports
""")

LOCALE = Locale(
    code="en_US",
    country="United States",
    dial="+1",
    women=_WOMEN,
    men=_MEN,
    families=_FAMILIES,
    cities=_CITIES,
    street_names=_STREETS,
    street_types=words("Street Avenue Road Drive Lane Boulevard Court Way Place"),
    street_form="{n} {name} {type}",
    last_house=4800,
    units=phrases("Suite %##; Suite %0#; Apt %@; Unit %#; Floor %"),
    mobiles=(),
    roots=_ROOTS,
    root_trades=_TRADES,
    family_trades=_TRADES,
    family_first=True,
    suffixes=phrases("Inc.; LLC; Corp.; Co.; Ltd."),
)
