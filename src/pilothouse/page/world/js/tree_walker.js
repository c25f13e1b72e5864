// The snapshot's walker: one pass over what is rendered, one line per node.
//
//   depth \t role \t name \t number \t states \t value \t box
//
// Python renders it (page/snapshot). Everything whose cost grows with the page is done here, once per element.

import { seenRoot } from "./action_guard_and_effects.js";
import {
  activeElement, areaPoints, bareName, checkedHosts, comesBack, deepHit, formFirst, formNext, frameName,
  freePoint, isForm, isShown, lands, looksLike, masked, numberOf, pane, pointsOf, roleFor, rootOf,
  SAID_OFF, saidBy, scrolledOut, spreads,
} from "./refs_and_hit_tests.js";
import {
  AS_USUAL, asksLate, cursorOf, FLOWS, IN_LINE, isMissing, isUnplaced, seenPlainly,
} from "./avoidable_style_reads.js";
import { slotsHere } from "./walk_cache.js";
import { BOXES, FIELDS, FLAT, NAMED_BY_CONTENT, SELDOM_NAMED, SKIPPED } from "./tag_and_role_groups.js";
import { isUserInvalid, statesOf, turnsOff, valueOf } from "./element_states_and_value.js";
import { bareHost, canBeActedOn, holdsUnpainted, labelled } from "./interactive_elements_and_hosts.js";
import { covered, cutAway, dim, metOut, unreadable, veiled } from "./invisible_text.js";
import { nameOf, roleOf, styleOf } from "./names.js";
import { heard, hearElements } from "./pointer_listener_candidates.js";
import { HTML } from "./roles.js";
import { shownByFocus } from "./shown_on_focus.js";
import { clip, isBlank, tidy } from "./text_normalization.js";
import {
  goneAstray, inUse, meetRoot, pointed, USED_CLIP, USED_FADE, USED_IN_TEXT, USED_POINTER, USED_SIGHT,
  USED_TOUCH,
} from "./used_css_properties.js";
const NAME_LENGTH = 120;
const TEXT_LENGTH = 1000;
// Scripts can build trees deeper than our stack allows; below this depth nodes are only counted.
const MOST_LEVELS = 600;
const DEEPEST_LINE = 150;
const MOST_GRIDS = 100;
const OUTSTANDING = "[role=alert],[role=status],[role=alertdialog],h1,h2,h3";
const MOST_OUTSTANDING = 40;
const EDITED = new Map([["deletion", "deleted"], ["insertion", "inserted"]]);

// Whether a row group adds nothing: it has no name, and its table has at most a head and a body.
const GROUPS = "tbody,tfoot,[role=rowgroup]";
/** @param {Element} group */
function isUsualGroup(group) {
  if (group.hasAttribute("aria-label") || group.hasAttribute("aria-labelledby")) return false;
  let bodies = 0;
  for (let at = group.parentNode && formFirst(group.parentNode); at && bodies < 2; at = formNext(at))
    if (at instanceof HTMLElement && !isForm(at) && at.matches(GROUPS) && !at.querySelector("[role=columnheader]")) bodies++;
  return bodies < 2;
}

/**
 * Whether a node may be a form whose fields shadow its properties; most documents have none.
 * @param {Node} node
 */
const astray = (node) => goneAstray && isForm(node);

export class Walk {
  /** @param {WalkOptions} options @param {number[] | null | undefined} indexes */
  constructor(options, indexes) {
    this.options = options;
    /** @type {string[]} */
    this.lines = [];
    this.text = "";
    this.textDepth = 0;
    this.muted = 0;
    this.naming = ""; // the name that stands for what is muted, if a name is why it is
    this.veils = 0; // how many elements around are not painted
    this.level = 0;
    this.out = false; // of the viewport, where only that is wanted
    if (indexes) hearElements(indexes);
    this.heard = heard;
    this.active = activeElement();
    const { width, height } = pane();
    this.width = width;
    this.height = height;
    // Each access forces a layout: read them once.
    this.scrollX = scrollX;
    this.scrollY = scrollY;
    /** @type {Element[]} */
    this.suspects = [];
    this.odd = true; // whether what is around may lay out its children in a way of its own
    this.off = 0; // how many elements around turn off what is in them
    this.grids = 0; // how many covered elements were looked at all over
    /** The number of the innermost element that was said. @type {string | number} */
    this.inside = "";
    /** How many lines of each depth. @type {number[]} */
    this.said = [];
    /** Of options that were said. @type {Set<string> | null} */
    this.lists = options.lists ? null : new Set();
    /** Of the frames in this window, once needed. @type {Map<Window | null, number> | null} */
    this.slots = null;
    /** An element, its box, the next element, ... @type {(Element | DOMRect)[] | null} */
    this.boxes = options.keep ? [] : null;
  }

