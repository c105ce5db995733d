"use strict";
// Live memory as a flame graph: the root is the total, above tags or stacks.
class Flame {
  static ROW = 21;
  static MOST = 3000;

  constructor(element, r, told) {
    this.r = r;
    this.element = element;
    this.told = told;
    this.chart = echarts.init(element, null, {renderer: "canvas", height: 200});
    this.chart.on("click", event => this.enter(event.value[3]));
    new ResizeObserver(() => this.chart.resize()).observe(element);
  }

  // Returns the owner: the program's frame that allocated, or that there is none.
  static owner(r, stack) {
    const frames = r.owners[stack];
    return frames.length === 0 ? "" : r.frames[frames[frames.length - 1]];
  }

  static ownerOf(r, i) {
    return Flame.owner(r, r.stackOf[i]);
  }

  // Returns a frame without the folders of its file.
  static shortFrame(frame) {
    const match = /^(.*?)\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/.exec(frame);
    return match ? match[1].split(".").slice(-2).join(".") + " (" + match[2].split(/[/\\]/).pop() + ")" : frame;
  }

  // Returns the names from the root to an allocation.
  path(i, by) {
    const r = this.r;
    if (by === "stacks") {
      const stack = r.owners[r.stackOf[i]];
      return stack.length === 0 ? ["no stack"] : Array.from(stack, frame => r.frames[frame]);
    }
    const tag = r.tags[r.tagOf[i]];
    const path = tag ? tag.split("/").filter(part => part) : r.tags.length > 1 ? ["no tag"] : [];
    return [...path, "stream " + r.streamName(r.streamOf[i]), Groups.sizeName(r.sizes[i])];
  }

  show(blocks, by) {
    this.by = by;
    this.root = {name: "all live memory", bytes: 0, count: 0, children: new Map(), parent: null};
    for (const i of blocks) {
      let node = this.root;
      this.add(node, i);
      for (const name of this.path(i, by)) {
        let child = node.children.get(name);
        if (!child) node.children.set(name, child = {name, bytes: 0, count: 0, children: new Map(), parent: node});
        node = child;
        this.add(node, i);
      }
    }
    this.focus = this.root;
    this.draw();
  }

  add(node, i) {
    node.bytes += this.r.sizes[i];
    node.count++;
  }

  enter(index) {
    const node = this.nodes[index];
    this.focus = node === this.focus && node.parent ? node.parent : node;
    this.told(this.focus);
    this.draw();
  }

  // Returns rectangles of the selected node, its ancestors and its descendants.
  layout() {
    this.nodes = [];
    const items = [];
    const least = this.focus.bytes / 1500;
    const put = (node, depth, from, to) => {
      items.push([from, to, depth, this.nodes.length]);
      this.nodes.push(node);
    };
    const above = [];
    for (let node = this.focus.parent; node; node = node.parent) above.unshift(node);
    above.forEach((node, depth) => put(node, depth, 0, this.focus.bytes));
    const queue = [[this.focus, above.length, 0]];
    let depths = above.length;
    while (queue.length > 0 && items.length < Flame.MOST) {
      const [node, depth, from] = queue.shift();
      put(node, depth, from, from + node.bytes);
      depths = Math.max(depths, depth);
      let at = from;
      for (const child of [...node.children.values()].sort((a, b) => b.bytes - a.bytes)) {
        if (child.bytes > least) queue.push([child, depth + 1, at]);
        at += child.bytes;
      }
    }
    return {items, depths};
  }

  draw() {
    const {items, depths} = this.layout();
    // A resize may draw these nodes again before new options arrive.
    const nodes = this.nodes;
    this.element.style.height = (depths + 1) * Flame.ROW + 8 + "px";
    this.chart.resize({height: (depths + 1) * Flame.ROW + 8});
    const text = Text.css("--text");
    this.chart.setOption({
      animation: false,
      grid: {left: 0, right: 0, top: 2, bottom: 2},
      xAxis: {show: false, min: 0, max: Math.max(1, this.focus.bytes)},
      yAxis: {show: false, min: 0, max: depths + 1, inverse: true},
      tooltip: {confine: true, transitionDuration: 0, backgroundColor: Text.css("--page"), borderColor: Text.css("--line"),
        textStyle: {color: text, fontSize: 12}, formatter: params => this.tip(nodes[params.value[3]])},
      series: [{id: "flame", type: "custom", data: items, dimensions: ["from", "to", "depth", "node"],
        renderItem: (params, api) => this.item(api, nodes)}],
    }, {replaceMerge: ["series"]});
    this.element.dataset.nodes = items.length;
    this.element.dataset.focus = this.focus.name;
  }

  item(api, nodes) {
    const a = api.coord([api.value(0), api.value(2)]);
    const b = api.coord([api.value(1), api.value(2)]);
    const width = Math.max(0.5, b[0] - a[0] - 1);
    const node = nodes[api.value(3)];
    return {type: "rect", shape: {x: a[0], y: a[1], width, height: Flame.ROW - 2, r: 2},
      style: {fill: Flame.colour(node)}, emphasis: {style: {stroke: Text.css("--text"), lineWidth: 1.2}},
      textConfig: {position: "insideLeft", inside: true},
      textContent: width < 28 ? undefined : {style: {text: this.label(node), width: width - 8, overflow: "truncate", ellipsis: "..",
        fill: "#1b1f24", fontSize: 12}}};
  }

  label(node) {
    const name = this.by === "stacks" ? Flame.shortFrame(node.name) : node.name;
    return name + "  " + Text.bytes(node.bytes);
  }

  // Returns a warm colour that depends only on the name.
  static colour(node) {
    let hash = 7;
    for (let i = 0; i < node.name.length; i++) hash = (hash * 31 + node.name.charCodeAt(i)) | 0;
    const spread = Math.abs(hash);
    return `hsl(${18 + spread % 36}, ${72 + (spread >> 6) % 18}%, ${66 + (spread >> 11) % 12}%)`;
  }

  tip(node) {
    const share = this.root.bytes === 0 ? 0 : 100 * node.bytes / this.root.bytes;
    return Text.element("div", {class: "tip"}, Text.element("b", {}, node.name),
      Text.element("div", {}, `${Text.bytes(node.bytes)} in ${Text.count(node.count)} allocations, ${share.toFixed(1)} % of live memory`));
  }
}
