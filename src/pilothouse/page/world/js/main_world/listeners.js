// Runs in the page's main world with the command line API's `getEventListeners`: which plain elements have
// pointer listeners. The list is the same as that of `mark` in js/plain_elements.js, element by element.
(() => {
  const listen = getEventListeners;
  const plain = __PLAIN__;
  let found = "";
  let index = 0;
  const visit = (root) => {
    for (const element of root.querySelectorAll("*")) {
      const tag = element.localName;
      if (!plain.test(tag) || (tag === "a" && element.hasAttribute("href"))) continue;
      if (index >= __MOST__) break;
      const heard = listen(element);
      for (const type in heard) {
        if (
          type === "click" ||
          type === "mousedown" ||
          type === "mouseup" ||
          type === "pointerdown" ||
          type === "pointerup" ||
          type === "touchstart" ||
          type === "touchend" ||
          type === "dblclick"
        ) {
          found += index + ",";
          break;
        }
      }
      index++;
      if (element.shadowRoot) visit(element.shadowRoot);
    }
  };
  visit(document);
  return found;
})()
