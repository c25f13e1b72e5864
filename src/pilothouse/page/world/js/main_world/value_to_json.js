// Runs where the agent's code ran: converts any value to JSON. What JSON cannot represent is described:
// {type, description, preview}. It reads a bounded part of large values and counts the rest.

/** @typedef {{type: string, description: string, preview?: unknown}} Description */

/**
 * @param {unknown} input
 * @param {number} limit in characters
 */
export default function readValue(input, limit) {
  const DEEPEST = 30;
  const above = new Set();
  let left = limit;
  let cut = 0;

  /** @param {unknown} object */
  const tag = (object) => Object.prototype.toString.call(object).slice(8, -1);
  /**
   * @param {string} text
   * @param {number} most
   */
  const clip = (text, most) => (text.length > most ? text.slice(0, most) + "…" : text);
  /**
   * @param {string} type
   * @param {unknown} description
   * @param {unknown} [preview]
   * @returns {Description}
   */
  const told = (type, description, preview) => {
    /** @type {Description} */
    const what = { type, description: clip(String(description), 300) };
    left -= what.description.length + 30;
    if (preview !== undefined) what.preview = preview;
    return what;
  };

  /**
   * @param {any} element
   * @returns {string}
   */
  const node = (element) => {
    if (element.nodeType === 3) return `"${clip(element.data.trim(), 60)}"`;
    if (element.nodeType !== 1) return element.nodeName;
    const id = element.id && typeof element.id === "string" ? "#" + element.id : "";
    const classes = [...element.classList].map((name) => "." + name).join("");
    return element.localName + id + classes;
  };

  /** @param {string} string */
  const text = (string) => {
    const room = Math.max(0, left);
    left -= string.length + 2;
    if (string.length <= room) return string;
    cut += string.length - room;
    return string.slice(0, room) + "…";
  };

  /**
   * @param {Iterable<unknown>} items
   * @param {number} depth
   * @returns {unknown[]}
   */
  const list = (items, depth) => {
    const out = [];
    for (const item of items) {
      if (left <= 0) {
        cut++;
        continue;
      }
      left--;
      out.push(read(item, depth + 1));
    }
    return out;
  };

  /**
   * @param {any} object
   * @param {string[]} keys
   * @param {number} depth
   * @returns {Record<string, unknown>}
   */
  const properties = (object, keys, depth) => {
    /** @type {Record<string, unknown>} */
    const out = {};
    for (const key of keys) {
      if (left <= 0) {
        cut++;
        continue;
      }
      let item;
      try {
        item = object[key];
      } catch (error) {
        item = error;
      }
      if (item === undefined) continue;
      left -= key.length + 4;
      const inner = read(item, depth + 1);
      // An assignment to __proto__ would change the prototype instead of adding a property.
      if (key === "__proto__") Object.defineProperty(out, key, { value: inner, enumerable: true });
      else out[key] = inner;
    }
    return out;
  };

  /**
   * Browser objects have their values on their prototypes.
   * @param {any} object
   * @param {string} name
   * @param {number} depth
   * @returns {Description}
   */
  const platform = (object, name, depth) => {
    const keys = [];
    for (const key in object) {
      if (keys.length >= 100) break;
      let type;
      try {
        type = typeof object[key];
      } catch {
        continue;
      }
      if (type === "string" || type === "number" || type === "boolean") keys.push(key);
    }
    return told("object", name, properties(object, keys, depth));
  };

  /**
   * @param {any} object
   * @param {string} name
   * @param {number} depth
   * @returns {Description | null}
   */
  const special = (object, name, depth) => {
    switch (name) {
      case "Date":
        return told("date", isNaN(object) ? "Invalid Date" : object.toISOString());
      case "RegExp":
        return told("regexp", object);
      case "Error":
      case "DOMException":
        return told("error", object.stack || `${object.name}: ${object.message}`);
      case "Map":
        return told("map", `Map(${object.size})`, list(object, depth));
      case "Set":
        return told("set", `Set(${object.size})`, list(object, depth));
      case "Promise":
      case "WeakMap":
      case "WeakSet":
      case "WeakRef":
      case "Proxy":
      case "Generator":
        return told(name.toLowerCase(), name);
      case "Window":
        return told("window", "Window");
      case "ArrayBuffer":
        return told("arraybuffer", `ArrayBuffer(${object.byteLength})`);
    }
    if (ArrayBuffer.isView(object)) {
      const first = name === "DataView" ? [] : [.../** @type {any} */ (object).slice(0, 50)].map(Number);
      return told("typedarray", `${name}(${object.byteLength})`, first);
    }
    return null;
  };

  /** @param {any} object */
  const isNode = (object) =>
    typeof object.nodeType === "number" && typeof object.nodeName === "string";

  /**
   * @param {any} value
   * @param {number} depth
   * @returns {unknown}
   */
  const object = (value, depth) => {
    const name = tag(value);
    if (depth > DEEPEST) return told("object", `${name}, deeper than ${DEEPEST} levels`);
    if (name !== "Object" && isNode(value)) return told("node", node(value));
    const described = special(value, name, depth);
    if (described) return described;
    if (Array.isArray(value)) return list(value, depth);
    if (name === "NodeList" || name === "HTMLCollection") return list([...value], depth);
    if (typeof value.toJSON === "function") return read(value.toJSON(), depth + 1);
    const own = Object.keys(value);
    const mine = name === "Object" || name === "Arguments" || name === "Module";
    return mine || own.length ? properties(value, own, depth) : platform(value, name, depth);
  };

  /**
   * @param {unknown} value
   * @param {number} depth
   * @returns {unknown}
   */
  const read = (value, depth) => {
    switch (typeof value) {
      case "string":
        return text(value);
      case "boolean":
        return value;
      case "number":
        if (Object.is(value, -0)) return told("number", "-0");
        return Number.isFinite(value) ? value : told("number", value);
      case "undefined":
        return null;
      case "bigint":
        return told("bigint", value + "n");
      case "symbol":
        return told("symbol", value.toString());
      case "function":
        return told("function", clip(Function.prototype.toString.call(value), 200));
    }
    if (value === null) return null;
    if (above.has(value)) return told("circular", "an object that holds this one");
    above.add(value);
    try {
      return object(value, depth);
    } catch (error) {
      return told("object", `it cannot be read: ${error}`);
    } finally {
      above.delete(value);
    }
  };

  const type = input === null ? "null" : Array.isArray(input) ? "array" : typeof input;
  const value = read(input, 0);
  return { type, value, cut, truthy: Boolean(input) };
}
