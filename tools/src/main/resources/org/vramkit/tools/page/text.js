"use strict";
// Formats numbers and creates elements; text from files is never interpreted as markup.
const Text = (() => {
  function bytes(value) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let unit = 0;
    let shown = Math.abs(value);
    while (shown >= 1024 && unit < units.length - 1) {
      shown /= 1024;
      unit++;
    }
    return (value < 0 ? "-" : "") + (unit === 0 ? shown : shown.toFixed(2)) + " " + units[unit];
  }

  // Formats labels of axes without insignificant digits.
  function shortBytes(value) {
    return value === 0 ? "0" : bytes(value).replace(/\.00 |(\.\d)0 /, "$1 ");
  }

  // Returns a round step, in powers of 1024 bytes, of which count steps reach top.
  function step(top, count) {
    const unit = 1024 ** Math.max(0, Math.floor(Math.log2(Math.max(1, top)) / 10));
    const raw = Math.max(1e-3, top / unit / count);
    const power = 10 ** Math.floor(Math.log10(raw));
    const digit = [1, 2, 2.5, 5, 10].find(each => each * power >= raw);
    return Math.max(1, digit * power * unit);
  }

  function time(nanos) {
    if (nanos < 1e3) return nanos.toFixed(0) + " ns";
    if (nanos < 1e6) return (nanos / 1e3).toFixed(nanos < 1e5 ? 1 : 0) + " us";
    if (nanos < 1e9) return (nanos / 1e6).toFixed(3) + " ms";
    if (nanos < 120e9) return (nanos / 1e9).toFixed(6) + " s";
    return Math.floor(nanos / 60e9) + " min " + ((nanos % 60e9) / 1e9).toFixed(3) + " s";
  }

  function count(value) {
    return value.toLocaleString("en-US");
  }

  function hex(address) {
    return "0x" + (address < 0 ? BigInt.asUintN(64, BigInt(address)) : address).toString(16);
  }

  // Strings among the children become text nodes.
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "onclick") made.addEventListener("click", value);
      else if (value !== null && value !== undefined) made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  }

  function swatch(colour) {
    const made = element("span", {class: "swatch"});
    made.style.background = colour;
    return made;
  }

  // Creates a table. Columns: [title, left-aligned]; rows: arrays of strings or elements.
  function table(columns, rows) {
    const cell = (name, column, child) => element(name, {class: columns[column][1] ? "text" : null}, child);
    return element("table", {},
      element("thead", {}, element("tr", {}, ...columns.map((column, i) => cell("th", i, column[0])))),
      element("tbody", {}, ...rows.map(row => element("tr", {}, ...row.map((child, i) => cell("td", i, child))))));
  }

  // Creates a selection; calls change(value) when the user selects a value.
  function choice(label, values, chosen, change) {
    const buttons = values.map(([value, text]) =>
      element("button", {type: "button", "data-value": value, "aria-pressed": String(value === chosen)}, text));
    for (const button of buttons) {
      button.addEventListener("click", () => {
        buttons.forEach(each => each.setAttribute("aria-pressed", String(each === button)));
        change(button.dataset.value);
      });
    }
    return element("span", {class: "choice", role: "group", "aria-label": label}, label,
      element("span", {class: "buttons"}, ...buttons));
  }

  function css(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  return {bytes, shortBytes, step, time, count, hex, element, swatch, table, choice, css};
})();
