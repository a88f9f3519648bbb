"""What may be done at the purchase desk."""

from datetime import date, timedelta

from purchasing.models import CostCentre, Delegation, Employee, Order, Status, Vendor


class Refused(Exception):
    """A rule forbids it."""


def submit(order: Order, employee: Employee) -> None:
    if order.status is not Status.DRAFT:
        raise Refused("only a draft can be submitted")
    if order.raised_by != employee.id:
        raise Refused("only whoever raised an order submits it")
    order.status = Status.SUBMITTED


def approve(
    order: Order,
    employee: Employee,
    centre: CostCentre,
    vendor: Vendor,
    committed: float,
    delegations: list[Delegation],
    today: date,
) -> None:
    """Approve a submitted order; `committed` is what was approved for the cost centre this year."""
    if order.status is not Status.SUBMITTED:
        raise Refused("only a submitted order can be approved")
    if order.raised_by == employee.id:
        raise Refused("nobody approves their own order")
    if committed + order.amount > centre.yearly_budget:
        raise Refused("the yearly budget of the cost centre does not cover the order")
    if vendor.last_checked_on < today - timedelta(days=365):
        raise Refused("the vendor has not been checked for more than 365 days")
    if order.amount > employee.approval_limit and not _lent(employee, order, delegations, today):
        raise Refused("the order is over the approval limit")
    order.status = Status.APPROVED


def _lent(employee: Employee, order: Order, delegations: list[Delegation], today: date) -> bool:
    """Whether somebody lent the right to approve; the lender's limit is looked up by the caller."""
    return any(d.delegate_id == employee.id and d.starts_on <= today <= d.ends_on for d in delegations)


def receive(order: Order, employee: Employee) -> None:
    if order.status is not Status.APPROVED:
        raise Refused("goods are booked against approved orders only")
    if employee.role != "clerk":
        raise Refused("only clerks book goods in")
    order.status = Status.RECEIVED
