// An open-source detector of bots: what it says about the window it runs in, as `verdict()`.
import { load } from "@fingerprintjs/botd";

window.verdict = async () => {
  // Its monitoring would send a request out of this machine.
  const detector = await load({ monitoring: false });
  const said = detector.detect();
  const by = Object.entries(detector.getDetections()).filter(([, found]) => found.bot);
  return { ...said, by: by.map(([name]) => name) };
};

// A popup tells its opener.
if (window.opener) window.verdict().then((said) => window.opener.postMessage(said, "*"));
