// Web storage in a page of its own (the hidden page), which has no isolated world.

export { useStorage as default } from "../storage.js";
