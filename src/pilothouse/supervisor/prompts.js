// What a page asks a person for is reported to the supervisor: nobody sits in front of this
// browser, and CDP tells of neither.
// `print()` opens a window that nobody can close from here, and stops the page behind it: it is
// reported instead of done. A permission that is not granted is reported, and the page gets
// Chrome's own refusal. The way to report is taken out of the page's sight.
((NAME, ASKED_BY) => {
  const { Proxy, Object, Reflect, JSON, Promise } = globalThis;
  const tell = globalThis[NAME];
  if (typeof tell !== "function") return;
  delete globalThis[NAME];

  const wrap = (holder, name, apply) => {
    const descriptor = holder && Object.getOwnPropertyDescriptor(holder, name);
    if (!descriptor || !descriptor.configurable || typeof descriptor.value !== "function") return;
    descriptor.value = new Proxy(descriptor.value, { apply });
    Object.defineProperty(holder, name, descriptor);
  };

  wrap(globalThis, "print", () => tell("print"));

  const then = Promise.prototype.then;
  const query = globalThis.Permissions?.prototype.query;
  const { get } = Object.getOwnPropertyDescriptor(globalThis.Navigator.prototype, "permissions") || {};
  // One call may ask for two: a camera and a microphone.
  const WANTED = { camera: (args) => args[0]?.video, microphone: (args) => args[0]?.audio };

  const report = (permission) => {
    const found = Reflect.apply(query, Reflect.apply(get, globalThis.navigator, []), [{ name: permission }]);
    const told = (state) =>
      tell(JSON.stringify({ permission, origin: globalThis.location.origin, state }));
    // At once, so that whoever looks at the page next knows that an answer is under way.
    told("asked");
    Reflect.apply(then, found, [({ state }) => told(state), () => told("unknown")]);
  };

  if (!query || !get) return;
  for (const [permission, paths] of Object.entries(ASKED_BY)) {
    for (const path of paths) {
      const parts = path.split(".");
      const name = parts.pop();
      const holder = parts.reduce((at, part) => at?.[part], globalThis);
      wrap(holder, name, (target, self, args) => {
        if (!WANTED[permission] || WANTED[permission](args)) report(permission);
        return Reflect.apply(target, self, args);
      });
    }
  }
})("__NAME__", __ASKED_BY__);
//# sourceURL=__pilothouse_prompts__
