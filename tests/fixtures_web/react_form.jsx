// A form of controlled inputs: React holds every value, the page only shows it.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { COUNTRIES, FRESH, SIZES, code, country, phone } from "./rules.js";

function Form() {
  const [state, setState] = useState(FRESH);
  const [sent, setSent] = useState(null);
  const put = (name, value) => setState((before) => ({ ...before, [name]: value }));
  const take = (name, rule = (text) => text) => ({
    value: state[name],
    onChange: (event) => put(name, rule(event.target.value, state[name])),
  });
  const submit = (event) => {
    event.preventDefault();
    setSent(state);
  };
  return (
    <form onSubmit={submit}>
      <p><label>Name <input {...take("name")} /></label></p>
      <p><label>Phone <input {...take("phone", phone)} /></label></p>
      <p><label>Code <input {...take("code", code)} /></label></p>
      <p><label>Age <input type="number" {...take("age", Number)} /></label></p>
      <p><label>Bio <textarea {...take("bio")} /></label></p>
      <p><label>When <input type="date" {...take("when")} /></label></p>
      <p><label>Volume <input type="range" {...take("volume", Number)} /></label></p>
      <p><label><input type="checkbox" checked={state.agree} onChange={(event) => put("agree", event.target.checked)} /> Agree</label></p>
      <p><label><input type="checkbox" checked={state.locked} onChange={() => put("locked", false)} /> Locked</label></p>
      {SIZES.map((size) => (
        <label key={size}><input type="radio" name="size" checked={state.size === size} onChange={() => put("size", size)} /> {size}</label>
      ))}
      <p><label>Country <select {...take("country", country)}>{COUNTRIES.map((one) => <option key={one}>{one}</option>)}</select></label></p>
      <button>Send</button>
      <pre id="state">{JSON.stringify(state)}</pre>
      <pre id="sent">{JSON.stringify(sent)}</pre>
    </form>
  );
}

createRoot(document.getElementById("app")).render(<Form />);
