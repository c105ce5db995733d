"use strict";
// Memory over time. Each window is recomputed with a point per column of pixels, at the maximum total
// among the column's events. A point fills its column, so that peaks stay visible.
class MemoryChart {
  static STRIDE = 8192;
  // Pixels beside the grid, and of a column: ECharts skips segments of up to two.
  static MARGINS = 94;
  static COLUMN = 3;

  constructor(element, r, handlers) {
    this.r = r;
    this.element = element;
    this.handlers = handlers;
    this.chart = echarts.init(element, null, {renderer: "canvas"});
    this.window = [0, 1];
    this.redrawMillis = 0;
    this.hidden = new Set();
    this.chart.on("datazoom", () => this.zoomed());
    this.chart.on("legendselectchanged", event => {
      this.hidden = new Set(Object.keys(event.selected).filter(name => !event.selected[name]));
      this.chart.setOption({series: this.series()});
    });
    this.chart.getZr().on("click", event => this.clicked(event));
    new ResizeObserver(() => this.resized()).observe(element);
  }

  resized() {
    this.chart.resize();
    this.whole = null;
    if (this.groups) this.chart.setOption({series: this.series()});
  }

  // Shows the groups of recording k over time or over event numbers; top is the maximum of the vertical axis.
  show(groups, k, axis, top) {
    this.groups = groups;
    this.of = groups.of[k];
    this.axis = axis;
    this.top = top;
    this.hidden.clear();
    this.checkpoints();
    this.draw();
  }

  x(event) {
    return this.axis === "time" ? this.r.times[event] : event;
  }

  eventAt(x) {
    return this.axis === "time" ? Data.eventAt(this.r, x) : Math.max(-1, Math.min(this.r.events - 1, Math.floor(x)));
  }

  get end() {
    return Math.max(1, this.x(this.r.events - 1));
  }

  // Live bytes of each group at regular event numbers, so that a window need not start at 0.
  checkpoints() {
    const r = this.r;
    const live = new Float64Array(this.groups.names.length);
    for (let i = 0; i < r.before; i++) live[this.of[i]] += r.sizes[i];
    this.saved = [];
    for (let i = 0; i < r.events; i++) {
      if (i % MemoryChart.STRIDE === 0) this.saved.push(live.slice());
      this.apply(live, i);
    }
  }

  apply(live, event) {
    const what = this.r.what[event];
    if (what >= 0) live[this.of[what]] += this.r.sizes[what];
    else live[this.of[~what]] -= this.r.sizes[~what];
  }

  get columns() {
    return Math.max(100, Math.floor((this.chart.getWidth() - MemoryChart.MARGINS) / MemoryChart.COLUMN));
  }

  // Returns the bands of a window: {xs, events, rows: bytes of each group}.
  points(x0, x1) {
    const r = this.r;
    const first = Math.max(0, this.eventAt(x0));
    const last = Math.min(r.events - 1, this.eventAt(x1) + 1);
    const {xs, events} = this.chosen(first, last, x0, x1);
    const rows = this.groups.names.map(() => new Float64Array(events.length));
    const from = Math.floor(first / MemoryChart.STRIDE);
    const live = this.saved[from].slice();
    let next = 0;
    for (let i = from * MemoryChart.STRIDE; i <= last && next < events.length; i++) {
      this.apply(live, i);
      while (next < events.length && events[next] === i) {
        for (let g = 0; g < rows.length; g++) rows[g][next] = live[g];
        next++;
      }
    }
    return {xs, events, rows};
  }

  chosen(first, last, x0, x1) {
    return MemoryChart.highest(this.r, event => this.x(event), this.columns, first, last, x0, x1);
  }

  // Returns the events to show: the highest of each column, at its left edge, and the last at
  // the right edge unless the next column has events.
  static highest(r, xOf, columns, first, last, x0, x1) {
    const xs = [];
    const events = [];
    const scale = columns / (x1 - x0);
    const columnOf = event => Math.floor((xOf(event) - x0) * scale);
    const push = (column, event) => {
      xs.push(x0 + column / scale);
      events.push(event);
    };
    let i = first;
    while (i <= last) {
      const column = columnOf(i);
      let highest = i;
      let end = i;
      for (; end <= last && columnOf(end) === column; end++) {
        if (r.totals[end] > r.totals[highest]) highest = end;
      }
      push(column, highest);
      if (end - 1 > highest && (end > last || columnOf(end) > column + 1)) push(column + 1, end - 1);
      i = end;
    }
    return {xs, events};
  }

