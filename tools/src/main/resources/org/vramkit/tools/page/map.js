"use strict";
// Live blocks at a moment by address: ranges with memory in rows, one after the other, without the
// gaps between them.
class AddressMap {
  static ROWS = 24;
  static FEWEST = 2 << 20;

  constructor(element, r, picked) {
    this.r = r;
    this.element = element;
    this.chart = echarts.init(element, null, {renderer: "canvas"});
    this.chart.on("click", event => {
      if (event.seriesId === "blocks") picked(event.value[3]);
    });
    new ResizeObserver(() => this.chart.resize()).observe(element);
  }

  // Returns the recorded ranges of driver memory at a moment.
  segments(event) {
    let ranges = [];
    if (!this.r.hasAllMarks) return ranges;
    for (const mark of this.r.marks) {
      if (mark.event > event + 1) break;
      if (mark.kind === "grow" || mark.kind === "move") ranges.push([mark.address, mark.address + mark.size]);
      if (mark.kind === "shrink") ranges = AddressMap.without(ranges, mark.address, mark.address + mark.size);
    }
    return ranges;
  }

  static without(ranges, from, to) {
    const left = [];
    for (const range of ranges) {
      if (range[1] <= from || range[0] >= to) {
        left.push(range);
      } else {
        if (range[0] < from) left.push([range[0], from]);
        if (range[1] > to) left.push([to, range[1]]);
      }
    }
    return left;
  }

  // Returns the sorted union of segments and blocks, merging ranges with small gaps.
  ranges(blocks, event) {
    const r = this.r;
    const all = this.segments(event);
    for (const i of blocks) all.push([r.addresses[i], r.addresses[i] + r.sizes[i]]);
    all.sort((a, b) => a[0] - b[0]);
    const bytes = blocks.reduce((sum, i) => sum + r.sizes[i], 0);
    const gap = all.length === blocks.length ? Math.max(AddressMap.FEWEST, bytes / 200) : 0;
    const joined = [];
    for (const range of all) {
      const last = joined[joined.length - 1];
      if (last && range[0] <= last[1] + gap) last[1] = Math.max(last[1], range[1]);
      else joined.push(range.slice());
    }
    return joined;
  }

  show(blocks, event, group, colours, names) {
    const r = this.r;
    const ranges = this.ranges(blocks, event);
    const total = ranges.reduce((sum, range) => sum + range[1] - range[0], 0);
    const row = Math.max(512, Math.ceil(total * 1.02 / AddressMap.ROWS));
    const space = row / 250;
    let at = 0;
    const starts = ranges.map(range => {
      const start = at;
      at += range[1] - range[0] + space;
      return start;
    });
    const rows = Math.max(1, Math.ceil(at / row));
    const free = [];
    const used = [];
    ranges.forEach((range, i) => this.pieces(free, starts[i], range[1] - range[0], row, [-1, -1]));
    const sorted = [...blocks].sort((a, b) => r.addresses[a] - r.addresses[b]);
    let k = 0;
    let last = null;
    for (const i of sorted) {
      while (k < ranges.length - 1 && r.addresses[i] >= ranges[k][1]) k++;
      const start = starts[k] + r.addresses[i] - ranges[k][0];
      // Merge blocks that share a pixel and a group.
      if (last && last.group === group[i] && start + r.sizes[i] - last.start < row / 1500) {
        last.size = start + r.sizes[i] - last.start;
        continue;
      }
      if (last) this.pieces(used, last.start, last.size, row, [last.block, last.group]);
      last = {start, size: r.sizes[i], block: i, group: group[i]};
    }
    if (last) this.pieces(used, last.start, last.size, row, [last.block, last.group]);
    this.total = total;
    this.draw(free, used, row, rows, this.labels(ranges, starts, row, rows), colours, names);
  }

  // Splits a range at rows: [from, to, row, ...rest].
  pieces(list, start, size, row, rest) {
    let at = start;
    const end = start + size;
    while (at < end) {
      const number = Math.floor(at / row);
      const to = Math.min(end, (number + 1) * row);
      list.push([at - number * row, to - number * row, number, ...rest]);
      at = to > at ? to : end;
    }
  }

  // Returns the first address of each row.
  labels(ranges, starts, row, rows) {
    const labels = [];
    let k = 0;
    for (let i = 0; i < rows; i++) {
      while (k < ranges.length - 1 && starts[k + 1] <= i * row) k++;
      labels.push(ranges.length === 0 ? "" : Text.hex(Math.round(ranges[k][0] + Math.max(0, i * row - starts[k]))));
    }
    return labels;
  }

  draw(free, used, row, rows, labels, colours, names) {
    const quiet = {color: Text.css("--quiet"), fontSize: 11};
    const page = Text.css("--panel");
    const rectangle = (api, fill, border) => {
      const a = api.coord([api.value(0), api.value(2)]);
      const b = api.coord([api.value(1), api.value(2)]);
      const height = api.size([0, 1])[1] * 0.86;
      const width = Math.max(0.5, b[0] - a[0]);
      return {type: "rect", shape: {x: a[0], y: a[1] - height / 2, width, height},
        style: {fill, stroke: border && width > 4 ? page : null, lineWidth: border && width > 4 ? 0.8 : 0},
        emphasis: border ? {style: {stroke: Text.css("--text"), lineWidth: 1.5}} : undefined};
    };
    this.chart.setOption({
      animation: false,
      grid: {left: 120, right: 12, top: 6, bottom: 26},
      xAxis: {min: 0, max: row, axisLabel: {...quiet, showMaxLabel: false, formatter: x => "+" + Text.shortBytes(x)},
        interval: Text.step(row, 4), splitLine: {show: false}},
      yAxis: {type: "category", inverse: true, data: labels, axisLabel: {...quiet, fontFamily: "monospace"}, axisTick: {show: false},
        axisLine: {show: false}},
      tooltip: {confine: true, transitionDuration: 0, backgroundColor: Text.css("--page"), borderColor: Text.css("--line"),
        textStyle: {color: Text.css("--text"), fontSize: 12}, formatter: params => this.tip(params, names, colours)},
      series: [
        {id: "free", type: "custom", silent: true, data: free, dimensions: ["from", "to", "row", "block", "group"],
          renderItem: (params, api) => rectangle(api, Text.css("--free"), false)},
        {id: "blocks", type: "custom", data: used, dimensions: ["from", "to", "row", "block", "group"], progressive: 5000,
          renderItem: (params, api) => rectangle(api, colours[api.value(4)], true)},
      ],
    }, {replaceMerge: ["series"]});
    // For tests, which cannot inspect a canvas.
    this.element.dataset.blocks = used.length;
  }

  tip(params, names, colours) {
    const r = this.r;
    const i = params.value[3];
    const group = params.value[4];
    return Text.element("div", {class: "tip"}, Text.element("b", {}, Text.hex(r.addresses[i]) + ", " + Text.bytes(r.sizes[i])),
      Text.element("div", {}, Text.swatch(colours[group]), names[group]),
      Text.element("div", {}, "stream " + r.streamName(r.streamOf[i]) + (r.stackOf[i] ? ", " + Flame.shortFrame(Flame.ownerOf(r, i)) : "")));
  }
}
