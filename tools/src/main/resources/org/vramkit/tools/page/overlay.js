"use strict";
// Live memory of several recordings on one axis, with reserved memory as dashed lines. Each column of pixels
// shows the maximum of its events.
class Overlay {
  static COLOURS = ["#4e79a7", "#e15759", "#59a14f", "#f28e2b", "#b07aa1", "#76b7b2"];

  constructor(element, recordings) {
    this.element = element;
    this.all = recordings;
    this.window = [0, 1];
    this.chart = echarts.init(element, null, {renderer: "canvas"});
    this.chart.on("datazoom", () => {
      const zoom = this.chart.getOption().dataZoom[0];
      this.window = [zoom.start / 100, zoom.end / 100];
      requestAnimationFrame(() => this.chart.setOption({series: this.series()}));
    });
    new ResizeObserver(() => {
      this.chart.resize();
      if (this.axis) this.chart.setOption({series: this.series()});
    }).observe(element);
  }

  // Shows memory over time or over event numbers; top is the maximum of the vertical axis.
  show(axis, top) {
    this.axis = axis;
    this.end = Math.max(1, ...this.all.map(r => this.x(r, r.events - 1)));
    const quiet = {color: Text.css("--quiet")};
    const line = {lineStyle: {color: Text.css("--line")}};
    const format = axis === "time" ? Text.time : x => Text.count(Math.round(x));
    this.chart.setOption({
      animation: false,
      grid: {left: 76, right: 18, top: 40, bottom: 76},
      legend: {type: "scroll", top: 0, left: 70, right: 10, textStyle: {color: Text.css("--text")}, pageTextStyle: quiet},
      xAxis: {type: "value", min: 0, max: this.end, axisLine: line, splitLine: {show: false},
        axisLabel: {...quiet, hideOverlap: true, showMaxLabel: false, formatter: format},
        name: axis === "time" ? "time since the first event of each" : "number of the event", nameLocation: "middle", nameGap: 26, nameTextStyle: quiet},
      yAxis: {type: "value", min: 0, max: top, interval: Text.step(top, 5), splitLine: line,
        axisLabel: {...quiet, showMaxLabel: false, formatter: Text.shortBytes}},
      dataZoom: [{type: "inside", filterMode: "none"},
        {type: "slider", filterMode: "none", height: 20, bottom: 6, showDataShadow: false, brushSelect: false, labelFormatter: format,
          textStyle: quiet, borderColor: Text.css("--line")}],
      series: this.series(),
    }, {replaceMerge: ["series"]});
    this.element.dataset.end = this.end;
  }

  x(r, event) {
    return this.axis === "time" ? r.times[event] : event;
  }

  eventAt(r, x) {
    return this.axis === "time" ? Data.eventAt(r, x) : Math.floor(x);
  }

  series() {
    const list = [];
    this.all.forEach((r, k) => {
      const colour = Overlay.COLOURS[k % Overlay.COLOURS.length];
      const letter = String.fromCharCode(65 + k % 26);
      const style = {type: "line", step: "end", symbol: "none", emphasis: {disabled: true}, itemStyle: {color: colour}};
      list.push({...style, id: "live" + k, name: `${letter}: ${r.name}`, lineStyle: {color: colour, width: 1.5}, data: this.live(r)});
      r.lines.forEach((line, n) => list.push({...style, id: `line${k}.${n}`, name: `${letter}: ${line.name}`,
        lineStyle: {color: colour, width: 1.2, type: "dashed"}, data: this.reserved(r, line)}));
    });
    return list;
  }

  // Returns the range of events that the window shows, with one on each side.
  shown(r) {
    const [x0, x1] = this.window.map(part => part * this.end);
    const clamp = event => Math.max(0, Math.min(r.events - 1, event));
    return {x0, x1, first: clamp(this.eventAt(r, x0)), last: clamp(this.eventAt(r, x1) + 1)};
  }

  live(r) {
    const {x0, x1, first, last} = this.shown(r);
    const columns = Math.max(100, Math.floor(this.chart.getWidth() / MemoryChart.COLUMN));
    const {xs, events} = MemoryChart.highest(r, event => this.x(r, event), columns, first, last, x0, x1);
    const points = xs.map((x, i) => [x, r.totals[events[i]]]);
    points.push([this.x(r, last), r.totals[last]]);
    return points;
  }

  reserved(r, {events, bytes, before}) {
    const {x0, first, last} = this.shown(r);
    const from = events.findIndex(event => event >= first);
    const points = [[x0, from < 0 ? bytes[bytes.length - 1] ?? before : from > 0 ? bytes[from - 1] : before]];
    for (let i = from < 0 ? events.length : from; i < events.length && events[i] <= last; i++) {
      points.push([this.x(r, Math.min(events[i], r.events - 1)), bytes[i]]);
    }
    if (last === r.events - 1) points.push([this.x(r, last), points[points.length - 1][1]]);
    return points;
  }
}
