"use strict";
// One or several recordings side by side, with common groups, colours and scale.
class Recordings {
  constructor(recordings, main, tell) {
    this.all = recordings;
    this.tell = tell;
    this.axis = "time";
    this.together = recordings.length > 1;
    const has = name => recordings.some(r => r[name].length > 1);
    const streams = recordings.some(r => r.streams > 1);
    this.by = has("tags") ? "tag" : streams ? "stream" : "size";
    const choices = [["tag", "tag"], ["stream", "stream"], ["size", "size"]];
    if (has("threads")) choices.push(["thread", "thread"]);
    const controls = document.getElementById("controls");
    controls.append(Text.choice("colour by", choices, this.by, by => { this.by = by; this.showAll(); }));
    controls.append(Text.choice("across", [["time", "time"], ["events", "events"]], this.axis, axis => { this.axis = axis; this.showAll(); }));
    if (recordings.length > 1) {
      controls.append(Text.choice("zoom", [["true", "together"], ["false", "apart"]], "true", value => { this.together = value === "true"; }));
      main.append(this.comparison());
      if (recordings.every(r => r.events > 0)) {
        const element = Text.element("div", {class: "overlay"});
        main.append(element);
        this.overlay = new Overlay(element, recordings);
      }
    }
    const grid = Text.element("div", {class: "recordings"});
    main.append(grid);
    this.views = recordings.map((r, k) => this.view(r, k, grid));
    this.views.forEach(view => view.moment.attach());
    this.showAll();
    this.views.forEach(view => this.pick(view, this.start(view.r)));
    tell(recordings.length > 1 ? "Drag to pan, turn the wheel to zoom, click a moment." : this.views[0].moment.sentence + ". Drag to pan, turn the wheel to zoom, click a moment.");
  }

  // Returns the first out-of-memory event, else the peak; -1 is before the first event.
  start(r) {
    const refused = r.marks.find(mark => mark.kind === "out of memory");
    return refused ? Math.min(r.events, refused.event) - 1 : r.peakEvent;
  }

  view(r, k, grid) {
    const view = {r, k};
    view.moment = new Moment(r, this.tell, event => this.pick(view, event));
    view.element = Text.element("div", {class: "recording"}, Text.element("h2", {}, r.name), Text.element("p", {class: "facts"}, this.facts(r)));
    grid.append(view.element);
    if (r.events > 0) this.addChart(view);
    view.element.append(view.moment.element);
    return view;
  }

  // Adds memory over time, which a snapshot of one moment lacks.
  addChart(view) {
    const r = view.r;
    const chartElement = Text.element("div", {class: "chart"});
    const go = (label, event, alarm) => Text.element("button", {type: "button", class: alarm ? "alarm" : null, onclick: () => this.pick(view, event())}, label);
    const refusals = r.marks.filter(mark => mark.kind === "out of memory");
    const bar = Text.element("div", {class: "bar"}, go("peak", () => r.peakEvent), go("end", () => r.events - 1),
      go("previous event", () => Math.max(-1, view.event - 1)), go("next event", () => Math.min(r.events - 1, view.event + 1)),
      Text.element("button", {type: "button", onclick: () => this.zoom(view, this.near(view))}, "zoom to the moment"),
      Text.element("button", {type: "button", onclick: () => this.zoom(view, [0, 1])}, "whole recording"),
      ...refusals.slice(0, 5).map((mark, i) => go(`out of memory ${refusals.length > 1 ? i + 1 : ""}: ${Text.bytes(mark.size)}`.replace(" :", ":"),
        () => Math.min(r.events, mark.event) - 1, true)));
    view.element.append(chartElement, bar);
    view.chart = new MemoryChart(chartElement, r, {
      pick: (chart, x) => this.pick(view, chart.eventAt(x)),
      zoom: chart => { if (this.together) this.views.forEach(each => each === view || each.chart?.zoom(chart.window)); },
    });
  }

  near(view) {
    const around = 150;
    const chart = view.chart;
    const from = chart.x(Math.max(0, view.event - around));
    const to = chart.x(Math.max(0, Math.min(view.r.events - 1, view.event + around)));
    return [from / chart.end, Math.max(to / chart.end, from / chart.end + 1e-6)];
  }

  zoom(view, window) {
    view.chart.zoom(window);
  }

  facts(r) {
    const isMoment = r.events === 0;
    const facts = [r.format, Text.count(r.events) + " events", Text.count(r.allocations) + " allocations",
      r.streams > 1 ? r.streams + " streams" : "1 stream",
      isMoment ? Text.bytes(r.heldBefore) + " live" : `peak ${Text.bytes(r.peak)} at ${Recordings.peakTime(r)}`];
    for (const line of r.lines) facts.push(`${line.name} ${Text.bytes(line.peak)} at most`);
    if (r.before > 0 && !isMoment) facts.push(`${Text.bytes(r.heldBefore)} held before`);
    if (r.failures > 0) facts.push(r.failures + " out of memory");
    for (const [name, count] of Object.entries(r.repairs)) facts.push(`${name} ${Text.count(count)}`);
    return facts.concat(r.notes).join(" · ");
  }

  static peakTime(r) {
    return r.events === 0 ? "-" : Text.time(r.times[Math.max(0, r.peakEvent)]);
  }

  comparison() {
    const rows = [
      ["events", r => Text.count(r.events)], ["allocations", r => Text.count(r.allocations)], ["peak", r => Text.bytes(r.peak)],
      ["at", Recordings.peakTime], ["live at the end", r => Text.bytes(r.events > 0 ? r.totals[r.events - 1] : r.heldBefore)],
      ["reserved at most", r => r.lines.length > 0 ? r.lines.map(line => (r.lines.length > 1 ? line.name + " " : "") + Text.bytes(line.peak)).join(", ") : "-"],
      ["duration", r => r.events > 0 ? Text.time(r.times[r.events - 1]) : "-"], ["out of memory", r => Text.count(r.failures)],
    ];
    return Text.element("div", {class: "scroll comparison"}, Text.table([["recording", true], ...rows.map(row => [row[0], false])],
      this.all.map(r => [r.name, ...rows.map(row => row[1](r))])));
  }

  showAll() {
    this.groups = Groups.make(this.all, this.by);
    const top = 1.04 * Math.max(...this.all.map(r => Math.max(r.peak, ...r.lines.map(line => line.peak))), 1);
    this.overlay?.show(this.axis, top);
    this.views.forEach(view => {
      view.chart?.show(this.groups, view.k, this.axis, top);
      if (view.event !== undefined) view.moment.show(view.event, this.groups, view.k);
    });
  }

  pick(view, event) {
    view.event = event;
    view.element.dataset.event = event;
    view.chart?.mark(event);
    view.moment.show(event, this.groups, view.k);
    this.tell((this.all.length > 1 ? view.r.name + ": " : "") + view.moment.sentence);
  }
}
