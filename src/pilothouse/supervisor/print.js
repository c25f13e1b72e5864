// `print()` opens a window that nobody can close from here, and stops the page behind it: it is
// reported instead. The way to report it is taken out of the page's sight.
((NAME) => {
  const { Proxy, Object } = globalThis;
  const tell = globalThis[NAME];
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, "print");
  if (typeof tell !== "function" || !descriptor || !descriptor.configurable) return;
  delete globalThis[NAME];
  descriptor.value = new Proxy(globalThis.print, { apply: () => tell("print") });
  Object.defineProperty(globalThis, "print", descriptor);
})("__NAME__");
//# sourceURL=__pilothouse_print__
