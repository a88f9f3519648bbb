"""What businesses sell, by range: nouns, and for each group of nouns the details that make sense with it.

A product is `style noun, detail`: "Norvik Stapler, black". The product lines are invented.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from worldwright.kinds.database.compile.values.locale import phrases, words
from worldwright.kinds.database.compile.values.row import DrawContext, count_blocks, head, hints, tail

LINES = words(
    "Norvik Altano Kestra Tavira Lindal Sevra Halvo Pelion Rivelle Zenko Morvane Caldora Ostrel Fendale Virello Brantic"
)


class Group(NamedTuple):
    nouns: tuple[str, ...]
    details: tuple[str, ...]


class Range(NamedTuple):
    keywords: tuple[str, ...]
    """Words of an entity's or a field's name that call for this range."""
    styles: tuple[str, ...]
    groups: tuple[Group, ...]


def _group(nouns: str, details: str) -> Group:
    return Group(phrases(nouns), phrases(details))


OFFICE = Range(
    words("office stationery supply supplies paper desk requisition"),
    phrases("Classic; Everyday; Premium; Recycled; Professional; Economy; Compact; Executive") + LINES,
    (
        _group(
            "Ballpoint Pens; Gel Pens; Highlighters; Whiteboard Markers; Sticky Notes; Envelopes; Notebooks; Binders",
            "pack of 5; pack of 10; box of 12; box of 25; box of 50; assorted, pack of 8; blue, box of 20",
        ),
        _group(
            """Stapler; Hole Punch; Tape Dispenser; Paper Trimmer; Desk Organizer; Letter Tray; Label Maker; Laminator
            Desk Calculator; Paper Shredder; Whiteboard; Wastepaper Bin""",
            "black; grey; white; blue; red; large; small",
        ),
        _group(
            "Copy Paper; Card Stock; Lined Pads; Index Cards; File Folders; Hanging Files; Mailing Labels",
            "A4; A5; letter size; 100 sheets; 500 sheets; white, 250 sheets; ivory, 100 sheets",
        ),
    ),
)

IT = Range(
    words("it hardware device computer laptop asset equipment server workstation network licence"),
    phrases("Business; Pro; Essential; Enterprise; Slim; Rugged; Ultra; Edge") + LINES,
    (
        _group(
            "Laptop; Ultrabook; Workstation; Mini PC; Desktop Tower; Tablet; Thin Client; Rack Server; Storage Unit",
            "8 GB, 256 GB; 16 GB, 256 GB; 16 GB, 512 GB; 32 GB, 512 GB; 32 GB, 1 TB; 64 GB, 1 TB; 64 GB, 2 TB",
        ),
        _group(
            "Monitor; Docking Station; Keyboard; Mouse; Headset; Webcam; Conference Speaker; Barcode Scanner; USB Hub",
            "series 100; series 200; series 300; wireless; wired; black; refurbished",
        ),
        _group(
            "Network Switch; Wi-Fi Access Point; Firewall; Patch Panel; Power Supply; Network Cable; Label Printer",
            "8 port; 16 port; 24 port; 48 port; rack mount; indoor; outdoor",
        ),
    ),
)

INDUSTRIAL = Range(
    words("industrial part component spare machine factory plant material tool vehicle engine production"),
    phrases("Heavy-Duty; Precision; Standard; Stainless; Hardened; Galvanized; Sealed; High-Flow") + LINES,
    (
        _group(
            "Hex Bolt; Lock Washer; Threaded Rod; Anchor Bolt; Socket Screw; Rivet; Hose Clamp; Pipe Fitting; Flange",
            "M6; M8; M10; M12; M16; M20; M24",
        ),
        _group(
            """Ball Bearing; Roller Bearing; Drive Belt; Chain Link; Shaft Seal; Gasket; O-Ring; Spur Gear; Coupling
            Bushing; Linear Rail""",
            "20 mm; 25 mm; 30 mm; 40 mm; 50 mm; 60 mm; 80 mm",
        ),
        _group(
            """Electric Motor; Gear Pump; Solenoid Valve; Pressure Gauge; Oil Filter
            Air Cylinder; Proximity Sensor; Relay""",
            "type A; type B; type C; 24 V; 230 V; 400 V; with bracket",
        ),
    ),
)

LAB = Range(
    words("lab laboratory reagent sample chemical specimen test assay"),
    phrases("Analytical; Sterile; Certified; Reagent-Grade; Calibrated; Low-Retention; Autoclavable; Routine") + LINES,
    (
        _group(
            """Pipette Tips; Microtubes; Petri Dishes; Cuvettes; Filter Papers
            Nitrile Gloves; Cryo Vials; Syringe Filters""",
            "pack of 50; pack of 100; pack of 250; pack of 500; case of 1000; small; large",
        ),
        _group(
            "Beaker; Erlenmeyer Flask; Graduated Cylinder; Volumetric Flask; Reagent Bottle; Funnel; Test Tube Rack",
            "50 ml; 100 ml; 250 ml; 500 ml; 1 l; 2 l; 5 l",
        ),
        _group(
            "Centrifuge; Hot Plate; Vortex Mixer; pH Meter; Balance; Incubator; Microscope; Water Bath; Orbital Shaker",
            "benchtop; compact; digital; model 10; model 20; model 30; with case",
        ),
    ),
)

CLOTHING = Range(
    words("clothing apparel garment fashion shirt shoe shoes wear uniform style"),
    phrases("Classic; Relaxed; Slim-Fit; Organic; Everyday; Vintage; Lightweight; Thermal") + LINES,
    (
        _group(
            """T-Shirt; Polo Shirt; Oxford Shirt; Hoodie; Cardigan; Sweater; Rain Jacket; Fleece Vest; Chinos; Jeans
            Work Trousers; Shorts; Summer Dress; Skirt; Blazer; Tank Top""",
            "navy, S; navy, M; navy, L; black, M; black, L; grey, M; olive, XL",
        ),
        _group(
            "Sneakers; Ankle Boots; Loafers; Sandals; Hiking Shoes; Slippers; Work Boots",
            "size 37; size 38; size 39; size 40; size 41; size 42; size 43",
        ),
        _group("Scarf; Beanie; Leather Belt; Gloves; Socks; Cap", "black; navy; grey; brown; green; red; sand"),
    ),
)

ELECTRONICS = Range(
    words("electronic electronics gadget phone audio camera appliance"),
    phrases("Smart; Portable; Wireless; Compact; Studio; Active; Mini; Plus") + LINES,
    (
        _group(
            """Headphones; Earbuds; Bluetooth Speaker; Soundbar; Smartwatch; Fitness Tracker; E-Reader; Action Camera
            Alarm Clock; Digital Photo Frame; Game Controller""",
            "black; white; silver; blue; graphite; rose; second generation",
        ),
        _group(
            """Power Bank; Charger; Charging Cable; Memory Card; Phone Case; Tripod
            Travel Adapter; LED Bulb; Smart Plug""",
            "single; twin pack; pack of 3; pack of 4; black; white; extra long",
        ),
        _group(
            "Television; Projector; Computer Display; Photo Printer; Drone; Turntable",
            "S; M; L; black; white; 2024; 2025",
        ),
    ),
)

HOME = Range(
    words("home household kitchen cookware decor textile bath"),
    phrases("Rustic; Modern; Nordic; Handmade; Everyday; Cozy; Stackable; Enamel") + LINES,
    (
        _group(
            """Frying Pan; Saucepan; Mixing Bowl; Cutting Board; Chef Knife; Teapot; Coffee Press; Water Jug
            Storage Jar
            Baking Tray; Salad Bowl; Kettle; Toaster""",
            "small; medium; large; black; cream; sage green; with lid",
        ),
        _group(
            "Bath Towel; Bed Sheet; Duvet Cover; Cushion; Throw Blanket; Curtain; Table Runner; Bath Mat",
            "white; ivory; charcoal; terracotta; ocean blue; mustard; striped",
        ),
        _group(
            "Table Lamp; Candle Holder; Picture Frame; Wall Clock; Laundry Basket; Vase; Doormat; Mirror",
            "oak; walnut; brass; black; white; small; large",
        ),
    ),
)

OUTDOOR = Range(
    words("outdoor sport sports camping garden bike bicycle ski fitness rental gear"),
    phrases("Trail; Alpine; All-Weather; Ultralight; Summit; Explorer; Touring; Basecamp") + LINES,
    (
        _group(
            "Backpack; Dry Bag; Daypack; Hydration Pack; Duffel Bag; Cooler Box; Water Bottle",
            "10 l; 15 l; 20 l; 30 l; 45 l; 60 l; 80 l",
        ),
        _group(
            """Tent; Sleeping Bag; Camping Stove; Headlamp; Folding Chair; Hammock; Trekking Poles; Camping Mat
            Bike Helmet; Bike Light; Yoga Mat; Climbing Rope; Kayak Paddle""",
            "green; orange; blue; grey; red; regular; large",
        ),
        _group(
            "Garden Hose; Pruning Shears; Watering Can; Rake; Planter; Spade; Leaf Blower",
            "S; M; L; green; black; steel; pro",
        ),
    ),
)

FOOD = Range(
    words("food grocery dish meal menu ingredient beverage drink recipe produce snack bakery"),
    phrases("Organic; Farmhouse; Kitchen; Valley; Bistro; Fair Trade; Traditional; Heritage; Meadow; Mountain; Sunrise")
    + phrases(
        "Artisan; Garden; Country; Golden; Family; Village; Seasonal; Select; Original; Harvest; Riverside; Old Town"
    ),
    (
        _group(
            """Coffee Beans; Green Tea; Oat Flakes; Muesli; Basmati Rice; Penne; Red Lentils; Chickpeas; Flour; Sea Salt
            Almonds; Walnuts; Dried Apricots; Crackers; Dark Chocolate; Granola""",
            "100 g; 200 g; 250 g; 500 g; 750 g; 1 kg; 5 kg",
        ),
        _group(
            """Olive Oil; Apple Juice; Tomato Sauce; Honey; Orange Marmalade; Mustard
            Pesto; Vegetable Stock; Lemonade; Vinegar""",
            "200 ml; 250 ml; 330 ml; 500 ml; 700 ml; 1 l; case of 12",
        ),
        _group(
            "Tomato Soup; Mushroom Risotto; Vegetable Curry; Apple Pie; Goat Cheese; Sourdough Bread; Smoked Trout",
            "single; for two; family size; chilled; frozen; tray of 6; tray of 12",
        ),
    ),
)

FURNITURE = Range(
    words("furniture chair table sofa wardrobe interior"),
    phrases("Modular; Adjustable; Solid; Upholstered; Foldable; Compact; Loft; Studio") + LINES,
    (
        _group(
            "Desk; Standing Desk; Meeting Table; Dining Table; Coffee Table; Side Table; Bookcase; Sideboard; Wardrobe",
            "oak; beech; walnut; white; black; 120 cm; 160 cm",
        ),
        _group(
            "Office Chair; Visitor Chair; Armchair; Sofa; Bar Stool; Bench; Lounge Chair; Ottoman",
            "grey; black; navy; green; sand; with armrests; leather",
        ),
        _group(
            "Filing Cabinet; Shelf Unit; Locker; Coat Stand; Room Divider; Bed Frame",
            "small; medium; large; white; black; oak; steel",
        ),
    ),
)

MEDICAL = Range(
    words("medical medicine drug medication pharmacy clinic hospital treatment patient dental prescription"),
    phrases("Sterile; Single-Use; Latex-Free; Hypoallergenic; Standard; Pediatric; Soft; Clinical") + LINES,
    (
        _group(
            """Examination Gloves; Gauze Pads; Adhesive Plasters; Face Masks; Syringes
            Alcohol Wipes; Cotton Swabs; Bandages""",
            "pack of 10; pack of 25; pack of 50; pack of 100; small; medium; large",
        ),
        _group(
            """Stethoscope; Thermometer; Blood Pressure Monitor; Pulse Oximeter; Walking Stick; Knee Brace; Wheelchair
            Infusion Stand; Otoscope; Wrist Splint""",
            "model A; model B; model C; adult; child; compact; with case",
        ),
    ),
)

ROOMS = Range(
    words("room hotel suite lodging accommodation cabin apartment"),
    phrases("Standard; Superior; Deluxe; Classic; Comfort; Premium; Executive; Garden; Terrace; Corner"),
    (
        _group(
            """Single Room; Double Room; Twin Room; Family Room; Studio; Suite; Junior Suite; King Room
            Queen Room; Loft
            Triple Room; Apartment""",
            """sea view; garden view; courtyard side; city view; with balcony; with kitchenette; quiet side; top floor
            ground floor; accessible""",
        ),
    ),
)

SERVICES = Range(
    words(
        "service work job contract labor labour maintenance repair cleaning consulting visit appointment fee procedure"
    ),
    phrases(
        "Annual; Quarterly; Monthly; On-Site; Remote; Express; Basic; Extended; Scheduled; Emergency; Full; Follow-Up"
    ),
    (
        _group(
            """Boiler Inspection; Elevator Service; Window Cleaning; Network Audit; Safety Training; Fire Alarm Test
            Data Backup; Security Review; Payroll Run; Bookkeeping; Translation; Courier Run; Pest Control; Lawn Care
            Equipment Calibration; Software Support; Roof Inspection; Waste Collection; Interior Painting
            Legal Review""",
            "per visit; per hour; per day; flat rate; small site; medium site; large site; incl. report; incl. travel",
        ),
    ),
)

SOFTWARE = Range(
    words("software plan subscription license app module feature package tariff"),
    phrases(
        "Starter; Basic; Team; Business; Growth; Professional; Enterprise; Unlimited; Flex; Academic; Nonprofit; Pilot"
    ),
    (
        _group(
            """Helpdesk; Invoicing; Time Tracking; Inventory; Payroll; Project Boards; Document Vault
            Analytics; Scheduling
            Mail Archive; Contact Manager; Field Service; Expense Reports; Survey Builder; Web Shop; Knowledge Base""",
            "monthly; yearly; 5 seats; 10 seats; 25 seats; 50 seats; 100 seats; with support; with onboarding",
        ),
    ),
)

BOOKS = Range(
    words("book title library publication course class lesson workshop copy magazine"),
    phrases(
        "Practical; Modern; Everyday; Essential; Hidden; Illustrated; Little; New; Complete; Forgotten; Quiet; Curious"
    ),
    (
        _group(
            """Guide to Gardening; History of Rivers; Atlas of Islands; Book of Bread; Introduction to Statistics
            Garden of Letters; Art of Negotiation; Lessons in Drawing; World of Birds; Night Trains; Bookkeeping Primer
            Kitchen Chemistry; Letters from the Harbor; Mountain Walks; Introduction to Economics; Winter Stories
            Language of Maps; Workshop Handbook; Clockmaker's Daughter; House by the Canal""",
            "vol. 1; vol. 2; vol. 3; second edition; third edition; paperback; hardcover; large print; revised edition",
        ),
    ),
)

