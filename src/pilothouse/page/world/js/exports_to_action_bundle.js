// What the action bundle uses of the snapshot bundle. Constants and functions only: each bundle has a copy, so a
// variable that changes would differ between them. imports_from_snapshot_bundle.js is the other side.

export { arm, armAround, focusText, hidesIn, watchEffects } from "./action_guard_and_effects.js";
export {
  above, activeElement, areaPoints, asked, checkedHosts, comesBack, deepHit, frameNumber, freePoint,
  identity, isForm, isFrame, isShown, labelText, lands, masked, numberOf, numbered, pane, pointsOf, rootOf,
  says, scrolledOut, scrolls, spokenRole, suspect, tagged, upcomingNumber, within,
} from "./refs_and_hit_tests.js";
export { WANTS_NAMES } from "./certain_names_and_roles.js";
export { SKIPPED } from "./tag_and_role_groups.js";
export { isDisabled } from "./element_states_and_value.js";
export { ACTED_ON, customHost } from "./interactive_elements_and_hosts.js";
export { FAINT, covered, dim, unreadable, veiled } from "./invisible_text.js";
export { beginNames, nameOf, roleOf, styleOf } from "./names.js";
export { clip, isBlank, space, tidy } from "./text_normalization.js";
export { USED_ALL, USED_FADE, meetDocument, meetRoot, usedNow } from "./used_css_properties.js";
