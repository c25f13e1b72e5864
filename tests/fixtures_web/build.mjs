// Bundles each page of this folder into one script: node build.mjs PACKAGES OUT
//
// PACKAGES is the folder in which package.json was installed, OUT takes NAME.js for each page.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [packages, out] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const esbuild = require("esbuild");
const { compile } = require("svelte/compiler");

const svelte = {
  name: "svelte",
  setup(build) {
    build.onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js } = compile(await readFile(path, "utf8"), { filename: path, generate: "client", css: "injected" });
      return { contents: js.code, loader: "js" };
    });
  },
};

// The same page on two versions of React.
const react18 = { react: "react-18", "react-dom": "react-dom-18" };
const pages = {
  react: { entry: "react_form.jsx" },
  react18: { entry: "react_form.jsx", alias: react18 },
  vue: { entry: "vue_form.js" },
  svelte: { entry: "svelte_form.js" },
  prosemirror: { entry: "prosemirror_editor.js" },
  lexical: { entry: "lexical_editor.js" },
  comboboxes: { entry: "comboboxes.jsx" },
  botd: { entry: "botd.js" },
};

await Promise.all(
  Object.entries(pages).map(([name, { entry, alias }]) =>
    esbuild.build({
      entryPoints: [join(here, entry)],
      outfile: join(out, `${name}.js`),
      bundle: true,
      minify: true,
      format: "iife",
      target: "es2022",
      jsx: "automatic",
      nodePaths: [join(packages, "node_modules")],
      conditions: ["browser", "production"],
      define: {
        "process.env.NODE_ENV": '"production"',
        __VUE_OPTIONS_API__: "true",
        __VUE_PROD_DEVTOOLS__: "false",
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
      },
      alias,
      plugins: [svelte],
      logLevel: "warning",
    }),
  ),
);
