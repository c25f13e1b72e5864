// What Python calls in the snapshot bundle, as `ph.<name>`.

export { changedNow as changed, collectEffects as effects, disarm, isGripped as gripped, watchEffects as watch } from "./action_guard_and_effects.js";
export { adoptClosedRoot as adopt, frameNumber, numberFor, resumeWorld as again, suspectAt as suspect, upcomingNumber as next } from "./refs_and_hit_tests.js";
export { callAlone as alone } from "./certain_names_and_roles.js";
export { walkDocument as walk } from "./walk_cache.js";
export { beginNames, nameOf, ownName, roleOf, rolesAndNames as everything } from "./names.js";
export { isMarkUnchanged as marked, markPlain as mark } from "./pointer_listener_candidates.js";
export { ownRole } from "./roles.js";
