"""A shop as shops are: a login that fails first, a table of orders, a form with every type of
field, an upload, a download, dialogs, a popup and a payment form in a frame of another site.

Knows: its pages. Must not know: who works in it.
"""

from __future__ import annotations

from bench.tool_browsers_and_pages import Pages

__all__ = ["PASSWORD", "Shop"]

PASSWORD = "correct horse"

_NAV = "".join(
    f"<li><a href='/list.html#{name}'>{name}</a></li>"
    for name in ("Dashboard", "Customers", "Products", "Stock", "Reports", "Settings", "Team")
)
_FOOT = "".join(
    f"<li><a href='/list.html#{name}'>{name}</a></li>"
    for name in ("About us", "Jobs", "Press", "Terms", "Privacy", "Cookies", "Contact", "Status")
)
_STYLE = """body { font: 14px sans-serif; margin: 8px } table { border-collapse: collapse }
td, th { border: 1px solid #ccc; padding: 2px 6px } nav li, footer li { display: inline-block }
nav a, footer a { padding: 4px } footer { color: #444 } label { display: block; margin: 4px 0 }
.busy { color: #666 } [role=alert] { color: #a00 }"""


def _page(title: str, body: str) -> str:
    return f"""<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>
<style>{_STYLE}</style><header><a href=/list.html>Harbour Supplies</a>
<nav aria-label=Main><ul>{_NAV}</ul></nav></header><main>{body}</main>
<footer><ul>{_FOOT}</ul><p>Harbour Supplies, Quay 7. All prices include tax.</p></footer></html>"""


_LOGIN = _page(
    "Log in",
    f"""<h1>Log in</h1><form id=form><label>User <input id=user autocomplete=off></label>
<label>Password <input type=password id=secret></label><button>Log in</button></form>
<div role=alert id=told></div><script>
form.onsubmit = (event) => {{ event.preventDefault();
  if (secret.value === "{PASSWORD}") location = "/list.html";
  else told.textContent = `Wrong password for ${{user.value}}. 2 tries left.` }};</script>""",
)

_LIST = _page(
    "Orders",
    """<h1>Orders</h1><p role=status id=told></p>
<p><a href=/new.html>New order</a> <a href=/tools.html>Tools</a> <a href=/pay.html>Payments</a></p>
<form role=search onsubmit="return false"><label>Filter <input id=filter type=search></label></form>
<table><thead><tr><th>Order<th>Customer<th>City<th>Total<th>State<th>Actions</tr></thead>
<tbody id=rows></tbody></table><script>
const cities = ["Bergen", "Cork", "Delft", "Emden", "Faro"];
const gone = JSON.parse(sessionStorage.gone || "[]");
const sent = JSON.parse(sessionStorage.sent || "[]");
const say = () => { told.textContent =
  `${[...rows.rows].filter((row) => !row.hidden).length} orders shown` };
for (let i = 1; i <= 30; i++) if (!gone.includes(i)) {
  const id = String(i).padStart(3, "0");
  rows.insertAdjacentHTML("beforeend", `<tr data-n=${i}><td>Order ${id}<td>Customer ${i}
    <td>${cities[i % 5]}<td>${i * 10}.00<td>${sent.includes(i) ? "sent" : "open"}
    <td><a href="/edit.html?n=${i}">Edit</a> <button>Delete</button></tr>`); }
say();
rows.onclick = (event) => {
  const row = event.target.closest("tr");
  if (event.target.localName !== "button") return;
  if (!confirm(`Delete ${row.cells[0].innerText}?`)) return;
  gone.push(Number(row.dataset.n)); sessionStorage.gone = JSON.stringify(gone);
  row.remove(); say() };
filter.oninput = () => { for (const row of rows.rows)
  row.hidden = !row.innerText.toLowerCase().includes(filter.value.toLowerCase());
  say() };</script>""",
)

_EDIT = _page(
    "Edit order",
    """<h1 id=head></h1><form id=form><label>State <select id=state><option>open<option>sent
<option>returned</select></label><label>Note <textarea id=note></textarea></label>
<button>Save</button></form><p role=status id=told></p><a href=/list.html>Back to orders</a><script>
const n = Number(new URLSearchParams(location.search).get("n"));
const id = String(n).padStart(3, "0"); head.textContent = `Order ${id}`;
form.onsubmit = (event) => { event.preventDefault();
  const sent = JSON.parse(sessionStorage.sent || "[]");
  if (state.value === "sent") sent.push(n); sessionStorage.sent = JSON.stringify(sent);
  told.textContent = `Order ${id} saved: ${state.value}` };</script>""",
)

