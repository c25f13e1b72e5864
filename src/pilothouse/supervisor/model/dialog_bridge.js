// Dialogs of this document wait for the supervisor instead of for a person.
//
// MODE "xhr": a synchronous request to HOST, which the supervisor stops and answers.
// MODE "debugger": a `debugger` statement, at which the supervisor reads and answers.
// When nobody listens, either comes back at once and the browser's own dialog is shown. When
// someone listened and is gone, the page gets what a dismissed dialog gives: by then nobody
// could answer a native one.
((MODE, HOST) => {
  const { Proxy, Reflect, Date, Math, JSON, String, Object, XMLHttpRequest } = globalThis;
  // A refusal by policy takes no time, but busy machines need some for nothing: a dialog that is
  // swallowed would be worse than a native one after a drop in this very moment.
  const AT_ONCE_MS = 300;
  let calls = 0;

  const byRequest = (question) => {
    try {
      const request = new XMLHttpRequest();
      request.open("POST", HOST, false);
      request.send(JSON.stringify(question));
      return request.status === 200 ? JSON.parse(request.responseText) : null;
    } catch {
      return null; // refused by policy, or the connection went: the clock tells which
    }
  };

  const byDebugger = (__pilothouse_question) => {
    let __pilothouse_answer = null;
    debugger;
    return __pilothouse_answer;
  };

  const ask = MODE === "xhr" ? byRequest : byDebugger;

  const bridge = (type, dismissed, value) => {
    const native = globalThis[type];
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, type);
    if (typeof native !== "function" || !descriptor || !descriptor.configurable) return;
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
})("__MODE__", "__HOST__");
//# sourceURL=__pilothouse_dialogs__