  draw() {
    const begin = performance.now();
    const [quiet, line] = [Text.css("--quiet"), Text.css("--line")];
    const axisText = {color: quiet};
    this.chart.setOption({
      animation: false,
      grid: {left: 76, right: 18, top: 40, bottom: 76},
      legend: {type: "scroll", icon: "roundRect", selected: {}, top: 0, left: 70, right: 10, textStyle: {color: Text.css("--text")}, data: this.legend(),
        pageTextStyle: axisText},
      tooltip: {trigger: "axis", confine: true, transitionDuration: 0, backgroundColor: Text.css("--page"),
        borderColor: line, textStyle: {color: Text.css("--text"), fontSize: 12},
        formatter: params => this.tip(params)},
      xAxis: {type: "value", min: 0, max: this.end, axisLine: {lineStyle: {color: line}}, splitLine: {show: false},
        axisLabel: {...axisText, hideOverlap: true, showMaxLabel: false, formatter: x => this.axisLabel(x)},
        name: this.axis === "time" ? "time since the first event" : "number of the event", nameLocation: "middle", nameGap: 26,
        nameTextStyle: axisText, axisPointer: {label: {show: false}}},
      yAxis: {type: "value", min: 0, max: this.top, interval: Text.step(this.top, 5), axisLabel: {...axisText, showMaxLabel: false, formatter: Text.shortBytes},
        splitLine: {lineStyle: {color: line}}},
      dataZoom: [
        {type: "inside", filterMode: "none", zoomOnMouseWheel: true, moveOnMouseMove: true, minSpan: 1e-7},
        {type: "slider", filterMode: "none", height: 24, bottom: 6, minSpan: 1e-7, borderColor: line, textStyle: axisText,
          labelFormatter: x => this.axisLabel(x), brushSelect: false,
          dataBackground: {lineStyle: {color: quiet}, areaStyle: {color: quiet, opacity: 0.25}}},
      ],
      series: this.series(),
    }, {replaceMerge: ["series"]});
    this.redrawMillis = performance.now() - begin;
  }

  legend() {
    const names = [...this.groups.names];
    names.push(...this.r.lines.map(line => line.name));
    return names;
  }

