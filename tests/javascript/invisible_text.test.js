// What hides text: page/world/js/invisible_text.js.

import "./page_globals.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { alphaOf, BLENDS, channels, clippedAway, cutAway, maskedAway } = await import(
  "../../src/pilothouse/page/world/js/invisible_text.js"
);
const BOX = { width: 100, height: 40 };

test("the alpha of a colour is read in every notation", () => {
  for (const [color, alpha] of [
    ["rgb(1, 2, 3)", 1], ["rgba(1, 2, 3, 0.04)", 0.04], ["rgba(0, 0, 0, 0)", 0],
    ["color(srgb 1 0 0 / 0.5)", 0.5], ["lab(50 1 2 / 5%)", 0.05], ["oklch(0.5 0.1 20)", 1],
  ]) assert.equal(alphaOf(color), alpha, color);
});

test("the channels of a colour are read, and unknown notations have none", () => {
  assert.deepEqual(channels("rgb(255, 0, 7)"), [255, 0, 7]);
  assert.deepEqual(channels("rgba(1, 2, 3, 0.5)"), [1, 2, 3]);
  assert.equal(channels("lab(50 1 2)"), null);
});

test("a clip-path that leaves nothing of the box hides it", () => {
  for (const path of [
    "circle(0px at 50% 50%)", "ellipse(50% 0%)", "inset(50%)", "inset(0px 50px)", "inset(20px 0px)",
    "polygon(0px 0px, 0px 0px, 0px 0px)", "polygon(0% 0%, 100% 0%)", "rect(0px 0px 0px 0px)",
    "xywh(0px 0px 0px 10px)",
  ]) assert.equal(clippedAway(path, BOX), true, path);
});

test("a clip-path that leaves something does not", () => {
  for (const path of [
    "circle(50% at 50% 50%)", "ellipse(50% 50%)", "inset(10px)", "inset(0px 49px)", "inset(5% round 3px)",
    "polygon(0% 0%, 100% 0%, 100% 100%)", "rect(0px 100px 40px 0px)", "xywh(0px 0px 10px 10px)",
    "path(\"M 0 0\")", "url(\"#missing\")", "none",
  ]) assert.equal(clippedAway(path, BOX), false, path);
});

test("the deprecated clip hides only what is out of the flow", () => {
  const clip = "rect(0px, 0px, 0px, 0px)";
  assert.equal(cutAway({ clip, position: "absolute" }), true);
  assert.equal(cutAway({ clip, position: "static" }), false);
  assert.equal(cutAway({ clip: "rect(0px, 10px, 10px, 0px)", position: "fixed" }), false);
  assert.equal(cutAway({ clip: "auto", position: "absolute" }), false);
});

test("a mask hides if it has no size or is transparent throughout", () => {
  const clear = "linear-gradient(rgba(0, 0, 0, 0), rgba(0, 0, 0, 0.01))";
  assert.equal(maskedAway({ maskImage: clear, maskSize: "auto" }), true);
  assert.equal(maskedAway({ maskImage: "linear-gradient(rgb(0, 0, 0), rgba(0, 0, 0, 0))", maskSize: "auto" }), false);
  assert.equal(maskedAway({ maskImage: "url(x.png)", maskSize: "0px 0px" }), true);
  assert.equal(maskedAway({ maskImage: "none", maskSize: "0px" }), false);
});

test("every blend of two channels is a channel", () => {
  for (const [name, blend] of Object.entries(BLENDS))
    for (let ink = 0; ink <= 255; ink += 15)
      for (let paper = 0; paper <= 255; paper += 15) {
        const value = blend(ink, paper);
        assert.ok(value >= 0 && value <= 255, `${name} of ${ink} on ${paper} is ${value}`);
      }
  assert.equal(BLENDS.multiply(0, 200), 0);
  assert.equal(BLENDS.screen(255, 0), 255);
  assert.equal(BLENDS.difference(90, 90), 0);
});