  /** @param {number} depth @param {string} text */
  line(depth, text) {
    this.said[depth] = (this.said[depth] || 0) + 1;
    this.lines.push(`${Math.min(depth, DEEPEST_LINE)}\t${text}`);
  }

  flush() {
    if (!this.text) return;
    const text = clip(tidy(this.text), TEXT_LENGTH);
    this.text = "";
    if (text) this.line(this.textDepth, `text\t${text}\t\t\t\t`);
  }

  /** @param {string} text @param {number} depth */
  say(text, depth) {
    if (this.muted || this.out) return;
    if (this.text && this.textDepth !== depth) this.flush();
    this.textDepth = depth;
    this.text += text;
  }

  /** @param {Element} element @param {number} depth @param {string} cursor @param {ShadowRoot | null} [root] */
  children(element, depth, cursor, root = rootOf(element)) {
    if (element.localName === "slot") {
      const assigned = /** @type {HTMLSlotElement} */ (element).assignedNodes();
      if (assigned.length) {
        for (const node of assigned) this.node(node, depth, cursor);
        return;
      }
    }
    if (root) seenRoot(root);
    const first = astray(element) ? formFirst(element) : (root || element).firstChild;
    if (first && !this.options.most) return this.all(first, depth, cursor);
    const most = this.options.most || Infinity;
    const mostHere = (this.said[depth] || 0) + most;
    const mostInAll = this.lines.length + most * 20;
    for (let node = first; node; node = astray(node) ? formNext(node) : node.nextSibling) {
      const full = this.said[depth] >= mostHere || this.lines.length >= mostInAll;
      if (full && node.nodeType === 1) node = this.rest(/** @type {Element} */ (node), depth);
      this.node(node, depth, cursor);
    }
  }

  /** @param {Node} first @param {number} depth @param {string} cursor */
  all(first, depth, cursor) {
    for (let node = /** @type {Node | null} */ (first); node; node = astray(node) ? formNext(node) : node.nextSibling)
      this.node(node, depth, cursor);
  }

  /**
   * Beyond the limit nodes are only counted, except the last one, which shows that the list ends as it began.
   * @param {Element} from @param {number} depth
   */
  rest(from, depth) {
    let count = 0;
    let last = from;
    for (let node = /** @type {Node | null} */ (from); node; node = astray(node) ? formNext(node) : node.nextSibling) {
      if (node.nodeType !== 1) continue;
      if (node !== from) count += 1 + last.getElementsByTagName("*").length;
      last = /** @type {Element} */ (node);
    }
    this.flush();
    if (count) {
      this.line(depth, `…\t${count}\t${this.inside}\t\t\t`);
      this.outstanding(from, last, depth);
    }
    return last;
  }

  /**
   * Alerts, status and headings are listed however late in the page they are.
   * @param {Element} from @param {Element} last @param {number} depth
   */
  outstanding(from, last, depth) {
    const parent = from.parentNode;
    if (!parent || !parent.querySelectorAll) return;
    let left = MOST_OUTSTANDING;
    const odd = this.odd;
    for (const element of parent.querySelectorAll(OUTSTANDING)) {
      if (!(from.compareDocumentPosition(element) & 4) && !from.contains(element)) continue;
      if (last.contains(element) || last.compareDocumentPosition(element) & 4) break;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      this.odd = true;
      this.node(element, depth, "");
      if (!--left) break;
    }
    this.odd = odd;
  }

