// Reports `print()` and permission requests to the supervisor: no user sits in front of this
// browser, and CDP reports neither.
// `print()` is reported and not run: its window blocks the page, and CDP cannot close it. A request
// for a permission that is not granted is reported, and the page gets Chrome's own denial. The
// binding used for reports is deleted, so that the page cannot see it.
/** @param {string} NAME @param {Record<string, string[]>} PERMISSION_FUNCTIONS */
(NAME, PERMISSION_FUNCTIONS) => {
  const { Proxy, Object, Reflect, JSON, Promise } = globalThis;
  /** @type {Record<string, any>} */
  const page = globalThis;
  const tell = page[NAME];
  if (typeof tell !== "function") return;
  delete page[NAME];

  /** @param {object | undefined} holder @param {string} name @param {NonNullable<ProxyHandler<Function>["apply"]>} apply */
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
  // One `getUserMedia` call may ask for camera, microphone or both.
  /** @type {Record<string, (args: any[]) => unknown>} */
  const WANTED = { camera: (args) => args[0]?.video, microphone: (args) => args[0]?.audio };

  /** @param {string} permission */
  const report = (permission) => {
    const found = Reflect.apply(query, Reflect.apply(/** @type {() => unknown} */ (get), globalThis.navigator, []), [{ name: permission }]);
    /** @param {string} state */
    const told = (state) =>
      tell(JSON.stringify({ permission, origin: globalThis.location.origin, state }));
    // Report at once, so that the next look at the page knows that a decision is pending.
    told("asked");
    Reflect.apply(then, found, [({ state }) => told(state), () => told("unknown")]);
  };

  if (!query || !get) return;
  for (const [permission, paths] of Object.entries(PERMISSION_FUNCTIONS)) {
    for (const path of paths) {
      const parts = path.split(".");
      const name = /** @type {string} */ (parts.pop());
      const holder = parts.reduce((at, part) => at?.[part], page);
      wrap(holder, name, (target, self, args) => {
        if (!WANTED[permission] || WANTED[permission](args)) report(permission);
        return Reflect.apply(target, self, args);
      });
    }
  }
}
