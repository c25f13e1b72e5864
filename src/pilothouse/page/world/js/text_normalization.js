// Texts: what people see of them, and how they are shortened. Pure.

export const space = /\s+/g;
// Remove what people cannot see: control and direction characters, zero-width characters, tag characters.
const plain = /^[\x20-\x7e\s]*$/;
const unseeable =
  // eslint-disable-next-line no-misleading-character-class -- single code points, not what they combine to
  /[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;
// Most texts are tidy already, and a test is cheaper than the replacements.
export const words = /^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*)?$/;
/** @param {string} text */
export const tidy = (text) =>
  words.test(text) ? text : (plain.test(text) ? text : text.replace(unseeable, "")).replace(space, " ").trim();
/** @param {string} text */
export const clean = (text) => text.replace(/[\t\n\r]/g, " ");
/**
 * @param {string} text
 * @param {number} length the most characters to return
 */
export const clip = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);

// White space as HTML defines it: a no-break space is not included.
/** @param {string} text */
export const collapse = (text) => (words.test(text) ? text : text.replace(/[ \t\n\r\f]+/g, " "));
/** @param {string} text */
export const squeeze = (text) => collapse(text).replace(/^ | $/g, "");
/** @param {string} text */
export const isBlank = (text) => !/[^ \t\n\r\f]/.test(text);
