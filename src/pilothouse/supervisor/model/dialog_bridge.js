// Makes the dialogs of this document wait for the supervisor instead of for a user.
//
// MODE "xhr": a synchronous request to HOST, which the supervisor pauses and fulfils.
// MODE "debugger": a `debugger` statement, at which the supervisor reads and answers.
// Without a supervisor either returns at once, and the script shows the native dialog. If the
// supervisor went away while the page waited, the page gets the value of a dismissed dialog: nobody
// could answer a native one by then.
/** @param {string} MODE @param {string} HOST */
(MODE, HOST) => {
  const { Proxy, Reflect, Date, Math, JSON, String, Object, XMLHttpRequest } = globalThis;
  // A request that the page's CSP blocks fails at once, but a busy machine still needs some time. The
  // limit is generous: losing a dialog is worse than a native one after a drop at this moment.
  const AT_ONCE_MS = 300;
  let calls = 0;

  /** @param {object} question */
  const byRequest = (question) => {
    try {
      const request = new XMLHttpRequest();
      request.open("POST", HOST, false);
      request.send(JSON.stringify(question));
      return request.status === 200 ? JSON.parse(request.responseText) : null;
    } catch {
      return null; // blocked by policy, or the connection dropped: the elapsed time tells which
    }
  };

  /** @param {object} __pilothouse_question */
  const byDebugger = (__pilothouse_question) => {
    // The supervisor sets it while the script stops below.
    // eslint-disable-next-line prefer-const
    let __pilothouse_answer = null;
    debugger;
    return __pilothouse_answer;
  };

  const ask = MODE === "xhr" ? byRequest : byDebugger;

  /**
   * @param {"alert" | "confirm" | "prompt"} type @param {unknown} dismissed
   * @param {(answer: { accept: boolean, text: string }) => unknown} value
   */
  const bridge = (type, dismissed, value) => {
    const native = globalThis[type];
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, type);
    if (typeof native !== "function" || !descriptor || !descriptor.configurable) return;
    /** @param {Function} target @param {unknown} self @param {unknown[]} args */
    const apply = (target, self, args) => {
      if (self !== undefined && self !== null && self !== globalThis) {
        return Reflect.apply(target, self, args);
      }
      const question = {
        key: `${++calls}.${Math.random()}`,
        type,
        message: args.length ? String(args[0]) : "",
        default: type === "prompt" && args.length > 1 ? String(args[1]) : "",
        url: globalThis.location.href,
      };
      const asked = Date.now();
      const answer = ask(question);
      if (answer) return value(answer);
      return Date.now() - asked < AT_ONCE_MS ? Reflect.apply(target, self, args) : dismissed;
    };
    descriptor.value = new Proxy(native, { apply });
    Object.defineProperty(globalThis, type, descriptor);
  };

  bridge("alert", undefined, () => undefined);
  bridge("confirm", false, (answer) => answer.accept);
  bridge("prompt", null, (answer) => (answer.accept ? answer.text : null));
}
