// What Python calls in the action bundle, as `ph.<name>`.

export { dragEnd, dragState, dragWatch, fileInput, filesGiven, takes } from "./drag_and_file_inputs.js";
export { copyAsJson as copied, extractArticle as article, extractText as extract, writeMarked } from "./extract.js";
export { focusedFacts as focused, heldElement as element, heldFacts as held, insertHere, prepareField as prepare, submitterOf as submitter, takeFocus } from "./form_fields.js";
export { listImages as images } from "./images.js";
export { inspectElement as inspect } from "./element_facts.js";
export { pixelDensity as density } from "./pixel_density.js";
export { boxOfElement as box, originOfFrame as frameOrigin, probeTarget as probe, scrolledBy as scrolled } from "./click_point.js";
export { countElements as count, nearCandidates as candidates } from "./query.js";
export { scrollByPixels as scrollBy, scrollEdge, scrollIntoView, scrollPointOf as scrollPoint, scrollStart, scrollState } from "./scroll.js";
export { chooseOptions as choose, chosenOptions as chosen, listChoices as choices } from "./select_options.js";
export { useStorage as storage } from "./storage.js";
export { countMatches, hasText, stillFor } from "./wait_conditions.js";
