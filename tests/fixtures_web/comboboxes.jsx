// Lists that are no <select>: two of a library, one of our own whose options sit in a portal.
import { useCombobox, useSelect } from "downshift";
import { useId, useState } from "react";
import { createPortal } from "react-dom";
import { createRoot } from "react-dom/client";

const FRUITS = ["Apple", "Apricot", "Banana", "Cherry", "Mango"];
const LATE_MS = 150;

const Options = ({ open, items, highlighted, itemProps }) =>
  open && items.map((item, index) => (
    <li key={item} style={{ background: highlighted === index ? "#cde" : "" }} {...itemProps({ item, index })}>{item}</li>
  ));

// Searched by typing.
function Search({ taken }) {
  const [items, setItems] = useState(FRUITS);
  const box = useCombobox({
    items,
    onInputValueChange: ({ inputValue }) =>
      setItems(FRUITS.filter((fruit) => fruit.toLowerCase().includes((inputValue || "").toLowerCase()))),
    onSelectedItemChange: ({ selectedItem }) => taken("search", selectedItem),
  });
  return (
    <div>
      <label {...box.getLabelProps()}>Fruit</label>
      <input {...box.getInputProps()} />
      <button type="button" aria-label="open fruits" {...box.getToggleButtonProps()}>v</button>
      <ul {...box.getMenuProps()}>
        <Options open={box.isOpen} items={items} highlighted={box.highlightedIndex} itemProps={box.getItemProps} />
      </ul>
    </div>
  );
}

// Opened by a button-like element.
function Pick({ taken }) {
  const box = useSelect({ items: FRUITS, onSelectedItemChange: ({ selectedItem }) => taken("pick", selectedItem) });
  return (
    <div>
      <label {...box.getLabelProps()}>Dessert</label>
      <div style={{ border: "1px solid", width: 120 }} {...box.getToggleButtonProps()}>{box.selectedItem || "nothing"}</div>
      <ul {...box.getMenuProps()}>
        <Options open={box.isOpen} items={FRUITS} highlighted={box.highlightedIndex} itemProps={box.getItemProps} />
      </ul>
    </div>
  );
}

// Its options come late and hang below the body; "Durian" is never taken.
function Late({ taken }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [items, setItems] = useState([]);
  const [chosen, setChosen] = useState("");
  const toggle = () => {
    setOpen(!open);
    setTimeout(() => setItems(["Fig", "Grape", "Durian"]), LATE_MS);
  };
  const take = (item) => {
    setOpen(false);
    setItems([]);
    if (item === "Durian") return;
    setChosen(item);
    taken("late", item);
  };
  const list = (
    <ul role="listbox" id={id} style={{ position: "absolute", left: 220, top: 20 }}>
      {items.map((item) => <li role="option" key={item} aria-selected={item === chosen} onMouseDown={() => take(item)}>{item}</li>)}
    </ul>
  );
  return (
    <div>
      <div role="combobox" tabIndex={0} aria-label="Snack" aria-haspopup="listbox" aria-expanded={open} aria-controls={open ? id : undefined}
        style={{ border: "1px solid", width: 120 }} onClick={toggle}>{chosen || "none"}</div>
      {open && createPortal(list, document.body)}
    </div>
  );
}

function Lists() {
  const [state, setState] = useState({ search: null, pick: null, late: null });
  const taken = (name, value) => setState((before) => ({ ...before, [name]: value }));
  return (
    <>
      <Search taken={taken} />
      <Pick taken={taken} />
      <Late taken={taken} />
      <pre id="state">{JSON.stringify(state)}</pre>
    </>
  );
}

createRoot(document.getElementById("app")).render(<Lists />);
