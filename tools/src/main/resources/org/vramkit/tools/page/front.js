"use strict";
// Results of many replays: what each reserved and what it took at the driver; the best are a line.
class Front {
  constructor(front) {
    this.front = front;
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
    const best = this.front.points.filter(point => point.best).sort((a, b) => a.reserved - b.reserved);
    const item = point => ({value: [point.reserved, point.driverMillis], point});
    this.chart.on("click", event => {
      if (!event.data.point) return;
      this.choose(event.data.point);
      tell(event.data.point.name + ": " + event.data.point.facts);
    });
    this.chart.setOption({
      animation: false,
      grid: {left: 80, right: 30, top: 36, bottom: 48},
      legend: {top: 0, textStyle: {color: Text.css("--text")}},
      tooltip: {confine: true, backgroundColor: Text.css("--page"), borderColor: Text.css("--line"), textStyle: {color: Text.css("--text"), fontSize: 12},
        formatter: params => Text.element("div", {class: "tip"}, Text.element("b", {}, params.data.point.name),
          Text.element("div", {}, params.data.point.facts))},
      xAxis: {type: "value", scale: true, name: "peak of reserved memory", nameLocation: "middle", nameGap: 28, nameTextStyle: quiet,
        axisLabel: {...quiet, formatter: Text.shortBytes}, splitLine: split},
      yAxis: {type: "log", name: "driver time, ms", nameTextStyle: quiet, axisLabel: quiet, splitLine: split},
      series: [
        {name: "others", type: "scatter", symbolSize: 8, itemStyle: {color: "#a7adb4"}, data: this.front.points.filter(point => !point.best).map(item)},
        {name: "best", type: "line", symbolSize: 11, step: false, itemStyle: {color: Text.css("--accent")}, data: best.map(item)},
      ],
    });
    if (best.length > 0) this.choose(best[0]);
  }

  choose(point) {
    this.chosen.textContent = point.code;
  }
}
