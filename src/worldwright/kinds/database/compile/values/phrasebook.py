"""What business people type into free-text fields, by theme.

Nothing here grants, forbids or promises anything that a rule could turn on, and no amount or date is stated as a fact:
a note is colour, and what holds is in the record's fields. `{slot}` is filled from `SLOTS`.
"""

from __future__ import annotations

from typing import NamedTuple

from worldwright.kinds.database.compile.values.locale import phrases, words


class Theme(NamedTuple):
    keywords: tuple[str, ...]
    sentences: tuple[str, ...]
    """Without the full stop."""
    reasons: tuple[str, ...]
    subjects: tuple[str, ...]


SLOTS: dict[str, tuple[str, ...]] = {
    "day": words("Monday Tuesday Wednesday Thursday Friday"),
    "when": phrases("this morning; this afternoon; yesterday; last week; on {day}; earlier today; just before lunch"),
    "soon": phrases("next week; by {day}; before the end of the month; in the coming days; after the weekend"),
    "team": phrases(
        """the warehouse; accounts; purchasing; customer service; the front desk
        the site team; the night shift; planning"""
    ),
    "channel": phrases("by phone; by email; at the counter; through the portal; in person; by voicemail"),
    "written": phrases("by email; through the portal; by post; in the chat; with the order"),
    "lately": phrases("in spring; last month; over the summer; recently; last autumn; at the turn of the year"),
    "door": phrases("side entrance; loading dock; main reception; rear gate; second gate; goods lift"),
    "few": phrases("two; three; four; a few; several; a couple of"),
    "doc": phrases("delivery slip; order form; signed copy; quotation; contract; cover letter; packing list"),
    "part": phrases("handle; lid; corner; label; seal; cable; hinge; packaging; coating; base; casing"),
    "mood": phrases("polite; in a hurry; understanding; rather annoyed; friendly; brief; patient"),
    "wish": phrases(
        """a quiet room; an extra pillow; a late arrival; a cot
        a room near the lift; feather-free bedding; a parking space"""
    ),
    "skill": phrases("forklift refresher; first-aid course; onboarding; safety briefing; language course"),
    "thing": phrases("printer; scanner; conveyor; heating; door lock; pump; lamp; cold room; gate motor"),
    "matter": phrases("address; contact person; phone number; spelling; cost center; tax number; opening hours"),
}

DELIVERY = Theme(
    words(
        """delivery shipment parcel dispatch carrier route truck load consignment freight
        package pickup order stop receipt"""
    ),
    phrases("""
    Please deliver to the {door}, the main one is closed for works
    Driver to call {few} minutes ahead so that someone is at the {door}
    Carrier rang {when} to ask for the {door}
    Pallets should stay wrapped until {team} has counted them
    Customer would like everything in one drop if at all possible
    The {doc} was missing from the box, {team} has been told
    Left with a neighbour last time, please ring the bell twice
    Narrow street, a small van is easier than a truck
    Receiving hours are in the morning only, says {team}
    Fragile goods, do not stack more than {few} boxes
    Consignee asked {channel} for a tracking link
    Ramp at the {door} is steep, a tail lift helps
    Dog in the yard, please sound the horn
    Empty pallets can go back with the driver
    Handwritten remark on the {doc}, see the scan
    Boxes arrived a little wet {when}, contents look dry
    Gate code is kept by {team}
    """),
    phrases("""
    damaged in transit; address could not be found; nobody at the {door}; carrier delay; partial shipment
    wrong pallet label; missed collection; weather on the route; customs paperwork missing
    recipient asked for another day
    """),
    phrases("""
    Delivery window for {day}; Tracking link missing; Question about the {door}; Short shipment; Pallet count
    Change of delivery contact; Collection on {day}; Carrier did not call; Packing list for the last shipment
    """),
)

PAYMENT = Theme(
    words(
        "invoice payment bill remittance credit ledger bank dunning expense refund billing receivable payable fee fine"
    ),
    phrases("""
    Supplier asked {channel} when the next payment run is
    Reference on the bank statement was hard to read, see the {doc}
    Copy of the {doc} requested {when}
    Statement of account sent {written}, waiting for an answer
    Customer says the {doc} went to an old address
    Remittance advice came {when} without a reference
    Accounts to compare this with the {doc}
    Line descriptions on the {doc} are in another language
    Contact in accounts changed, the new one answers {channel}
    Second reminder was answered {channel}, tone was friendly
    Bank details are being checked by {team}
    Please quote our reference on every {doc}
    The {doc} was opened by {team} and passed on {when}
    Mail with the {doc} landed in the wrong inbox
    New letterhead since {day}, same company
    Scanned copy is poor, the original is with {team}
    """),
    phrases("""
    duplicate billing suspected; price differs from the {doc}; missing reference; wrong cost center
    freight billed separately; discount not shown; quantity in question; invoice sent to the wrong entity
    rounding difference
    waiting for a credit note
    """),
    phrases("""
    Question about the last invoice; Copy of {doc} needed; Statement of account; Missing remittance advice
    Change of billing contact; Price on the {doc}; Reminder received; Payment reference unclear; Credit note follow-up
    """),
)

