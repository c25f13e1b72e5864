// Makes elements. All texts are set as text, so nothing that comes from a page can become markup.

/** @typedef {Node | string | null | undefined | false} Child */

/** Make an element with attributes; `on…` are listeners, `class` and the rest are attributes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | boolean | ((event: Event) => void)>} attributes
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]} */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false) made.setAttribute(name, value);
  }
  made.append(...present(children));
  return made;
}

/** Make an SVG element.
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...Child} children
 * @returns {SVGElement} */
export function draw(tag, attributes = {}, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", tag));
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...present(children));
  return made;
}

/** Find an element of the page by its id.
 * @param {string} id
 * @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

/** Set a text only if it differs: a screen reader repeats what is set again.
 * @param {Element} element
 * @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {Child[]} children
 * @returns {(Node | string)[]} */
function present(children) {
  return /** @type {(Node | string)[]} */ (children.filter((one) => one || one === ""));
}
