"use strict";
// Assembles the page and dispatches clicks.
(async () => {
  const status = document.getElementById("status");
  const tell = text => { status.textContent = text; };
  try {
    const begin = performance.now();
    const data = await Data.read(document.getElementById("data").textContent.trim());
    document.title = "Vramkit " + data.title;
    document.querySelector("h1").textContent = "Vramkit " + data.title;
    const main = document.getElementById("main");
    (data.tables || []).forEach(table => main.append(Text.element("div", {class: "scroll"}, Text.table(table.columns, table.rows))));
    const fronts = (data.fronts || []).map(front => new ParetoChart(front));
    fronts.forEach(front => main.append(front.element));
    fronts.forEach(front => front.attach(tell));
    if (data.recordings.length > 0) new Recordings(data.recordings, main, tell);
    else tell("");
    document.body.dataset.readyMillis = (performance.now() - begin).toFixed(0);
    document.body.dataset.sinceStart = performance.now().toFixed(0);
    document.body.dataset.ready = "true";
  } catch (failure) {
    status.className = "failed";
    tell("The data of this page cannot be read: " + failure.message + ". A browser of 2023 or newer is needed.");
    throw failure;
  }
})();
