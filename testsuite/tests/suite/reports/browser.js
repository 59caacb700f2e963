// What the tests of pages do in the browser, and what they look at.
"use strict";

/** Runs a test and leaves what it gives, with all that went wrong, where the DOM's text has it. */
function driven(test) {
  let value = null;
  try {
    value = test();
  } catch (why) {
    (window.wrong ??= []).push(String(why));
  }
  document.documentElement.dataset.driven = JSON.stringify({ value, wrong: window.wrong ?? [] });
}

const list = (selector, within = document) => [...within.querySelectorAll(selector)];
const texts = (selector) => list(selector).map((element) => element.textContent);

/** What is selected in the first finding, and where the focus is. */
function selection() {
  const first = document.querySelector(".finding") ?? document.createElement("p");
  return {
    event: list(".event[aria-current]", first).map((event) => event.parentElement.id),
    line: list(".code [aria-current] code", first).map((line) => line.textContent),
    locks: list(".locks li", first).map((lock) => lock.textContent),
    focus: document.activeElement.closest("li")?.id ?? null,
  };
}

/** A key, to where the focus is. */
function press(key, modifiers = {}) {
  const options = { key, bubbles: true, cancelable: true, ...modifiers };
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", options));
  return selection();
}

function click(selector) {
  document.querySelector(`${selector} a`).click();
  return selection();
}

const repeat = (times, act) => Array.from({ length: times }, act);
const related = () => list(".edge.related, .tip.related").map(({ dataset }) => `${dataset.from} ${dataset.to}`);

/** Whether the selected event and the beginning of its line are in their panes and in the window. */
function seen() {
  const [width, height] = [innerWidth, innerHeight];
  const isIn = (inner, outer) =>
    inner.top >= outer.top && inner.left >= outer.left && inner.bottom <= outer.bottom && inner.right <= outer.right;
  return [[".event[aria-current]", ".timeline"], [".code [aria-current] .number", ".source"]].map(([selector, pane]) => {
    const element = document.querySelector(selector);
    const box = element.getBoundingClientRect();
    const around = element.closest(pane).getBoundingClientRect();
    return isIn(box, around) && isIn(box, { top: 0, left: 0, right: width, bottom: height });
  });
}

/** Pairs of boxes that cover one another. */
function overlaps() {
  const boxes = list(".event").map((event) => [event.textContent, event.getBoundingClientRect()]);
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const found = [];
  boxes.forEach(([text, box], at) => {
    for (const [other, next] of boxes.slice(at + 1)) if (meet(box, next)) found.push([text, other]);
  });
  return found;
}

/** Boxes whose text does not fit into them. */
function cut() {
  const isCut = (element) => element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth;
  return list(".event, .event > span").filter(isCut).map((element) => element.textContent);
}

/** Arrows that do not begin and end at the sides of their boxes. */
function astray() {
  const arrows = list(".edge");
  const isAt = (path, length, event) => {
    const point = path.getPointAtLength(length).matrixTransform(path.getScreenCTM());
    const box = document.querySelector(`#f1-e${event} a`).getBoundingClientRect();
    const away = Math.min(Math.abs(point.x - box.left), Math.abs(point.x - box.right));
    return away < 2 && point.y > box.top && point.y < box.bottom;
  };
  const wrong = arrows.filter((arrow) => {
    return !isAt(arrow, 0, arrow.dataset.from) || !isAt(arrow, arrow.getTotalLength(), arrow.dataset.to);
  });
  // The head of each arrow is at the side of its box, too.
  const isTip = (tip) => {
    const [at, box] = [tip, document.querySelector(`#f1-e${tip.dataset.to} a`)].map((it) => it.getBoundingClientRect());
    return Math.min(Math.abs(at.x - box.left), Math.abs(at.x - box.right)) < 2 && at.y > box.top && at.y < box.bottom;
  };
  wrong.push(...list(".tip[data-to]").filter((tip) => !isTip(tip)));
  const ends = ({ dataset }) => `${dataset.from} ${dataset.to}`;
  return { arrows: arrows.length, tips: list(".tip[data-to]").length, wrong: wrong.map(ends) };
}

/** Relative luminance of `rgb(…)` (WCAG 2.2). */
function luminance(colour) {
  const [red, green, blue] = colour.match(/[\d.]+/g).map((part) => {
    const value = Number(part) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Texts whose contrast to what is behind them is less than 4.5 to 1. */
function contrast() {
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/^rgba\(.* 0\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const isLow = (element) => {
    const style = getComputedStyle(element);
    const own = luminance(element.closest("svg") ? style.fill : style.color);
    const [low, high] = [own, luminance(behind(element))].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05) < 4.5;
  };
  const shown = list("body *").filter((element) => !element.matches("script, style") && hasText(element));
  return shown.filter(isLow).map((element) => element.textContent);
}
