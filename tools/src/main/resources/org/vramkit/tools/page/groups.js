"use strict";
// Divides allocations into a few coloured groups: by tag, stream, size or thread.
const Groups = (() => {
  const MOST = 12;
  const COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#edc948", "#9c755f",
    "#2f4b7c", "#d37295", "#a0cbe8", "#8cd17d"];
  const OTHER = "#a7adb4";
  const SIZES = [[4096, "below 4 KiB"], [65536, "4 to 64 KiB"], [1 << 20, "64 KiB to 1 MiB"], [1 << 22, "1 to 4 MiB"],
    [1 << 24, "4 to 16 MiB"], [1 << 26, "16 to 64 MiB"], [1 << 28, "64 to 256 MiB"], [1 << 30, "256 MiB to 1 GiB"],
    [Infinity, "1 GiB and more"]];

  function sizeClass(bytes) {
    return SIZES.findIndex(each => bytes < each[0]);
  }

  // Returns an allocation's group, before small groups are merged.
  function namer(r, by) {
    if (by === "tag") return i => r.tags[r.tagOf[i]] || "no tag";
    if (by === "stream") return i => "stream " + r.streamName(r.streamOf[i]);
    if (by === "thread") return i => "thread " + (r.threads[r.threadOf[i]] || "unknown");
    return i => SIZES[sizeClass(r.sizes[i])][1];
  }

  // Returns {names, colours, of: for each recording, the group of each allocation}.
  function make(recordings, by) {
    const most = new Map();
    const own = recordings.map(r => ownGroups(r, namer(r, by), most));
    let names = [...most.keys()];
    names.sort((a, b) => most.get(b) - most.get(a));
    const few = names.length > MOST ? names.slice(0, MOST - 1) : names;
    if (by === "size") few.sort((a, b) => order(a) - order(b));
    if (by === "stream") few.sort((a, b) => a.localeCompare(b, "en", {numeric: true}));
    const other = few.length;
    const isCut = few.length < names.length;
    const numbers = new Map(few.map((name, i) => [name, i]));
    const of = own.map(each => {
      const group = each.names.map(name => numbers.has(name) ? numbers.get(name) : other);
      return each.of.map(i => group[i]);
    });
    const colours = few.map((name, i) => COLOURS[i % COLOURS.length]);
    if (isCut) {
      few.push((names.length - few.length) + " others");
      colours.push(OTHER);
    }
    return {by, names: few, colours, of};
  }

  function order(name) {
    return SIZES.findIndex(each => each[1] === name);
  }

  // Numbers the groups of one recording and computes each group's peak.
  function ownGroups(r, nameOf, most) {
    const numbers = new Map();
    const names = [];
    const of = new Int32Array(r.allocations);
    for (let i = 0; i < r.allocations; i++) {
      const name = nameOf(i);
      let number = numbers.get(name);
      if (number === undefined) {
        numbers.set(name, number = names.length);
        names.push(name);
      }
      of[i] = number;
    }
    const live = new Float64Array(names.length);
    const top = new Float64Array(names.length);
    for (let i = 0; i < r.before; i++) live[of[i]] += r.sizes[i];
    top.set(live);
    for (let i = 0; i < r.events; i++) {
      const what = r.what[i];
      if (what < 0) {
        live[of[~what]] -= r.sizes[~what];
      } else {
        const group = of[what];
        live[group] += r.sizes[what];
        if (live[group] > top[group]) top[group] = live[group];
      }
    }
    names.forEach((name, i) => most.set(name, Math.max(most.get(name) || 0, top[i])));
    return {names, of};
  }

  return {make, sizeClass, sizeName: bytes => SIZES[sizeClass(bytes)][1]};
})();