QUALITY = Theme(
    words("complaint inspection quality defect audit incident nonconformity deviation claim finding check hold"),
    phrases("""
    The {part} shows scratches on {few} pieces
    Photos of the {part} came {written} {when}
    Customer noticed a loose {part} after {few} days of use
    Sample was set aside by {team} for a closer look
    Measured again {when}, readings are close to the limit
    Colour looks different from the last batch under daylight
    Caller was {mood}, wants to hear from us {soon}
    The {part} came off while unpacking
    Smell of solvent when the box was opened, gone after airing
    Same remark about the {part} as {few} weeks ago
    Inspector would like to see the {doc}
    Comparison piece is on the shelf next to {team}
    Customer kept the packaging, can send the {part} {soon}
    Only the {part} is affected as far as one can see
    Lot number on the {part} is smudged but readable
    """),
    phrases("""
    scratched {part}; loose {part}; colour differs; wrong dimensions; missing {part}; noise in operation; seal not tight
    surface contaminated; label unreadable; does not switch on
    """),
    phrases("""
    Problem with the {part}; Scratches on arrival; Complaint received {channel}; Photos of the {part}; Lot under review
    Colour deviation; Repeated remark about the {part}; Sample set aside; Inspection on {day}
    """),
)

APPROVAL = Theme(
    words(
        """approval request requisition purchase po contract budget change proposal
        quote quotation tender decision project"""
    ),
    phrases("""
    Requester would like an answer {soon}
    Background is in the attached {doc}
    Discussed with {team} {when}, details are in the {doc}
    Replaces older equipment that needs more and more repairs
    Scope was trimmed after talking to {team}
    Needed for the new workplace setup on the second floor
    The {doc} is attached, the other papers follow {soon}
    Please check the {matter} before this goes further
    Similar to what we bought last year, slightly smaller
    Question from {team} about the {matter} is still open
    Supplier explained the lead time {channel}
    Cost center owner was informed {written}
    Old one has a cracked {part}
    Alternatives were looked at {lately}, see the {doc}
    Team has grown, not enough desks for everyone
    The {matter} in the {doc} was filled in by {team}
    """),
    phrases("""
    replacement of old equipment; growing team; running low on stock; safety finding; seasonal demand; customer project
    contract ends soon; end of support; new site; recurring need
    """),
    phrases("""
    Request for {day}; Papers for the {doc}; Question on the {matter}; Replacement needed; New workplace setup
    Quarterly stock-up; Scope change; Follow-up with {team}; Missing {doc}
    """),
)

STAY = Theme(
    words("booking reservation stay guest room hotel checkin checkout night event table tour trip rental"),
    phrases("""
    Guest asked {channel} for {wish}
    Arriving late, key to be kept at the front desk
    Would like {wish}, if there is one
    Travels with a small dog, has asked {channel}
    Prefers a high floor away from the lift
    Coming for a wedding, several rooms under the same name
    Breakfast early on {day}, has a train to catch
    Left a phone charger in the room last time
    Asked whether the sauna is open {soon}
    Birthday during the stay, a small card would be nice
    Same guest as last autumn, was {mood}
    Taxi to be ordered for {day}
    Celebrates an anniversary, asked {channel} about dinner
    Was here {lately}, liked the quiet side
    Will bring bicycles, needs a dry place for them
    Vegetarian, no nuts please
    """),
    phrases("""
    change of travel plans; illness in the family; flight moved; event called off; double booking on the guest's side
    found a place closer to the venue; meeting went online; shorter trip; wanted {wish}
    """),
    phrases("""
    Request for {wish}; Late arrival; Question about parking; Change of dates; Breakfast on {day}; Group on {day}
    Lost item in the room; Extra bed; Invoice address for the stay
    """),
)

RETURN = Theme(
    words("return rma exchange warranty replacement"),
    phrases("""
    Customer sends the item back in its original box
    The {part} broke after {few} days of use
    Ordered the wrong size, says it runs small
    Parcel was opened, the {part} is unused
    Label for the return was printed at the counter
    Item came back without the {part}
    Customer was {mood} and wants to hear from us {soon}
    Photos sent {written} {when}
    Gift from a relative, no {doc} at hand
    Box is damaged, the item itself looks fine
    Serial number on the {part} was noted by {team}
    Customer asked {channel} how long the check takes
    Tried on once at home, tags still attached
    Bought as a present, the {part} was not what they hoped for
    Item smells of smoke, noted by {team}
    """),
    phrases("""
    wrong size; wrong colour; arrived damaged; {part} broken; not as described; ordered twice; no longer needed
    arrived late; missing {part}; gift not wanted; does not fit
    """),
    phrases("""
    Return of last order; Broken {part}; Wrong size received; Return label; Status of my return; Exchange wanted
    Missing {part}; Item not as described
    """),
)

