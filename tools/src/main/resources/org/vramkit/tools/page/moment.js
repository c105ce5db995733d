"use strict";
// A moment of a recording: the address map, the flame graph, events and blocks.
class Moment {
  static AROUND = 20;
  static LARGEST = 40;

  constructor(r, tell, pick) {
    this.r = r;
    this.tell = tell;
    this.pick = pick;
    const hasStacks = r.stacks.length > 1;
    this.by = hasStacks ? "stacks" : "tags";
    this.mapElement = Text.element("div", {class: "map"});
    this.flameElement = Text.element("div", {class: "flame"});
    this.mapFacts = Text.element("span", {class: "quiet"});
    this.block = Text.element("div", {class: "block"}, Text.element("p", {class: "quiet"}, "Click a block to see its owner."));
    this.list = Text.element("div", {class: "scroll"});
    // A snapshot of one moment has blocks alone.
    this.isAlone = r.events === 0;
    this.listed = this.isAlone ? "blocks" : "events";
    this.title = Text.element("h3", {class: "moment"});
    this.element = Text.element("section", {}, this.title, Text.element("div", {class: "panels"},
      this.panel([r.replayed ? "Address map, as recorded " : "Address map ", this.mapFacts], this.mapElement, this.block),
      this.panel(["Owners", hasStacks ? Text.choice("by", [["stacks", "stacks"], ["tags", "tags"]], this.by, by => this.flameBy(by)) : ""],
        this.flameElement,
        Text.element("div", {class: "bar lists"}, this.isAlone ? "Largest blocks" : Text.choice("show",
          [["events", "events around"], ["blocks", "largest blocks"]], this.listed, which => this.fill(which))), this.list)));
  }

  // Create charts once their elements have a size.
  attach() {
    this.map = new AddressMap(this.mapElement, this.r, block => this.showBlock(block));
    this.flame = new Flame(this.flameElement, this.r, node =>
      this.tell(`${node.name}: ${Text.bytes(node.bytes)} in ${Text.count(node.count)} allocations`));
  }

  panel(title, ...children) {
    return Text.element("div", {class: "panel"}, Text.element("div", {class: "bar"}, Text.element("h3", {}, title[0]), title[1]), ...children);
  }

  live(event) {
    const r = this.r;
    const blocks = [];
    for (let i = 0; i < r.allocations; i++) {
      if (r.born[i] <= event && r.died[i] > event) blocks.push(i);
    }
    return blocks;
  }

  show(event, groups, k) {
    const r = this.r;
    this.event = event;
    this.groups = groups;
    this.of = groups.of[k];
    this.blocks = this.live(event);
    const bytes = event < 0 ? r.heldBefore : r.totals[event];
    const when = this.isAlone ? "In this snapshot" : event < 0 ? "Before the first event" : `At ${Text.time(r.times[event])}, after event ${Text.count(event)}`;
    this.sentence = `${when}: ${Text.bytes(bytes)} live in ${Text.count(this.blocks.length)} allocations`;
    this.title.textContent = this.sentence;
    this.map.show(this.blocks, event, this.of, groups.colours, groups.names);
    this.mapFacts.textContent = `${Text.bytes(Math.max(0, this.map.total - bytes))} free between blocks`;
    this.flame.show(this.blocks, this.by);
    this.fill(this.listed);
  }

  flameBy(by) {
    this.by = by;
    this.flame.show(this.blocks, by);
  }

  showBlock(i) {
    const r = this.r;
    const group = this.of[i];
    const lived = this.isAlone ? "" : r.died[i] < r.events ? `freed at ${Text.time(r.times[r.died[i]])} (event ${Text.count(r.died[i])})` : "not freed in this recording";
    const made = this.isAlone ? "" : r.born[i] < 0 ? "held before the recording began" : `allocated at ${Text.time(r.times[r.born[i]])} (event ${Text.count(r.born[i])})`;
    const tag = r.tags[r.tagOf[i]];
    const thread = r.threads[r.threadOf[i]];
    const facts = [Text.bytes(r.sizes[i]), tag ? "tag " + tag : "", "stream " + r.streamName(r.streamOf[i]), thread ? "thread " + thread : "", made, lived];
    const sentence = `Block ${Text.hex(r.addresses[i])}: ${facts.filter(each => each).join(", ")}`;
    const stack = Array.from(r.stacks[r.stackOf[i]]).reverse();
    this.block.replaceChildren(Text.element("p", {}, Text.swatch(this.groups.colours[group]), sentence),
      stack.length === 0 ? "" : Text.element("ol", {class: "stack"}, ...stack.map(frame => Text.element("li", {}, r.frames[frame]))));
    this.tell(sentence);
  }