  /**
   * For a form whose fields shadow its properties, walk only its children.
   * @param {HTMLFormElement} form @param {number} depth
   */
  maskedForm(form, depth) {
    const style = getComputedStyle(form);
    if (style.display === "none") return;
    this.flush();
    this.children(form, depth, style.cursor);
    this.flush();
  }

  /** @param {Node} node @param {number} depth @param {string} cursor */
  node(node, depth, cursor) {
    const type = node.nodeType;
    if (type === 3) {
      if (this.muted || this.out || this.hidden === node.parentNode) return;
      const text = /** @type {Text} */ (node);
      if (!isBlank(text.data) && (this.unseen(text) || this.under(text))) return;
      this.say(text.data, depth);
    } else if (type === 1 || astray(node)) {
      const element = /** @type {HTMLFormElement} */ (node);
      if (astray(node) && masked(element)) return this.maskedForm(element, depth);
      if (this.level >= MOST_LEVELS) return this.say(" … ", depth);
      this.level++;
      this.element(element, depth, cursor);
      this.level--;
    }
  }

  /** @param {Element} element @param {number} depth @param {string} parentCursor */
  element(element, depth, parentCursor) {
    const tag = element.localName;
    if (SKIPPED.has(tag)) return;
    if (tag === "br") return this.say(" ", depth);
    const root = rootOf(element);
    if (root) meetRoot(root);
    const said = saidBy(element);
    const odd = this.odd;
    const off = said & SAID_OFF && turnsOff(element) ? 1 : 0;
    this.off += off;
    if (!odd && isUnplaced(element, tag, said) && (asksLate() || seenPlainly(element)))
      this.laidOut(element, tag, IN_LINE.has(tag), depth, cursorOf(element, tag, parentCursor), parentCursor, said);
    else this.styled(element, tag, depth, parentCursor, said);
    this.off -= off;
    this.odd = odd;
  }

  /**
   * @param {Element} element @param {string} tag @param {number} depth @param {string} parentCursor
   * @param {number} said
   */
  styled(element, tag, depth, parentCursor, said) {
    const style = getComputedStyle(element);
    const display = style.display;
    if (display === "none") {
      if (tag === "area") this.area(element, depth);
      return;
    }
    if (display === "") this.unpaintedIn(element.parentElement, element);
    const flows = FLOWS.has(tag) && element.namespaceURI === HTML;
    const cursor = flows && pointed ? cursorOf(element, tag, parentCursor) : inUse & USED_POINTER ? style.cursor : "";
    const usual = flows && AS_USUAL.has(display);
    // Among elements in normal flow, everything that is displayed has a box.
    const sure = usual && !this.odd && asksLate();
    this.odd = !usual;
    if (display === "contents") return this.children(element, depth, cursor);
    const plain = sure || seenPlainly(element);
    if (!plain && !(inUse & (USED_SIGHT | USED_FADE) && element.checkVisibility())) return;
    const inline = display.startsWith("inline");
    if (!plain && style.visibility !== "visible") {
      /** @type {Element | undefined} */
      const before = this.hidden;
      /** @type {Element | undefined} */
      this.hidden = element;
      this.laidOut(element, "", inline, depth, cursor);
      this.hidden = before;
    } else if (this.hides(element, style, plain)) {
      const was = this.muted;
      this.muted++;
      this.veils++;
      this.laidOut(element, tag, inline, depth, cursor, parentCursor, said);
      this.veils--;
      this.muted = was;
    } else this.laidOut(element, tag, inline, depth, cursor, parentCursor, said);
  }

  /**
   * Called without a tag for nodes of which only the children matter.
   * @param {Element} element @param {string} tag @param {boolean} inline @param {number} depth
   * @param {string} cursor @param {string} [parentCursor] @param {number} [said]
   */
  laidOut(element, tag, inline, depth, cursor, parentCursor, said) {
    const wasOut = this.out;
    if (this.options.viewport) this.out = this.outside(element);
    if (!inline) this.flush();
    if (tag) this.shown(element, tag, depth, cursor, /** @type {string} */ (parentCursor), /** @type {number} */ (said));
    else this.children(element, depth, cursor);
    if (!inline) this.flush();
    this.out = wasOut;
  }