STAFF = Theme(
    words(
        """employee staff shift leave absence timesheet candidate interview training
        worker nurse teacher student enrollment"""
    ),
    phrases("""
    Prefers early shifts because of the train connection
    Asked {channel} about the {skill}
    Covers for a colleague in {team} now and then
    Wants to swap the shift on {day}, colleague not found yet
    Has the {skill} planned {soon}
    Bicycle commuter, needs a locker
    Returned the badge and the keys {when}
    Good feedback from {team} after the first weeks
    Works from home on {day}s
    New phone extension was requested {when}
    Handover notes are with {team}
    Would like to move to {team} in the long run
    Parking space no longer needed
    Joined {lately}, settled in well
    Mentors a trainee in {team}
    """),
    phrases("""
    family matter; medical appointment; {skill}; moving house; public duty; parental leave; further education
    school holidays; shift swap; travel delay
    """),
    phrases("""
    Shift on {day}; Question about the {skill}; Leave request; Swap with a colleague; New badge; Handover to {team}
    Time sheet correction; Locker needed
    """),
)

SUPPORT = Theme(
    words("ticket case issue repair maintenance work service visit appointment fault asset device task job call"),
    phrases("""
    The {thing} stopped {when} and started again by itself
    Reported {channel} by {team}
    Rebooted {few} times, same picture
    Technician needs access through the {door}
    Noise from the {thing} is louder in the morning
    Spare {part} was ordered {when}
    Caller was {mood}, asked for a call back {soon}
    Happens only when the {thing} runs for {few} hours
    Temporary fix in place, the {part} should be looked at again
    Manual for the {thing} is with {team}
    Second visit may be needed for the {part}
    The {thing} is the older model
    Photos of the {part} were sent {written}
    Looked fine again {when}, keep an eye on it
    User sent screenshots {written}
    """),
    phrases("""
    {thing} not working; worn {part}; regular service; noise from the {thing}; leak at the {part}; user error; power cut
    loose cable; no network; error message on start
    """),
    phrases("""
    {thing} not working; Noise from the {thing}; Access on {day}; Call back please; Spare {part}; Slow since {day}
    Visit on {day}; {thing} needs a look; Error after restart
    """),
)

PARTNER = Theme(
    words(
        "vendor supplier customer client account lead member contact company partner patient subscriber tenant owner"
    ),
    phrases("""
    Best reached {channel} in the morning
    New contact since last month, was {mood}
    Asked {channel} for our current catalogue
    Please check the {matter} at the next call
    Moved offices {lately}, {matter} may be out of date
    Met at the trade fair, follow-up {soon}
    Prefers letters to be sent to the branch office
    Speaks with {team} about most things
    Long-standing relation, knows {team} well
    Took over a smaller competitor {lately}
    Site visit took place {lately}, impression was good
    Answers {written} within a day or so
    Reception closes early on {day}s
    Sends a newsletter that {team} likes to read
    Wants to hear about changes {written}
    Company car park is behind the building
    Closed between Christmas and New Year
    """),
    phrases("""
    new contact person; moved offices; change of name; recommended by {team}; met at a trade fair; asked {channel}
    {matter} corrected; annual check
    """),
    phrases("""
    Change of {matter}; Catalogue wanted; New contact person; Follow-up after the call; Meeting on {day}
    Annual check; Greetings and a question; Move to a new office
    """),
)

GOODS = Theme(
    words(
        """item product article sku catalog catalogue stock part material goods
        merchandise book title dish inventory tool"""
    ),
    phrases("""
    Store dry and away from direct sunlight
    Successor of last season's model, same {part}
    Popular with regular customers, {team} knows it well
    New packaging {lately}
    Comes with a printed guide
    The {part} can be ordered separately
    Label on the shelf was renewed {when}
    Slightly heavier than the old version
    Picture in the catalogue shows another {part}
    Display piece is at the {door}
    Supplier changed the {part} {lately}
    Often bought together with smaller accessories
    Keep upright, the {part} is sensitive
    Handmade in small batches
    """),
    phrases("""
    new packaging; {part} changed by the supplier; seasonal article; end of season; slow seller; customer demand
    shelf moved; label renewed; part of a set
    """),
    phrases("""
    Picture of the {part}; New packaging; Label on the shelf; Question about the {part}; Successor model; Display piece
    Catalogue entry to check
    """),
)

GENERIC = Theme(
    (),
    phrases("""
    Spoke with {team} {when}, they will come back {soon}
    See the attached {doc}
    Waiting for an answer from {team}
    Please double-check the {matter}
    Called {few} times, reached voicemail
    Filed by {team}
    Question came in {channel} {when}
    To be discussed on {day}
    Entered by hand from the {doc}
    Contact was {mood}
    Nothing unusual
    The {matter} was corrected {when}
    Follow up {soon}
    Moved over from the old system, {matter} to be checked
    """),
    phrases("""
    requested by {team}; entered by mistake; {matter} corrected; planned change; asked {channel}; follow-up
    see the {doc}; other; moved from the old system
    """),
    phrases("""
    Question about the {doc}; Follow-up on {day}; Note from {team}; Change of {matter}; Missing {doc}; Short update
    Call on {day}; Open point with {team}
    """),
)

THEMES = (RETURN, STAY, QUALITY, PAYMENT, STAFF, APPROVAL, DELIVERY, SUPPORT, GOODS, PARTNER)
"""In the order in which they are tried: `return order` is a return, `hotel staff` a stay."""
