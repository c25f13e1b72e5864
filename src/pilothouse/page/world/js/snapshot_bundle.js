// Entry of the snapshot bundle, which is sent to every frame.

import * as calls from "./snapshot_calls.js";
import * as shared from "./exports_to_action_bundle.js";
import "./warm_up.js";

globalThis.ph = { ...calls, shared: { ...shared } };