  /** @param {Element} element */
  outside(element) {
    const box = element.getBoundingClientRect();
    return box.top >= this.height || box.bottom <= 0 || box.left >= this.width || box.right <= 0;
  }

  /** @param {Text} node */
  unseen(node) {
    const parent = node.parentElement || /** @type {ShadowRoot} */ (node.parentNode).host;
    if (!parent) return false;
    if (parent !== this.textParent) {
      /** @type {Element | undefined} */
      this.textParent = parent;
      const style = inUse & USED_IN_TEXT ? styleOf(parent) : null;
      const shows = this.options.all || !unreadable(parent, /** @type {CSSStyleDeclaration} */ (style), inUse);
      this.textUnseen = !shows || isMissing(parent, parent.localName);
    }
    return this.textUnseen;
  }

  /** @param {Text} node */
  under(node) {
    const parent = node.parentElement || /** @type {ShadowRoot} */ (node.parentNode).host;
    return !this.options.all && !!parent && covered(node, parent);
  }

  /**
   * Whether an element that is named by its content contains text that people cannot see.
   * @param {Element} element
   */
  dim(element) {
    return !this.options.all && (this.veils > 0 || dim(element));
  }

  /** @param {Element} element @param {CSSStyleDeclaration} style @param {boolean} plain */
  hides(element, style, plain) {
    if (this.options.all) return false;
    const met = metOut ? metOut.length : 0;
    const hidden = (!plain && style.opacity === "0") || veiled(element, style, inUse);
    if (metOut && (hidden || this.veils)) metOut.length = met; // what is not painted covers nothing
    return hidden;
  }

  /**
   * @param {Element} element @param {string} tag @param {number} depth @param {string} cursor
   * @param {string} parentCursor @param {number} said
   */
  shown(element, tag, depth, cursor, parentCursor, said) {
    if (said === 0 && BOXES.has(tag) && this.doesNothing(element, cursor, parentCursor)) {
      this.suspect(element, tag);
      return this.children(element, depth, cursor);
    }
    const role = roleFor(element, tag, said);
    const acts = canBeActedOn(element, tag, role, cursor, parentCursor, this.heard);
    if (tag === "iframe" || tag === "frame" || tag === "fencedframe")
      return this.frame(element, depth);
    this.suspect(element, tag);
    const seen = acts ? this.reach(element) : "";
    if (seen === "gone") return;
    if (seen) return this.acted(element, role, depth, cursor, said, seen);
    if (tag === "label" && element.control) return this.label(element, depth, cursor);
    if (EDITED.has(role)) return this.edited(element, /** @type {string} */ (EDITED.get(role)), depth, cursor);
    if (FLAT.has(role) || (role === "rowgroup" && isUsualGroup(element))) return this.children(element, depth, cursor);
    if (role === "img" || role === "image" || role === "graphics-symbol")
      return this.image(element, role, depth, cursor);
    if (!isMissing(element, tag)) this.container(element, role, depth, cursor, said);
  }

  /**
   * Deleted and inserted text reads differently from the text around it.
   * @param {Element} element @param {string} word @param {number} depth @param {string} cursor
   */
  edited(element, word, depth, cursor) {
    this.say(`[${word}: `, depth);
    this.children(element, depth, cursor);
    this.say("]", depth);
  }

  /**
   * For boxes without attributes that could change their meaning.
   * @param {Element} element @param {string} cursor @param {string} parentCursor
   */
  doesNothing(element, cursor, parentCursor) {
    if (cursor === "pointer" && parentCursor !== "pointer") return false;
    return !this.heard.has(element) && element.namespaceURI === HTML;
  }

  /** @param {Element} element @param {string} tag */
  suspect(element, tag) {
    if (bareHost(element, tag) && checkedHosts.get(element) !== looksLike(element))
      this.suspects.push(element);
  }

  /**
   * A box whose first child has no box at all may show a closed shadow root instead.
   * @param {Element | null} box @param {Element} child
   */
  unpaintedIn(box, child) {
    if (!box || box.firstElementChild !== child || !holdsUnpainted(box, box.localName)) return;
    if (checkedHosts.get(box) !== looksLike(box)) this.suspects.push(box);
  }