RANGES = (
    ROOMS, FURNITURE, LAB, MEDICAL, CLOTHING, FOOD, BOOKS, SOFTWARE,
    ELECTRONICS, OUTDOOR, HOME, IT, OFFICE, INDUSTRIAL, SERVICES,
)  # fmt: skip
"""In the order in which they are tried: the telling keywords first."""

GENERAL = Range(
    (), phrases("Classic; Everyday; Compact; Premium") + LINES, ELECTRONICS.groups + HOME.groups + OUTDOOR.groups
)


class Shelf(NamedTuple):
    """A range laid out for drawing."""

    styles: tuple[str, ...]
    nouns: tuple[str, ...]
    details: tuple[tuple[str, ...], ...]
    """For each noun the details that go with it."""
    blocks: int


def product(row: DrawContext) -> str:
    shelf = _shelf(row.topic, row.field)
    chosen = head(row, len(shelf.nouns), shelf.blocks)
    details = shelf.details[chosen]
    detail, style = divmod(tail(row, chosen, len(shelf.styles) * len(details), shelf.blocks), len(shelf.styles))
    return f"{shelf.styles[style]} {shelf.nouns[chosen]}, {details[detail]}"


@lru_cache(maxsize=1024)
def _shelf(topic: str, field: str) -> Shelf:
    wanted = _find_range(topic, field)
    nouns = tuple(noun for group in wanted.groups for noun in group.nouns)
    details = tuple(group.details for group in wanted.groups for _ in group.nouns)
    fewest = len(wanted.styles) * min(map(len, details))
    return Shelf(wanted.styles, nouns, details, count_blocks(fewest))


def _find_range(topic: str, field: str) -> Range:
    """Find a range by the entity's name first, then the field's."""
    for named in (hints(topic), hints(field)):
        for candidate in RANGES:
            if any(word in candidate.keywords for word in named):
                return candidate
    return GENERAL
