// Elements of our own pages.

/** @typedef {HTMLElement & {value: string, checked: boolean, disabled: boolean}} PageElement */

/**
 * Return an element of this page. Throws if there is none.
 * @param {string} id
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`${id}: this page has no such element`);
  return /** @type {PageElement} */ (element);
}

/**
 * Return the radio buttons of a name.
 * @param {string} name
 * @returns {NodeListOf<HTMLInputElement>}
 */
export const radiosOf = (name) => document.querySelectorAll(`input[name=${name}]`);
