"use strict";
// Results of tuning by reserved memory and driver time; a line connects the Pareto front.
class ParetoChart {
  constructor(front) {
    this.front = front;
    this.placed = new Map();
    this.chartElement = Text.element("div", {class: "chart"});
    this.chosen = Text.element("pre", {class: "code"});
    this.element = Text.element("section", {}, Text.element("h2", {}, front.name), Text.element("p", {class: "facts"}, front.facts),
      this.chartElement, this.chosen);
  }

  attach(tell) {
    this.chart = echarts.init(this.chartElement, null, {renderer: "canvas"});
    new ResizeObserver(() => this.chart.resize()).observe(this.chartElement);
    const quiet = {color: Text.css("--quiet")};
    const split = {lineStyle: {color: Text.css("--line")}};
    const best = this.front.points.filter(point => point.best);
    const others = this.front.points.filter(point => !point.best);
    // Poor results lie outside of the initial window; the slider reaches them.
    const most = Math.max(...this.front.points.map(point => point.reserved), 1);
    const near = best.length === 0 ? most : Math.min(most, 1.06 * Math.max(...best.map(point => point.reserved)));
    const least = Math.min(...this.front.points.map(point => point.reserved));
    const from = Math.max(0, least - 0.05 * (near - least));
    const item = point => ({value: [point.reserved, point.driverMillis], point});
    this.chart.on("rendered", () => this.placed.clear());
    this.chart.on("click", event => {
      if (!event.data.point) return;
      this.choose(event.data.point);
      tell(event.data.point.name + ": " + event.data.point.facts);
    });
    this.chart.setOption({
      animation: false,
      grid: {left: 80, right: 40, top: 36, bottom: 84},
      legend: {top: 0, icon: "circle", textStyle: {color: Text.css("--text")}},
      dataZoom: [{type: "inside", startValue: from, endValue: near, filterMode: "none"},
        {type: "slider", startValue: from, endValue: near, filterMode: "none", height: 20, bottom: 6, showDataShadow: false, brushSelect: false,
          labelFormatter: Text.shortBytes, textStyle: quiet, borderColor: Text.css("--line")}],
      tooltip: {confine: true, backgroundColor: Text.css("--page"), borderColor: Text.css("--line"), textStyle: {color: Text.css("--text"), fontSize: 12},
        formatter: params => Text.element("div", {class: "tip"}, Text.element("b", {}, params.data.point.name),
          Text.element("div", {}, params.data.point.facts))},
      xAxis: {type: "value", min: from, max: most * 1.02, name: "peak of reserved memory", nameLocation: "middle", nameGap: 28, nameTextStyle: quiet,
        axisLabel: {...quiet, formatter: Text.bytes, hideOverlap: true, showMaxLabel: false},
        splitNumber: 6, splitLine: split},
      yAxis: {type: "log", name: "driver time, ms", nameTextStyle: quiet, axisLabel: quiet, splitLine: split},
      series: [
        {name: "others", type: "scatter", symbolSize: 8, itemStyle: {color: "#a7adb4"}, data: others.map(item)},
        {name: "best", type: "scatter", symbolSize: 13, itemStyle: {color: Text.css("--accent")}, data: best.map(item),
          label: {show: true, position: "right", align: "left", verticalAlign: "middle", distance: 14, color: Text.css("--text"), fontSize: 11,
            formatter: params => params.data.point.name},
          labelLayout: params => this.place(params), labelLine: {show: true, lineStyle: {color: Text.css("--quiet")}}},
      ],
    });
    if (best.length > 0) this.choose(best[0]);
  }

  // Moves a label up until it overlaps none of those that were placed in this rendering.
  place({dataIndex, labelRect}) {
    this.placed.delete(dataIndex);
    const {x, width, height} = labelRect;
    const others = [...this.placed.values()].filter(other => other.x < x + width && x < other.x + other.width);
    let y = labelRect.y;
    while (others.some(other => Math.abs(other.y - y) < height + 6)) y -= 2;
    this.placed.set(dataIndex, {x, y, width});
    return {x, y: y + height / 2};
  }

  choose(point) {
    this.chosen.textContent = point.code;
  }
}
