// The snapshot bundle's functions and constants, for the modules of the action bundle. A document has the
// snapshot bundle first; importing its modules again would give this bundle a second state.

export const {
  above, ACTED_ON, activeElement, areaPoints, arm, armAround, asked, beginNames, checkedHosts, clip,
  comesBack, covered, customHost, deepHit, dim, FAINT, focusText, frameNumber, freePoint, hidesIn,
  identity, isBlank, isDisabled, isForm, isFrame, isShown, labelText, lands, masked, meetDocument,
  meetRoot, nameOf, numbered, numberOf, pane, pointsOf, roleOf, rootOf, says, scrolledOut, scrolls,
  SKIPPED, space, spokenRole, styleOf, suspect, tagged, tidy, unreadable, upcomingNumber, USED_ALL,
  USED_FADE, usedNow, veiled, WANTS_NAMES, watchEffects, within,
} = globalThis.ph.shared;
