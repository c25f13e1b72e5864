// What the pages make of what is put into their fields: the same in every framework.

export const COUNTRIES = ["Chile", "Iceland", "Japan", "Atlantis"];
export const SIZES = ["S", "M", "L"];

export const FRESH = {
  name: "Nobody",
  phone: "",
  code: "abc",
  age: 1,
  bio: "",
  when: "",
  volume: 10,
  agree: false,
  locked: false,
  size: "S",
  country: "Chile",
};

// Digits alone count, and they are shown as (555) 123-4567.
export function phone(text) {
  const digits = text.replace(/\D/g, "").slice(0, 10);
  if (digits.length <= 3) return digits;
  const rest = digits.slice(3);
  return `(${digits.slice(0, 3)}) ${rest.length > 3 ? `${rest.slice(0, 3)}-${rest.slice(3)}` : rest}`;
}

// Only small letters are taken; anything else leaves what was there.
export const code = (text, before) => (/^[a-z]*$/.test(text) ? text : before);

// There is no way to Atlantis.
export const country = (wanted, before) => (wanted === "Atlantis" ? before : wanted);
