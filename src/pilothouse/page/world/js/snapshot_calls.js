// What Python calls in the snapshot bundle, as `ph.<name>`.

export { changedNow as changed, collectEffects as effects, disarm, isGripped as gripped, watchEffects as watch } from "./action_effects.js";
export { adoptClosedRoot as adopt, frameNumber, numberFor, resumeWorld as again, suspectAt as suspect, upcomingNumber as next } from "./base.js";
export { callAlone as alone } from "./certain_names.js";
export { walkDocument as walk } from "./document_walk.js";
export { beginNames, nameOf, ownName, roleOf, rolesAndNames as everything } from "./names.js";
export { isMarkUnchanged as marked, markPlain as mark } from "./plain_elements.js";
export { ownRole } from "./roles.js";