  /**
   * "yes", "covered", "unfocused" if it is visible only with focus, "point" if it is clipped to a
   * point, "gone" if it has no box, or "" if no click can reach it.
   * @param {Element} element
   */
  reach(element) {
    if (inUse & USED_TOUCH && styleOf(element).pointerEvents === "none" && element.tabIndex < 0) return "";
    const box = element.getBoundingClientRect();
    if (this.boxes) this.boxes.push(element, box);
    if (box.width < 1 || box.height < 1) {
      if (isMissing(element, element.localName)) return "gone";
      return spreads(element) ? "yes" : labelled(element);
    }
    if ((box.right + this.scrollX <= 0 || box.bottom + this.scrollY <= 0) && !comesBack(element, box))
      return (box.right >= -2000 && styleOf(element).position !== "fixed" && labelled(element)) || shownByFocus(element);
    if (box.top >= this.height || box.bottom <= 0 || box.left >= this.width || box.right <= 0)
      return this.options.viewport ? "" : "yes";
    const x = box.left + box.width / 2;
    const y = box.top + box.height / 2;
    if (this.hits(element, x, y)) return "yes";
    for (const [otherX, otherY] of pointsOf(element, box).slice(1))
      if (this.hits(element, otherX, otherY)) return "yes";
    const out = scrolledOut(element, x, y);
    if (out) return out === "flat" || this.options.viewport ? "" : "yes";
    if ((box.width <= 1 && box.height <= 1) || (inUse & USED_CLIP && cutAway(styleOf(element))))
      return labelled(element) || shownByFocus(element) || "point";
    // Inert is not covered: nothing there can ever be clicked.
    return labelled(element) || (element.closest("[inert]") ? "" : this.coveredAt(element, box, x, y));
  }

  /**
   * Try a grid only for elements that may be free beside their cover: each point costs a hit test.
   * @param {Element} element @param {DOMRect} box @param {number} x @param {number} y
   */
  coveredAt(element, box, x, y) {
    const cover = deepHit(x, y)?.getBoundingClientRect();
    const whole =
      cover && cover.left <= box.left && cover.right >= box.right && cover.top <= box.top && cover.bottom >= box.bottom;
    if (whole || this.grids >= MOST_GRIDS) return "covered";
    this.grids++;
    return freePoint(element, element) ? "yes" : "covered";
  }

  /**
   * Whether a click there would hit the element; what is out of view can be scrolled to.
   * @param {Element} element @param {number} x @param {number} y
   */
  hits(element, x, y) {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return true;
    return lands(element, deepHit(x, y));
  }

  /** @param {Element} element */
  name(element) {
    return clip(tidy(nameOf(element) || ""), 200);
  }

  /**
   * @param {Element} element @param {number} depth @param {string} role @param {string} name
   * @param {string} states @param {string | number} [value]
   */
  push(element, depth, role, name, states, value = "") {
    const shown = name || bareName(element, role);
    this.pushed = this.options.dry ? "" : numberOf(element, role, shown);
    this.read(element, depth, role, name, states, value, this.pushed);
  }

  /**
   * Text needs no number: nothing refers to it.
   * @param {Element} element @param {number} depth @param {string} role @param {string} name
   * @param {string} states @param {string | number} [value] @param {string | number} [number]
   */
  read(element, depth, role, name, states, value = "", number = "") {
    let box = "";
    if (this.options.boxes) {
      const at = element.getBoundingClientRect();
      box = [at.x, at.y, at.width, at.height].map(Math.round).join(",");
    }
    this.line(depth, `${role}\t${clip(name, NAME_LENGTH)}\t${number}\t${states}\t${value}\t${box}`);
  }