_NEW = _page(
    "New order",
    """<h1>New order</h1><form action=/made.html>
<label>Customer <select name=customer required><option value="">Choose<option>Ann Lee
<option>Bo Diaz</select></label>
<label>E-mail <input type=email name=email id=email></label> <span role=alert id=told></span>
<label>Phone <input type=tel name=phone></label>
<label>Website <input type=url name=site></label>
<label>Quantity <input type=number name=quantity min=1 max=99></label>
<label>Delivery date <input type=date name=day></label>
<label>Delivery time <input type=time name=at></label>
<label>Colour <input type=color name=colour></label>
<label>Discount <input type=range name=discount min=0 max=50 value=0
  oninput="cut.textContent = this.value + ' % off'"></label><output id=cut></output>
<label>Tags <select name=tags multiple><option>fragile<option>heavy<option>gift</select></label>
<label>Product <input name=product list=products></label>
<datalist id=products><option>Anchor<option>Buoy<option>Rope</datalist>
<fieldset><legend>Shipping</legend>
<label><input type=radio name=ship value=post checked> Post</label>
<label><input type=radio name=ship value=courier> Courier</label></fieldset>
<label><input type=checkbox name=gift> Wrap as gift</label>
<label>Country <select name=country id=country><option>Ireland<option>United States</select></label>
<span id=more></span><label>Remarks <textarea name=remarks></textarea></label>
<label>Pin <input type=password name=pin></label><button>Place order</button></form><script>
email.onchange = () => { told.textContent = email.value.includes("@") ? "" : "E-mail needs an @" };
country.onchange = () => { more.innerHTML = country.value === "United States"
  ? "<label>US state <input name=us required></label>" : "" };</script>""",
)

_MADE = _page(
    "Thank you",
    """<h1>Thank you</h1><p role=status id=told></p><a href=/list.html>Back to orders</a>
<script>const got = new URLSearchParams(location.search);
told.textContent = `Order 031 was placed for ${got.get("customer")}: ${got.get("quantity")} x ` +
  `${got.get("product")}, ${got.get("day")} ${got.get("at")}, ${got.getAll("tags").join("+")}, ` +
  `${got.get("ship")}, ${got.get("country")} ${got.get("us")}, pin of ${got.get("pin").length}`;
</script>""",
)

_TOOLS = _page(
    "Tools",
    """<h1>Tools</h1><label>Invoice <input type=file id=file></label><p role=status id=told></p>
<p><a href=/orders.csv download>Export orders</a> <button id=coupon>Add coupon</button>
<button id=stock>Count stock</button> <button id=terms>Show terms</button>
<button onclick="window.open('/help.html')">Open help</button></p><p id=counted></p>
<dialog id=box><p>Goods stay ours until they are paid.</p>
<button onclick="box.close()">Agree</button></dialog><a href=/list.html>Back to orders</a><script>
file.onchange = () => { told.textContent =
  `Received ${file.files[0].name}, ${file.files[0].size} bytes` };
coupon.onclick = () => { const code = prompt("Which coupon?");
  told.textContent = code ? `Coupon ${code}: 10 % off` : "No coupon" };
stock.onclick = () => { counted.innerHTML = "<span class=busy>Counting…</span>";
  setTimeout(() => { counted.textContent = "Stock: 417 items" }, 1200) };
terms.onclick = () => box.showModal();</script>""",
)

_HELP = """<!doctype html><title>Help</title><h1>Help</h1><p>Call 555-0134 between 9 and 5.</p>
<button onclick="told.textContent = 'Noted. Case 77 is closed.'">I have read it</button>
<p role=status id=told></p>"""

_CARD = """<!doctype html><title>Card</title><form id=form>
<label>Card number <input id=number></label>
<label>Valid until <input id=until></label><button>Pay 310.00</button></form>
<p role=status id=told></p><script>form.onsubmit = (event) => { event.preventDefault();
told.textContent = `Paid 310.00 with card ending in ${number.value.slice(-4)}` }</script>"""


class Shop(Pages):
    """The shop on loopback; its payment form is served under another name of this machine."""

    def __init__(self) -> None:
        super().__init__(
            {
                "/login.html": _LOGIN,
                "/list.html": _LIST,
                "/edit.html": _EDIT,
                "/new.html": _NEW,
                "/made.html": _MADE,
                "/tools.html": _TOOLS,
                "/help.html": _HELP,
                "/card.html": _CARD,
                "/orders.csv": "order,total\n001,10.00\n002,20.00\n",
            }
        )
        frame = f"<iframe title=Card src={self.url('/card.html', 'localhost')}></iframe>"
        pay = f"<h1>Payments</h1><p>Open: 310.00</p>{frame}<p><a href=/list.html>Back to orders</a>"
        self.add("/pay.html", _page("Payments", pay))
