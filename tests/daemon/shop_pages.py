"""A small shop for tests of whole answers: orders to delete, a form that refuses, a login that
fails, a page that is gone.

Knows: HTML. Must not know: what is asserted.
"""

from __future__ import annotations

from tests.page_server import Pages

__all__ = ["add_shop"]

_ORDERS = """<!doctype html><title>Orders</title><h1>Orders</h1>
<nav><a href=/shop/new.html>New order</a> <a href=/shop/gone.html>Archive</a></nav>
<div role=status id=told>4 orders, 1 late</div>
<p>Price <del>10</del> <ins>8</ins> only today</p>
<table><thead><tr><th>Order<th>Customer<th>Total<th></tr></thead><tbody id=rows></tbody></table>
<script>
for (let i = 1; i <= 4; i++) rows.insertAdjacentHTML('beforeend',
  `<tr id=r${i}><td>Order 00${i}<td>Customer ${i}<td>${i * 10}.00<td><button>Delete</button></tr>`);
document.onclick = (event) => {
  const row = event.target.closest('tr');
  if (event.target.localName !== 'button' || !confirm(`Delete ${row.cells[0].innerText}?`)) return;
  row.remove(); told.textContent = `${rows.rows.length} orders left` };
</script>"""

_NEW = """<!doctype html><title>New order</title><h1>New order</h1><form action=/shop/made.html>
<p><label>Customer <select name=c required><option value=''>Choose<option>Ann<option>Bob</select>
</label><p><label>E-mail <input name=e id=mail></label> <span role=alert id=told></span>
<p><label>Country <select name=co id=country><option>DE<option>US</select></label> <span id=more>
</span><p><label>Amount <input type=number name=n></label>
<p><label>Password <input type=password name=p></label><button>Place order</button></form>
<script>
mail.onchange = () => { told.textContent = mail.value.includes('@') ? '' : 'E-mail needs an @' };
country.onchange = () => { more.innerHTML = country.value === 'US'
  ? '<label>State <input name=s required></label>' : '' };
</script>"""

_MADE = """<!doctype html><title>Made</title><h1>Thank you</h1>
<p role=status>Order 005 was placed.</p><a href=/shop/login.html>Your account</a>"""

_LOGIN = """<!doctype html><title>Log in</title><h1>Log in</h1>
<form onsubmit="told.textContent='Wrong password for '+user.value; return false">
<label>User <input id=user></label> <label>Password <input type=password></label>
<button>Log in</button></form><div role=alert id=told></div>
<button onclick="help.showModal()">Help</button>
<dialog id=help><p>Call 555-1234 between 9 and 5.</p><button onclick="help.close()">Close</button>
</dialog><button onclick="window.open('/shop/made.html')">Popup</button>
<script>onbeforeunload = (event) => { if (user.value) event.preventDefault() }</script>"""

_GONE = "<title>Not found</title><h1>404</h1><p>There is no archive any more. Ask support.</p>"


def add_shop(pages: Pages) -> str:
    """Open the shop; gives the address of its orders."""
    pages.add("/shop/new.html", _NEW)
    pages.add("/shop/made.html", _MADE)
    pages.add("/shop/login.html", _LOGIN)
    pages.add("/shop/gone.html", _GONE, status=404)
    return pages.add("/shop/orders.html", _ORDERS)
