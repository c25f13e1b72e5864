// Extraction: addresses, the tags of a copy, the frames of an article, the lines that the writer makes
// (extraction_tag_groups.js, extract_article.js, extract_text_writer.js in page/world/js).

import "./page_globals.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const SCRIPTS = "../../src/pilothouse/page/world/js";
const { address } = await import(`${SCRIPTS}/extraction_tag_groups.js`);
const { copiedTag, leading } = await import(`${SCRIPTS}/extract_article.js`);
const { Reader } = await import(`${SCRIPTS}/extract_text_writer.js`);

test("only addresses that lead somewhere are shown, and nothing in them ends a link early", () => {
  assert.equal(address("https://a.test/x", ""), "https://a.test/x");
  assert.equal(address("javascript:void(0)", ""), "");
  assert.equal(address("data:text/html,x", ""), "");
  assert.equal(address("https://a.test/x (1)\t", ""), "https://a.test/x%20%281%29%09");
});

test("a link within the page is its fragment", () => {
  assert.equal(address("https://a.test/x#part", "https://a.test/x"), "#part");
  assert.equal(address("https://a.test/xy#part", "https://a.test/x"), "https://a.test/xy#part");
});

test("a copy has only plain tags", () => {
  assert.equal(copiedTag("h2", { display: "block" }), "h2");
  assert.equal(copiedTag("body", { display: "block" }), "div");
  assert.equal(copiedTag("form", { display: "block" }), "div");
  assert.equal(copiedTag("my-word", { display: "inline-block" }), "span");
  assert.equal(copiedTag("my-box", { display: "grid" }), "div");
});

test("the frames that lead to a document are found through every level", () => {
  const inner = { ":7": { key: "outer" }, "outer:3": { key: "middle" }, "middle:1": { key: "deep" }, ":9": { key: "other" } };
  assert.deepEqual(leading(inner, ["deep"]), [7]);
  assert.deepEqual(leading(inner, ["deep", "middle", "other"]), [7, 9]);
  assert.deepEqual(leading(inner, ["unknown"]), []);
});

/** Write with a reader, and return its text. */
function written(work, options = {}) {
  const reader = new Reader(options);
  work(reader);
  return reader.done();
}

test("white space is joined, and lines end where a block ends", () => {
  assert.equal(written((reader) => {
    reader.say("one  \n two ");
    reader.say(" three");
    reader.flush();
    reader.say("four");
  }), "one two three\nfour");
});

test("a gap is one empty line, however often it is asked for", () => {
  assert.equal(written((reader) => {
    reader.gap();
    reader.say("one");
    reader.gap();
    reader.gap();
    reader.say("two");
  }), "one\n\ntwo");
});

test("the lines of a list item stand under its text", () => {
  assert.equal(written((reader) => reader.level("- ", "  ", () => {
    reader.say("first");
    reader.flush();
    reader.say("second");
    reader.level("1. ", "   ", () => reader.say("inner"));
  })), "- first\n  second\n  1. inner");
});

test("quotes have their mark on empty lines, too", () => {
  assert.equal(written((reader) => reader.level("> ", "> ", () => {
    reader.say("one");
    reader.gap();
    reader.say("two");
  })), "> one\n>\n> two");
});

test("a text kept aside does not reach the line", () => {
  assert.equal(written((reader) => {
    reader.say("before ");
    assert.equal(reader.aside(() => reader.say(" cell ")), "cell");
    reader.say("after");
  }), "before after");
});

test("preformatted lines stay as they are", () => {
  assert.equal(written((reader) => {
    reader.say("text");
    reader.verbatim("a  b\n\n  c");
  }), "text\n\na  b\n\n  c");
});
