// Finding elements by what an agent says of them, through every shadow root of this frame.

function* roots() {
  const waiting = [document];
  while (waiting.length) {
    const root = waiting.pop();
    yield root;
    for (const element of root.querySelectorAll("*")) {
      const inner = rootOf(element);
      if (inner) waiting.push(inner);
    }
  }
}

function everywhere(selector) {
  const found = [];
  for (const root of roots()) found.push(...root.querySelectorAll(selector));
  return found;
}

// `exact` compares whole texts, otherwise a part in any case is enough.
function fits(text, wanted, exact) {
  const said = tidy(text || "");
  return exact ? said === wanted : said.toLowerCase().includes(wanted.toLowerCase());
}

// Whether the text is among what can be painted: scripts and styles are nobody's words. They are
// looked for only where all of the text fits, which is seldom.
function hasWords(element, wanted, exact) {
  if (!fits(element.textContent, wanted, false)) return false;
  const skipped = [...SKIPPED].join();
  if (!element.querySelector(skipped)) return fits(element.textContent, wanted, exact);
  // Without a filter: callbacks do not run while something holds the page.
  const texts = document.createTreeWalker(element, 4);
  let said = "";
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    if (!text.parentElement.closest(skipped)) said += text.data;
  return fits(said, wanted, exact);
}

// The innermost elements that have the text.
function byText(wanted, exact) {
  const found = [];
  for (const element of everywhere("*")) {
    if (SKIPPED.has(element.localName)) continue;
    const own = element.localName === "input" && /^(submit|button|reset)$/.test(element.type);
    if (own ? !fits(element.value, wanted, exact) : !hasWords(element, wanted, exact)) continue;
    let inner = false;
    for (const child of element.children)
      if (!SKIPPED.has(child.localName) && hasWords(child, wanted, exact)) inner = true;
    if (!inner) found.push(element);
  }
  return found;
}

const ROLE_HINTS = {
  button: "button,input,summary,[role]",
  link: "a,area,[role]",
  textbox: "input,textarea,[contenteditable],[role]",
  searchbox: "input,[role]",
  checkbox: "input,[role]",
  radio: "input,[role]",
  combobox: "select,input,[role]",
  listbox: "select,[role]",
  heading: "h1,h2,h3,h4,h5,h6,[role]",
  img: "img,svg,[role]",
  image: "img,svg,[role]",
};

function byRole(role, name, exact) {
  const same = (found) => found === role || (role === "img" && found === "image");
  return everywhere(ROLE_HINTS[role] || "*").filter(
    (element) =>
      same(ph.roleOf(element)) && (!name || fits(ph.nameOf(element), name, exact)),
  );
}

function byLabel(wanted, exact) {
  const controls = "input,textarea,select,button,meter,output,progress,[contenteditable],[role]";
  return everywhere(controls).filter(
    (element) => element.type !== "hidden" && fits(ph.nameOf(element), wanted, exact),
  );
}

const quoted = (text) => JSON.stringify(text);
const byAttribute = (names, wanted, exact) =>
  everywhere(names.map((name) => `[${name}]`).join()).filter((element) =>
    names.some((name) => fits(element.getAttribute(name), wanted, exact)),
  );

function byPath(path) {
  const found = [];
  const result = document.evaluate(path, document, null, 7, null);
  for (let index = 0; index < result.snapshotLength; index++) {
    const node = result.snapshotItem(index);
    const element = node.nodeType === 1 ? node : node.parentElement;
    if (element) found.push(element);
  }
  return found;
}

function matching({ kind, value, name, exact }) {
  switch (kind) {
    case "css":
      return everywhere(value);
    case "text":
      return byText(value, exact);
    case "role":
      return byRole(value, name, exact);
    case "label":
      return byLabel(value, exact);
    case "placeholder":
      return byAttribute(["placeholder", "aria-placeholder"], value, exact);
    case "testid":
      return everywhere(`[data-testid=${quoted(value)}],[data-test-id=${quoted(value)}],[data-test=${quoted(value)}]`);
    case "alt":
    case "title":
      return byAttribute([kind], value, exact);
    case "xpath":
      return byPath(value);
  }
  throw new Error(`no such kind of target: ${kind}`);
}

// How many match and how many of them are shown; used where nothing is acted on.
ph.count = function (target) {
  ph.beginNames();
  const found = matching(target);
  return { count: found.length, shown: found.filter(isShown).length };
};

const describe = (element) => {
  const [role, name] = identity(element);
  return { number: numberOf(element, role, name), role, name: clip(name, 80), tag: tagged(element) };
};

// What is most like something that is gone: same role and name first, then a like name.
function candidates(role, name, most = 3) {
  const same = [];
  const like = [];
  const wanted = name.toLowerCase();
  for (const element of everywhere(ROLE_HINTS[role] || "*")) {
    if (ph.roleOf(element) !== role || !isShown(element)) continue;
    const [, found] = identity(element);
    if (found === name) same.push(element);
    else if (wanted && found && akin(found.toLowerCase(), wanted)) like.push(element);
    if (same.length >= most) break;
  }
  return [...same, ...like].slice(0, most).map(describe);
}

const akin = (one, other) =>
  one.includes(other) || other.includes(one) || one.slice(0, 4) === other.slice(0, 4);

ph.candidates = function (role, name) {
  ph.beginNames();
  return { near: candidates(role, name), next: ph.next() };
};
