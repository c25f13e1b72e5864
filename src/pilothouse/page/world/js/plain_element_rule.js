// Plain elements: those that nothing but a listener can make clickable. Both worlds use this list.

const PLAIN = /^(?!(?:button|input|select|textarea|option|script|style|link|meta|head|title|br)$)/;

/** @param {Element} element */
export const isPlain = (element) =>
  PLAIN.test(element.localName) && !(element.localName === "a" && element.hasAttribute("href"));
