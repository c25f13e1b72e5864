// The modules of a bundle import each other in circles, and esbuild makes `var` of each `const`: what a module
// reads while it is evaluated must be set already.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const require = createRequire(new URL("../../scripts/javascript/package.json", import.meta.url));
const { build } = require("esbuild");
const { analyze } = require("eslint-scope");
const { parse } = require("espree");
const SOURCES = fileURLToPath(new URL("../../src/pilothouse/page/world/js", import.meta.url));

function readTooEarly(source) {
  const options = { ecmaVersion: 2024, sourceType: "module", range: true };
  const [top] = analyze(parse(source, options), options).globalScope.childScopes;
  const isDeferred = (scope) => scope !== top && (scope.type === "function" || isDeferred(scope.upper));
  return top.variables.filter(({ defs: [definition], references }) =>
    definition.type !== "FunctionName" && references.some(({ from, identifier, init }) =>
      !init && !isDeferred(from) && identifier.range[0] < definition.node.range[0]),
  ).map(({ name }) => name);
}

for (const entry of ["snapshot_bundle.js", "action_bundle.js"]) {
  test(`${entry} reads no value before it is set`, async () => {
    const { outputFiles } = await build({
      absWorkingDir: SOURCES, bundle: true, entryPoints: [entry], format: "esm", write: false,
    });
    assert.deepEqual(readTooEarly(outputFiles[0].text), []);
  });
}

test("a value that is read too early is found", () => {
  assert.deepEqual(readTooEarly("var a = b + 1; var b = 2; const f = () => c; var c = a;"), ["b"]);
});
