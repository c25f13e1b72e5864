// Texts of pages: page/world/js/text_normalization.js.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clean, clip, collapse, isBlank, squeeze, tidy } from "../../src/pilothouse/page/world/js/text_normalization.js";

test("tidy removes characters that people cannot see and joins white space", () => {
  assert.equal(tidy("  Save\n\t all "), "Save all");
  assert.equal(tidy("pay\u200b\u202eme"), "payme");
  assert.equal(tidy("a\u{e0041}b"), "ab");
  assert.equal(tidy("plain words"), "plain words");
});

test("tidy keeps letters of every script and emoji", () => {
  assert.equal(tidy("naïve Größe 日本 👍"), "naïve Größe 日本 👍");
});

test("clip shortens to the given length, the ellipsis included", () => {
  assert.equal(clip("abcdef", 4), "abc…");
  assert.equal(clip("abcd", 4), "abcd");
});

test("clean keeps a text in its column and line", () => {
  assert.equal(clean("a\tb\nc\rd"), "a b c d");
});

test("squeeze drops white space of HTML only, not a no-break space", () => {
  assert.equal(squeeze(" a \n b "), "a b");
  assert.equal(squeeze("\u00a0a"), "\u00a0a");
  assert.equal(collapse(" a"), " a");
});

test("a no-break space is not blank", () => {
  assert.equal(isBlank(" \n\t"), true);
  assert.equal(isBlank("\u00a0"), false);
});