  /**
   * @param {Element} element @param {string} role @param {number} depth @param {string} cursor
   * @param {number} said @param {string} seen
   */
  acted(element, role, depth, cursor, said, seen) {
    this.flush();
    const name = this.name(element);
    const states = statesOf(element, role, this.active, said, this.off);
    if (seen === "unfocused") states.push("shown-on-focus");
    // The element is interactive, so it is listed, although people do not see its text.
    else if (seen === "point") states.push("hidden");
    else if (seen !== "covered" && name && NAMED_BY_CONTENT.has(role) && this.dim(element)) states.push("hidden");
    states.push(seen === "covered" ? "covered" : "ref");
    this.push(element, depth, role, name, states.join(" "), valueOf(element, role, this.lists));
    if (isUserInvalid(element))
      this.line(depth + 1, `invalid\t${clip(tidy(/** @type {string} */ (element.validationMessage)), NAME_LENGTH)}\t\t\t\t`);
    if (FIELDS.has(role) && element.localName !== "div") return;
    const mute = NAMED_BY_CONTENT.has(role) && name ? 1 : 0;
    const naming = this.naming;
    if (mute) this.naming = this.muted ? "" : name;
    this.muted += mute;
    if (element.firstElementChild || rootOf(element) || !mute) this.children(element, depth + 1, cursor);
    this.flush();
    this.muted -= mute;
    this.naming = naming;
  }

  /**
   * The text of a label is the name of its control, and is shown there.
   * @param {Element} element @param {number} depth @param {string} cursor
   */
  label(element, depth, cursor) {
    this.flush();
    this.muted++;
    this.children(element, depth, cursor);
    this.muted--;
  }

  /** @param {Element} element @param {string} role @param {number} depth @param {string} cursor */
  image(element, role, depth, cursor) {
    const naming = this.naming;
    if (!this.out && (!this.muted || (naming && !this.veils))) {
      const name = this.name(element);
      // The content of a link or button is part of its name, unless the author gave it another name.
      if (name && (!this.muted || !naming.includes(name))) {
        this.flush();
        this.read(element, depth, "img", name, "");
      }
    }
    if (element.firstElementChild) {
      this.naming = "";
      this.muted++;
      this.children(element, depth, cursor);
      this.muted--;
      this.naming = naming;
    }
  }

  /**
   * @param {Element} element @param {string} role @param {number} depth @param {string} cursor
   * @param {number} said
   */
  container(element, role, depth, cursor, said) {
    const quiet = this.muted || this.out;
    const named = !quiet && !SELDOM_NAMED.has(role);
    const name = named || element.hasAttribute("aria-label") ? this.name(element) : "";
    const states = statesOf(element, role, this.active, said, this.off).join(" ");
    if (role === "heading") {
      if (!quiet && !this.dim(element)) {
        this.flush();
        this.read(element, depth, role, name, states);
      }
      const naming = this.naming;
      if (!quiet) this.naming = name;
      this.muted++;
      if (element.firstElementChild || rootOf(element)) this.children(element, depth + 1, cursor);
      this.muted--;
      this.naming = naming;
      return;
    }
    if (quiet) return this.children(element, depth, cursor);
    this.flush();
    this.push(element, depth, role, name, states, valueOf(element, role));
    const outer = this.inside;
    this.inside = /** @type {string | number} */ (this.pushed);
    this.children(element, depth + 1, cursor);
    this.inside = outer;
    this.flush();
  }

  /**
   * An <area> of an image map; it has no box of its own.
   * @param {Element} element @param {number} depth
   */
  area(element, depth) {
    if (this.out || !element.hasAttribute("href") || !isShown(element)) return;
    const [[x, y]] = /** @type {number[][]} */ (areaPoints(element));
    const inside = x >= 0 && y >= 0 && x < this.width && y < this.height;
    if (inside ? !lands(element, deepHit(x, y)) : this.options.viewport) return;
    const role = roleOf(element) || "generic";
    const states = [...statesOf(element, role, this.active, saidBy(element), this.off), "ref"];
    this.flush();
    this.push(element, depth, role, this.name(element) || bareName(element, role), states.join(" "));
  }

  /** @param {Element} element @param {number} depth */
  frame(element, depth) {
    const box = element.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) return;
    this.flush();
    this.slots ??= slotsHere();
    this.push(element, depth, "iframe", frameName(element), "", this.slots.get(/** @type {Window} */ (element.contentWindow)) ?? "");
  }
}
