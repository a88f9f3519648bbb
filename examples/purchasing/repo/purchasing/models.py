"""Tables of the purchase desk."""

from dataclasses import dataclass
from datetime import date
from enum import Enum


class Status(Enum):
    DRAFT = "draft"
    SUBMITTED = "submitted"
    APPROVED = "approved"
    REJECTED = "rejected"
    RECEIVED = "received"


@dataclass
class Employee:
    id: int
    name: str
    role: str  # buyer, approver or clerk
    approval_limit: float


@dataclass
class Delegation:
    """An approver who is away lends the right to approve to somebody else for some days."""

    id: int
    approver_id: int
    delegate_id: int
    starts_on: date
    ends_on: date


@dataclass
class CostCentre:
    id: int
    name: str
    yearly_budget: float


@dataclass
class Vendor:
    id: int
    name: str
    last_checked_on: date
    blocked: bool


@dataclass
class Order:
    id: int
    cost_centre_id: int
    vendor_id: int
    raised_by: int
    amount: float
    purpose: str
    status: Status
    raised_on: date