  fill(which) {
    this.listed = which;
    this.list.replaceChildren(which === "events" ? this.events() : this.largest());
    this.list.scrollTop = 0;
  }

  largest() {
    const r = this.r;
    const most = [...this.blocks].sort((a, b) => r.sizes[b] - r.sizes[a]).slice(0, Moment.LARGEST);
    const now = this.event < 0 ? 0 : r.times[this.event];
    const made = Text.table([["address", true], ["bytes", false], ["age", false], ["stream", false], ["owner", true]], most.map(i => [
      Text.hex(r.addresses[i]), Text.bytes(r.sizes[i]), this.isAlone ? "-" : r.born[i] < 0 ? "older" : Text.time(now - r.times[r.born[i]]),
      r.streamName(r.streamOf[i]), this.whose(i)]));
    made.querySelectorAll("tbody tr").forEach((row, n) => {
      row.dataset.event = most[n];
      row.addEventListener("click", () => this.showBlock(most[n]));
    });
    return made;
  }

  whose(i) {
    const r = this.r;
    return [r.tags[r.tagOf[i]], r.stackOf[i] ? Flame.shortFrame(Flame.ownerOf(r, i)) : ""].filter(each => each).join(", ");
  }

  // Returns events before and after, with marks between them.
  events() {
    const r = this.r;
    const from = Math.max(0, this.event - Moment.AROUND);
    const to = Math.min(r.events - 1, this.event + Moment.AROUND);
    const rows = [];
    const marks = r.marks.filter(mark => mark.event >= from && mark.event <= to + 1);
    let next = 0;
    const between = event => {
      for (; next < marks.length && marks[next].event <= event; next++) rows.push(this.markRow(marks[next]));
    };
    for (let i = from; i <= to; i++) {
      between(i);
      const what = r.what[i];
      const block = what >= 0 ? what : ~what;
      rows.push({event: i, chosen: i === this.event, cells: [Text.count(i), Text.time(r.times[i]), what >= 0 ? "allocate" : "free",
        Text.bytes(r.sizes[block]), Text.hex(r.addresses[block]), r.streamName(r.streamOf[block]), this.whose(block)]});
    }
    between(to + 1);
    const made = Text.table([["event", false], ["time", false], ["what", true], ["bytes", false], ["address", true], ["stream", false], ["owner", true]],
      rows.map(row => row.cells));
    made.querySelectorAll("tbody tr").forEach((element, n) => {
      const row = rows[n];
      if (row.alarm) element.classList.add("alarm");
      if (row.chosen) element.classList.add("chosen");
      if (row.event === undefined) return;
      element.dataset.event = row.event;
      element.addEventListener("click", () => this.pick(row.event));
    });
    requestAnimationFrame(() => {
      const chosen = made.querySelector("tr.chosen");
      if (chosen) this.list.scrollTop = chosen.offsetTop - this.list.clientHeight / 2;
    });
    return made;
  }

  markRow(mark) {
    const owner = Flame.owner(this.r, mark.stack);
    const whose = [this.r.tags[mark.tag], owner ? Flame.shortFrame(owner) : ""].filter(each => each).join(", ");
    const isRefusal = mark.kind === "out of memory";
    return {alarm: isRefusal, cells: ["", Text.time(mark.nanos), mark.kind, Text.bytes(mark.size),
      isRefusal ? (mark.address > 0 ? Text.bytes(mark.address) + " free" : "") : Text.hex(mark.address), this.r.streamName(mark.stream), whose]};
  }
}
