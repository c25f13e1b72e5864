// Groups of tags and roles that the walker treats alike.

export const SKIPPED = new Set(
  "script style template noscript head meta link title base param source track datalist".split(" "),
);
// Boxes without meaning of their own: their children take their place.
export const FLAT = new Set(
  ("generic none presentation paragraph strong emphasis code time mark superscript subscript " +
    "term definition label legend LabelText Legend abbr dfn " +
    "blockquote figcaption associationlist section ruby rt rp suggestion comment").split(" "),
);
// Named by their content: the text inside is not repeated.
export const NAMED_BY_CONTENT = new Set(
  ("button link heading option checkbox radio switch tab menuitem menuitemcheckbox menuitemradio " +
    "treeitem tooltip disclosuretriangle DisclosureTriangle").split(" "),
);
export const BOXES = new Set(["div", "span", "p"]);
export const SELDOM_NAMED = new Set("cell row rowgroup caption table list listitem article main document".split(" "));
export const FIELDS = new Set("textbox searchbox combobox listbox slider spinbutton progressbar meter".split(" "));
