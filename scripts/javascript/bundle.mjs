// Combines the page scripts (src/pilothouse/page/world/js) into bundles, with esbuild:
//
//     node bundle.mjs OUTPUT_FOLDER
//
// A page has no network, so a bundle imports nothing. `python -m scripts.bundle_page_scripts` runs this.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SOURCES = fileURLToPath(new URL("../../src/pilothouse/page/world/js", import.meta.url));
const OPTIONS = {
  absWorkingDir: SOURCES,
  bundle: true,
  charset: "utf8",
  format: "iife",
  legalComments: "none",
  minify: true,
  // Short lines keep the differences of commits readable.
  lineLimit: 120,
  target: "chrome120",
  write: false,
};

/** Bundle an entry; `options` are esbuild's. */
async function bundle(options) {
  const { outputFiles } = await build({ ...OPTIONS, ...options });
  return outputFiles[0].text.trim();
}

/** A world that has the bundle already must not run it again: its numbers would begin anew. */
const snapshot = () =>
  bundle({ entryPoints: ["snapshot_bundle.js"], banner: { js: "if(!globalThis.ph)" } });

const action = () => bundle({ entryPoints: ["action_bundle.js"] });

/** A module as one function expression: its default export, with all that it imports inside. */
function functionOf(module) {
  const contents = `import run from "./${module}"; exported = run;`;
  return bundle({
    stdin: { contents, resolveDir: SOURCES },
    banner: { js: "function(...given){let exported;" },
    footer: { js: "return exported(...given)}" },
  });
}

/** The names that a module exports. */
async function exportsOf(module) {
  const { metafile } = await build({
    ...OPTIONS, entryPoints: [module], format: "esm", metafile: true, outdir: "/",
  });
  return Object.values(metafile.outputs)[0].exports.sort();
}

const [folder] = process.argv.slice(2);
const [snapshotCalls, actionCalls] = await Promise.all([
  exportsOf("snapshot_calls.js"), exportsOf("action_calls.js"),
]);
const files = {
  "snapshot.js": await snapshot(),
  "action.js": await action(),
  "listeners.js": await functionOf("main_world/pointer_listeners.js"),
  "read_value.js": await functionOf("main_world/value_to_json.js"),
  "storage.js": await functionOf("main_world/hidden_page_storage.js"),
  "calls.json": JSON.stringify({ snapshot: snapshotCalls, action: actionCalls }, null, 1),
};
await mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text + "\n");
