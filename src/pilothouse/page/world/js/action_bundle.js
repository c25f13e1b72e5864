// Entry of the action bundle, which is sent where one of its functions is first called.

import * as calls from "./action_calls.js";

Object.assign(globalThis.ph, calls);
