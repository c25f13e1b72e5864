"""The job in the shop: what is done, and what must be learnt from it.

Knows: the shop. Must not know: which server does it.
"""

from __future__ import annotations

from pathlib import Path

from bench.shop_job_agents import Field, Worker
from bench.shop_site import PASSWORD, Shop

__all__ = ["job"]

_FORM = (
    Field("E-mail", "ann.example"),
    Field("Phone", "+353 1 555 0134"),
    Field("Website", "https://example.com/"),
    Field("Quantity", "42"),
    Field("Delivery date", "2027-03-14"),
    Field("Delivery time", "09:30"),
    Field("Colour", "#336699"),
    Field("Discount", "20", "slider"),
    Field("Product", "Buoy"),
    Field("Courier", "true", "radio"),
    Field("Wrap as gift", "true", "checkbox"),
    Field("Country", "United States", "combobox"),
    Field("Remarks", "Leave it at the gate."),
    Field("Pin", "4711"),
)


def job(worker: Worker, shop: Shop, folder: Path) -> None:
    """All of it, from the login to the popup's end."""
    _log_in(worker, shop)
    _orders(worker)
    _new_order(worker)
    _tools(worker, folder)
    _popup(worker)
    _payment(worker)


def _log_in(worker: Worker, shop: Shop) -> None:
    worker.open(shop.url("/login.html"))
    user = Field("User", "ann")
    worker.fill([user, Field("Password", "wrong")], submit="Log in")
    worker.learn("Wrong password for ann")
    worker.fill([Field("Password", PASSWORD)], submit="Log in", leads=True)
    worker.learn("30 orders shown")


def _orders(worker: Worker) -> None:
    worker.learn("130.00")
    for number, left in ((13, 29), (21, 28)):
        worker.click("button", "Delete", near=f"Order {number:03}")
        worker.learn(f"Delete Order {number:03}?")
        worker.answer()
        worker.learn(f"{left} orders shown")
    for number in (4, 7, 19):
        worker.click("link", "Edit", near=f"Order {number:03}", leads=True)
        worker.fill([Field("State", "sent", "combobox"), Field("Note", "By lorry")], submit="Save")
        worker.learn(f"Order {number:03} saved: sent")
        worker.click("link", "Back to orders", leads=True)
        worker.learn(f"Order {number:03}")
    worker.fill([Field("Filter", "Delft")])
    worker.learn("6 orders shown")


def _new_order(worker: Worker) -> None:
    worker.click("link", "New order", leads=True)
    worker.fill([*_FORM, Field("Tags", ["fragile", "gift"], "listbox")])
    worker.learn("E-mail needs an @")
    worker.learn("US state")
    wrong = [Field("E-mail", "ann@example.com"), Field("US state", "Ohio")]
    worker.fill(wrong, submit="Place order")
    # The browser's own bubble: who does not tell of it has an order that was not placed.
    worker.learn("Please select an item in the list")
    customer = Field("Customer", "Ann Lee", "combobox")
    worker.fill([customer], submit="Place order", leads=True)
    worker.learn("Order 031 was placed for Ann Lee: 42 x Buoy, 2027-03-14 09:30, fragile+gift")
    worker.click("link", "Back to orders", leads=True)


def _tools(worker: Worker, folder: Path) -> None:
    invoice = folder / "invoice.txt"
    invoice.write_text("one invoice")
    worker.click("link", "Tools", leads=True)
    worker.upload("Invoice", str(invoice))
    worker.learn("Received invoice.txt, 11 bytes")
    worker.click("link", "Export orders")
    worker.learn("orders.csv")
    worker.click("button", "Add coupon")
    worker.learn("Which coupon?")
    worker.answer("SPRING")
    worker.learn("Coupon SPRING: 10 % off")
    worker.click("button", "Count stock")
    worker.wait("Stock: 417 items")
    worker.learn("Stock: 417 items")
    worker.click("button", "Show terms")
    worker.learn("Goods stay ours until they are paid.")
    worker.click("button", "Agree")


def _popup(worker: Worker) -> None:
    worker.click("button", "Open help")
    worker.enter_popup()
    worker.learn("Call 555-0134")
    worker.click("button", "I have read it")
    worker.learn("Case 77 is closed")
    worker.leave_popup()


def _payment(worker: Worker) -> None:
    worker.click("link", "Back to orders", leads=True)
    worker.click("link", "Payments", leads=True)
    card = [Field("Card number", "4111 1111 1111 1234"), Field("Valid until", "12/29")]
    worker.fill(card, submit="Pay 310.00")
    worker.learn("Paid 310.00 with card ending in 1234")
    worker.click("link", "Back to orders", leads=True)
    worker.learn("28 orders shown")