  axisLabel(x) {
    if (this.axis !== "time") return Text.count(Math.round(x));
    const unit = this.end >= 2e9 ? [1e9, " s"] : this.end >= 2e6 ? [1e6, " ms"] : [1e3, " us"];
    const shown = (this.window[1] - this.window[0]) * this.end / unit[0];
    const digits = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(Math.max(shown, 1e-9)))));
    return (x / unit[0]).toFixed(digits).replace(/\.0+$/, "") + unit[1];
  }

  series() {
    const {xs, events, rows} = this.points(this.window[0] * this.end, this.window[1] * this.end);
    const list = [this.overview()];
    const sums = new Float64Array(xs.length);
    const bands = this.groups.names.map((name, g) => {
      const own = rows[g];
      const isShown = !this.hidden.has(name);
      const data = new Float64Array(4 * xs.length);
      for (let i = 0, at = 0; i < xs.length; i++) {
        if (isShown) sums[i] += own[i];
        data[at++] = xs[i];
        data[at++] = sums[i];
        data[at++] = own[i];
        data[at++] = events[i];
      }
      return {
        id: "g" + g, name, dimensions: ["x", "top", "own", "event"], type: "line", step: "end", symbol: "none", lineStyle: {width: 0}, data,
        areaStyle: {color: this.groups.colours[g], opacity: 1}, itemStyle: {color: this.groups.colours[g]}, emphasis: {disabled: true},
      };
    });
    // Areas extend down to 0, so lower ones are painted over higher ones.
    list.push(...bands.reverse());
    this.r.lines.forEach((line, k) => list.push({
      id: "line" + k, name: line.name, type: "line", step: "end", symbol: "none", emphasis: {disabled: true}, tooltip: {show: false},
      lineStyle: {color: Text.css(line.colour), width: 1.5, type: "dashed"}, itemStyle: {color: Text.css(line.colour)},
      data: this.line(line),
    }));
    return list;
  }

  // Returns the series of the whole recording, which the slider shows, with the marks.
  overview() {
    if (!this.whole || this.wholeAxis !== this.axis) {
      const {xs, events} = this.chosen(0, this.r.events - 1, 0, this.end);
      // The slider spaces its points evenly, wherever they are.
      const step = this.end / this.columns;
      let at = 0;
      this.whole = Array.from({length: this.columns + 1}, (any, column) => {
        while (at + 1 < xs.length && xs[at + 1] < (column + 0.5) * step) at++;
        return [column * step, this.r.totals[events[at]]];
      });
      this.wholeAxis = this.axis;
    }
    const alarm = Text.css("--alarm");
    const lines = this.r.marks.filter(mark => mark.kind === "out of memory").slice(0, 100).map(mark => ({
      xAxis: this.x(Math.max(0, mark.event - 1)), lineStyle: {color: alarm, type: "dashed"},
      label: {formatter: "out of memory", color: alarm, position: "insideEndTop", backgroundColor: Text.css("--page"), padding: [2, 4]},
    }));
    if (this.moment !== undefined) {
      // From the top down to the memory of the moment, so that it does not cover a peak.
      const x = this.x(Math.max(0, this.moment));
      const mark = {lineStyle: {color: Text.css("--text"), type: "solid", width: 1.5}, label: {show: false}};
      lines.push([{coord: [x, this.top], symbol: "none", ...mark},
        {coord: [x, this.moment < 0 ? this.r.heldBefore : this.r.totals[this.moment]], symbol: "arrow", symbolSize: 9}]);
    }
    return {id: "all", name: "all", type: "line", symbol: "none", silent: true, tooltip: {show: false}, data: this.whole, lineStyle: {opacity: 0},
      itemStyle: {opacity: 0}, emphasis: {disabled: true}, markLine: {symbol: "none", silent: true, animation: false, data: lines}};
  }

  // Returns the visible part of a line, downsampled to the highest point of each group.
  line({events, bytes, before}) {
    const from = this.eventAt(this.window[0] * this.end);
    const to = this.eventAt(this.window[1] * this.end);
    const points = [];
    let i = events.findIndex(each => each >= from);
    i = i < 0 ? events.length : i;
    points.push([this.window[0] * this.end, i > 0 ? bytes[i - 1] : before]);
    const stride = Math.max(1, Math.floor(events.length / (4 * this.columns)));
    for (; i < events.length && events[i] <= to; i += stride) {
      let most = bytes[i];
      for (let j = i; j < Math.min(events.length, i + stride); j++) most = Math.max(most, bytes[j]);
      points.push([this.x(events[i]), most]);
    }
    points.push([this.window[1] * this.end, points[points.length - 1][1]]);
    return points;
  }

  // Only bands have tooltips: lines have other points, so their values are looked up.
  tip(params) {
    if (params.length === 0) return "";
    const event = params[0].value[3];
    const bands = params.filter(each => each.value[2] > 0);
    const total = bands.reduce((sum, each) => sum + each.value[2], 0);
    const rows = bands.map(each => [Text.element("span", {}, Text.swatch(each.color), each.seriesName), Text.bytes(each.value[2])]);
    rows.push([Text.element("b", {}, "live"), Text.bytes(total)]);
    this.r.lines.filter(line => !this.hidden.has(line.name)).forEach(line => rows.push([line.name, Text.bytes(Data.bytesAt(line, event))]));
    return Text.element("div", {class: "tip"}, Text.element("b", {}, this.axis === "time" ? Text.time(this.r.times[Math.max(0, event)]) : "event " + Text.count(event)),
      Text.table([["", true], ["", false]], rows));
  }

  zoomed() {
    const zoom = this.chart.getOption().dataZoom[0];
    this.window = [zoom.start / 100, zoom.end / 100];
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const begin = performance.now();
      this.chart.setOption({series: this.series()});
      this.chart.getZr().flush();
      this.redrawMillis = performance.now() - begin;
      this.element.dataset.window = this.window.join(" ");
      this.element.dataset.redrawMillis = this.redrawMillis.toFixed(1);
      this.handlers.zoom(this);
    });
  }

  // Called when another chart was zoomed or a button was pressed.
  zoom(window) {
    if (Math.abs(window[0] - this.window[0]) + Math.abs(window[1] - this.window[1]) < 1e-9) return;
    this.chart.dispatchAction({type: "dataZoom", start: window[0] * 100, end: window[1] * 100});
  }

  clicked(event) {
    const at = [event.offsetX, event.offsetY];
    if (!this.chart.containPixel("grid", at)) return;
    this.handlers.pick(this, this.chart.convertFromPixel({xAxisIndex: 0}, at[0]));
  }

  mark(event) {
    this.moment = event;
    this.chart.setOption({series: [{id: "all", markLine: this.overview().markLine}]});
  }
}
