"""Two documents of one's own: requirements with code in them, and the reference of an API."""

from __future__ import annotations

BENEFITS = """\
# Pharmacy benefit desk

The desk decides on claims of pharmacies for members of a health plan.

## 1. Overview

Pharmacies send claims. The desk answers each one while the member waits.

## 2. Business rules

1. BR-1: A claim must be submitted within 90 days of the fill date.
2. BR-2: The desk shall reject a claim of a member whose coverage has ended.
3. BR-3: A refill is allowed only after 75 % of the days of supply have passed.
4. BR-4: No claim may be paid twice.
5. BR-5: Brand drugs need a prior authorization unless the prescriber wrote "dispense as written".
6. BR-6: The copay of a member never exceeds 250 USD per claim.
7. BR-7: The plan pays the ingredient cost plus the dispensing fee minus the copay.
8. BR-8: Only a pharmacist of the desk may override a rejection.
9. BR-9: An override requires a written reason.
10. BR-10: A controlled drug cannot be dispensed for more than 30 days of supply.
11. BR-11: When the deductible of a member is met, the copay tier applies.
12. BR-12: Each prescription number is unique within a pharmacy.
13. BR-13: Reversals are possible for 14 days after payment.
14. BR-14: The answer shall be shown on the screen of the pharmacy within 2 seconds.
15. BR-15: The default tier of a drug is 3.

## 3. Copay by tier

| Tier | Copay | Prior authorization |
| --- | --- | --- |
| 1 | 5 USD | no |
| 2 | 25 USD | no |
| 3 | 60 USD | yes |

## 4. Data model

```sql
CREATE TABLE member (
  id SERIAL PRIMARY KEY,
  card_number VARCHAR(20) NOT NULL UNIQUE,
  coverage_ends DATE,
  deductible_left NUMERIC(8,2) NOT NULL DEFAULT 0 CHECK (deductible_left >= 0)
);
CREATE TABLE claim (
  id SERIAL PRIMARY KEY,
  member_id INT NOT NULL REFERENCES member(id),
  fill_date DATE NOT NULL,
  submitted_on DATE NOT NULL,
  days_supply INT CHECK (days_supply BETWEEN 1 AND 90),
  status TEXT NOT NULL CHECK (status IN ('received', 'paid', 'rejected', 'reversed')),
  CHECK (submitted_on >= fill_date)
);
```

The portal sends drugs like this:

```typescript
type Tier = 1 | 2 | 3;
type Schedule = 'none' | 'II' | 'III';

export interface Drug {
  ndc: string;           // eleven digits
  name: string;
  brand: boolean;
  schedule: Schedule;
  /** must not be negative */
  unitCost: number;
  replacedBy?: string;
}
```

```json
{
  "title": "Override",
  "type": "object",
  "required": ["claim_id", "reason"],
  "properties": {
    "claim_id": {"type": "integer"},
    "reason": {"type": "string", "minLength": 10},
    "level": {"type": "string", "enum": ["desk", "clinical"]},
    "hours": {"type": "integer", "minimum": 1, "maximum": 72, "description": "An override expires after this many hours."}
  }
}
```

## 5. Life of a claim

```mermaid
stateDiagram-v2
  [*] --> received
  received --> paid : adjudicate
  received --> rejected : refuse
  paid --> reversed : reverse
```

## 6. Adjudication

```
if member.coverage_ends < claim.fill_date:
    reject(claim, "coverage ended")
else if claim.days_supply > 30 and drug.schedule != 'none':
    reject(claim, "too much of a controlled drug")
copay = min(tier.copay, ingredient_cost + dispensing_fee)
```

## 7. Out of scope

- Mail order pharmacies must be handled by the vendor.
"""

REFERENCE = """\
# Depot booking API

The API of the depot. All requests need the header `X-Depot-Key`.

## List bookings

`GET /bookings`

Returns the bookings of a dock, the newest first.

| Parameter | In | Type | Required | Description |
| --- | --- | --- | --- | --- |
| dock | query | string | no | only bookings of this dock |
| status | query | enum: open, done, cancelled | no | |
| limit | query | integer | no | at most 100 |

Response:

```json
{"bookings": [{"id": 7, "dock": "B2", "arrives_on": "2025-03-04", "pallets": 12, "status": "open"}], "total": 1}
```

## Create a booking

`POST /bookings`

A dock takes at most 40 pallets a day.

Request body:

| Field | Type | Required | Description |
| --- | --- | --- | --- |
| dock | string | yes | the dock |
| arrives_on | date | yes | Dates in the past are not permitted. |
| pallets | integer | yes | 1-40 |

Response `201`:

```json
{"id": 7, "dock": "B2", "arrives_on": "2025-03-04", "pallets": 12, "status": "open"}
```

Errors:

- 409: The dock is full on that day.
- 422: The date lies in the past.

## Get a booking

`GET /bookings/{id}`

```json
{"id": 7, "dock": "B2", "arrives_on": "2025-03-04", "pallets": 12, "status": "open"}
```

## Change a booking

`PATCH /bookings/:id`

- `pallets` (integer): the new number
- `arrives_on` (date): the new day

Only open bookings can be changed. Returns 409 if the booking is done.

## Cancel a booking

`POST /bookings/{id}/cancel`

A booking can be cancelled until the day before it arrives.
"""
