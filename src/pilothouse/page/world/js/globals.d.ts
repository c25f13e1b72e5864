// Types of the page scripts: globals that TypeScript's DOM library does not know, and values that several
// modules or Python share. No code comes of them.

/**
 * A page script meets elements of every kind. These properties exist on some kinds only: elsewhere they are
 * undefined, and the scripts rely on that instead of asking for the kind first.
 */
interface Element {
  /** Chrome's accessible name and role; behind a flag that our browsers have. */
  readonly computedName?: string;
  readonly computedRole?: string;
  readonly isContentEditable?: boolean;
  readonly inert?: boolean;
  readonly innerText?: string;
  readonly title?: string;
  readonly alt?: string;
  readonly name?: string;
  readonly type?: string;
  readonly checked?: boolean;
  readonly indeterminate?: boolean;
  readonly disabled?: boolean;
  readonly readOnly?: boolean;
  readonly required?: boolean;
  readonly multiple?: boolean;
  readonly selected?: boolean;
  readonly controls?: boolean;
  readonly labels?: NodeListOf<HTMLLabelElement> | null;
  readonly control?: HTMLElement | null;
  readonly form?: HTMLFormElement | null;
  readonly validationMessage?: string;
  readonly validity?: ValidityState;
  readonly open?: boolean;
  readonly cells?: HTMLCollectionOf<HTMLTableCellElement>;
  readonly contentWindow?: Window | null;
  // Only compared: a comparison with undefined is false.
  readonly tabIndex: number;
  readonly offsetWidth: number;
  readonly offsetHeight: number;
  readonly size: number;
  readonly maxLength: number;
}

interface CSSRule {
  // Of some kinds of rules only.
  readonly selectorText?: string;
  readonly cssRules?: CSSRuleList;
  readonly styleSheet?: CSSStyleSheet | null;
}

interface Node {
  /** Of an element or a text: the slot that it is assigned to. */
  readonly assignedSlot?: HTMLSlotElement | null;
}

/** A number that a snapshot gave to an element. */
type NumberedTarget = { number: number; kind?: undefined };

/** One step of a selector, from Python (page/input/selectors.py). `within` is the step before it. */
type QueryStep = {
  number?: undefined;
  kind: string;
  value: string;
  name: string;
  exact: boolean;
  nth?: number;
  within?: QueryStep;
  relation?: string;
};

type Target = NumberedTarget | QueryStep;

/** Why there is no element, or not exactly one: JSON for Python. */
type NotFound = {
  state: "missing" | "many" | "stale" | "invalid";
  all?: undefined;
  element?: undefined;
  [fact: string]: unknown;
};
type FoundElement = { state?: undefined; element: Element } | NotFound;
type FoundElements = { state?: undefined; all: Element[] } | NotFound;

/** A table of words; what is not in it is undefined, and without a prototype nothing else is. */
type WordTable = Record<string, string | null | undefined>;

type Offset = { x: number; y: number };
type Point = [x: number, y: number];
type BoxSize = { x: number; y: number; width: number; height: number };

/** What an action needs of its element, from Python (page/input/actionable_elements.py). */
type ProbeNeed = {
  visible?: boolean;
  enabled?: boolean;
  editable?: boolean;
  point?: boolean;
  scroll?: boolean;
  arm?: boolean;
  control?: FieldWish;
  position?: Offset;
  /** For a frame element: the point in the frame. */
  frame?: Offset;
};

/** Which control is meant where a selector names a label or a box around it (form_fields.js). */
type FieldWish = "field" | "check" | "select" | "file" | "focus";

/** The options of a walk, from Python (page/snapshot/options.py) or of a warm-up. */
type WalkOptions = {
  boxes: boolean;
  viewport: boolean;
  /** Also text that people cannot see. */
  all: boolean;
  /** The number of the element to begin at; 0: the whole document. */
  root: number;
  /** How many lines of one container to list; 0: all. */
  most: number;
  /** Repeat option lists that were shown already. */
  lists: boolean;
  /** The key under which to remember this walk, and the one that need not be repeated. */
  keep?: string;
  unless?: string;
  /** The first number to use. */
  next?: number;
  /** A warm-up, whose result nobody reads. */
  dry?: boolean;
};

/** How the walk of a name arrived at an element; `alternative` in names.js explains it. */
type NameState = {
  visited: Set<Element>;
  referenced?: boolean;
  within?: boolean;
  hidden?: string;
  actions?: Element[];
  depth?: number;
};

/** What paints a box of its own; `box` is measured once all of them are known. */
type PaintedBox = {
  element: Element;
  box: DOMRect;
  picture?: boolean;
  solid?: boolean;
  style?: CSSStyleDeclaration;
};

/** What to extract, from Python (page/extract/page_text.py). */
type ExtractOptions = {
  format?: string;
  selector?: string;
  links?: boolean;
  images?: boolean;
};

/** Extraction of a part: `kept` are the nodes to write, `way` their ancestors, `judged` knows what is hidden. */
type ReaderOptions = ExtractOptions & {
  kept?: Set<Node>;
  way?: Set<Node>;
  judged?: import("./extract_article.js").Copy;
  hidden?: boolean;
};

/** A part of a document as plain data: an element, a text, or the number of a frame. */
type CopiedElement = [tag: string, attributes: Record<string, string>, children: CopiedNode[]];
type CopiedNode = CopiedElement | [frame: number] | string;

/** "key:number" -> the key and the data of the frame there. */
type CopiedFrames = Record<string, { key: string; data: CopiedNode | null }>;

/** A piece of a name: `head` and `tail` say whether its ends are separated from their neighbours. */
type NameText = { text: string; from: string; head?: boolean; tail?: boolean };

type ReadabilityConstructor = new (document: Document, options: object) => {
  parse(): { content: Element; length: number } | null;
};

declare namespace globalThis {
  /** What Python calls in our isolated world. */
  var ph: typeof import("./snapshot_calls.js") & {
    shared: typeof import("./exports_to_action_bundle.js");
    /** Sent only to documents that are asked for their article. */
    Readability?: ReadabilityConstructor;
  };
  /** The binding that reports a press at once. */
  var pilothousePressed: ((payload: string) => void) | undefined;
}
