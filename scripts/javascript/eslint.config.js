// The rules for our JavaScript: those of eslint, and a few that catch what a type checker does not.

import js from "@eslint/js";
import globals from "globals";

const PAGE = "src/pilothouse/page/world/js/**/*.js";
const EXTENSION = "extension/**/*.js";
const DASHBOARD = "src/pilothouse/dashboard/*.js";
const SCRIPTS = ["src/pilothouse/supervisor/**/*.js"];
const NODE = ["scripts/javascript/*.{js,mjs}", "tests/javascript/*.js"];

export default [
  { ignores: ["src/pilothouse/page/world/bundles/", "src/pilothouse/page/world/library/"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024 },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "consistent-return": "off",
      eqeqeq: "error",
      "no-control-regex": "off", // texts of pages have control characters
      "no-empty": ["error", { allowEmptyCatch: false }],
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-shadow": ["error", { builtinGlobals: false, hoist: "functions" }],
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
  { files: [PAGE, EXTENSION, DASHBOARD, ...NODE], languageOptions: { sourceType: "module" } },
  {
    files: [PAGE],
    languageOptions: {
      globals: { ...globals.browser, getEventListeners: "readonly" },
    },
  },
  { files: [DASHBOARD], languageOptions: { globals: globals.browser } },
  {
    files: [EXTENSION],
    languageOptions: { globals: { ...globals.browser, ...globals.webextensions } },
  },
  {
    files: SCRIPTS,
    languageOptions: { sourceType: "script", globals: globals.browser },
    rules: { "no-debugger": "off", "no-unused-vars": "off" }, // a `debugger` statement is how dialogs wait
  },
  { files: NODE, languageOptions: { globals: globals.node } },
];
