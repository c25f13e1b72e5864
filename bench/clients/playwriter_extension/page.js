// Stands in for playwriter's extension: its wire on one side, chrome.debugger on the other.
//
// Knows: that its relay sends `forwardCDPCommand` and takes `forwardCDPEvent`, and that it lets in
// who has its extension's Origin. Nothing is judged, logged or shown here: an extension that does
// its work has more to do, so whoever is compared with this is not favoured.

const { relay: address, origin } = await (await fetch('where.json')).json();
await chrome.declarativeNetRequest.updateSessionRules({
  removeRuleIds: [1],
  addRules: [{
    id: 1,
    action: {
      type: 'modifyHeaders',
      requestHeaders: [{ header: 'Origin', operation: 'set', value: origin }],
    },
    condition: { resourceTypes: ['websocket'] },
  }],
});

const tabs = new Map(); // session -> tab
const sessions = new Map(); // tab -> session
const relay = new WebSocket(address);
const say = (message) => relay.send(JSON.stringify(message));
const tell = (method, params, sessionId) =>
  say({ method: 'forwardCDPEvent', params: { method, params, sessionId } });

relay.onmessage = ({ data }) => {
  const { id, method, params } = JSON.parse(data);
  if (method === 'ping') say({ method: 'pong' });
  else if (method === 'forwardCDPCommand') {
    carryOut(params).then(
      (result) => say({ id, result }),
      (error) => say({ id, error: error.message }),
    );
  }
};

chrome.debugger.onEvent.addListener(({ tabId, sessionId }, method, params) => {
  tell(method, params, sessionId ?? sessions.get(tabId));
});

async function carryOut({ method, params, sessionId }) {
  if (method === 'Target.createTarget') return open(params.url || 'about:blank');
  if (method === 'Target.closeTarget') return {};
  return chrome.debugger.sendCommand({ tabId: tabs.get(sessionId) }, method, params);
}

// A tab, in a window of its own so that it is drawn; told of before it is answered.
async function open(url) {
  const { tabs: [{ id: tabId }] } = await chrome.windows.create({ url });
  await chrome.debugger.attach({ tabId }, '1.3');
  const { targetInfo } = await chrome.debugger.sendCommand({ tabId }, 'Target.getTargetInfo');
  const sessionId = `pw-tab-${tabId}`;
  tabs.set(sessionId, tabId);
  sessions.set(tabId, sessionId);
  tell('Target.attachedToTarget', {
    sessionId,
    targetInfo: { ...targetInfo, attached: true },
    waitingForDebugger: false,
  });
  return { targetId: targetInfo.targetId };
}
