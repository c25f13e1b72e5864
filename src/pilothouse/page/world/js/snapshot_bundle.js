// Entry of the snapshot bundle, which is sent to every frame.

import * as calls from "./snapshot_calls.js";
import * as shared from "./snapshot_shared.js";
import "./warm_up.js";

globalThis.ph = { ...calls, shared: { ...shared } };
