package org.vramkit.tools.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.vramkit.partition.plan.Plan;
import org.vramkit.partition.plan.Tile;
import org.vramkit.partition.scatter.ScatterReport;

/**
 * Formats a division of work and the forecast of its time as text or JSON.
 *
 * @param units number of units
 * @param scores of the devices, by ordinal
 * @param rates units a second, by ordinal
 * @param plan the plan of a planned scatter, which respects device memory
 * @param planned forecast of a planned scatter with unlimited memory
 * @param guided forecast of a guided scatter
 */
@SuppressWarnings("ArrayRecordComponent") // reports are not compared
public record PartitionReport(
    long units,
    double[] scores,
    double[] rates,
    Plan plan,
    ScatterReport planned,
    ScatterReport guided) {

  private static final int COUNTS_WIDTH = 36;

  /** Formats tables of 80 columns. */
  public String text(Style style) {
    TextTable tiles = new TextTable(style).row("round", "device", "from", "to", "units");
    for (int round = 0; round < plan.rounds().size(); round++) {
      for (Tile tile : plan.rounds().get(round)) {
        tiles.row(
            Integer.toString(round),
            Integer.toString(tile.ordinal()),
            Long.toString(tile.from()),
            Long.toString(tile.to()),
            Long.toString(tile.getUnits()));
      }
    }
    TextTable times = new TextTable(style).left(4).wrap(4, COUNTS_WIDTH);
    times.row("schedule", "time", "efficiency", "chunks", "units by device");
    row(times, "planned", planned);
    row(times, "guided", guided);
    StringBuilder text = new StringBuilder();
    text.append(style.heading("The plan, by scores")).append('\n').append(tiles).append('\n');
    text.append(style.heading("Forecast, modelled from the rates: no device has run"))
        .append('\n')
        .append(times);
    plan.skipped().forEach(each -> text.append(Lines.wrap("skipped " + each, 0)));
    return text.toString();
  }

  private void row(TextTable table, String name, ScatterReport report) {
    long[] counts = counts(report.tiles());
    table.row(
        name,
        String.format(Locale.ROOT, "%.6g s", report.nanos() / 1e9),
        String.format(Locale.ROOT, "%.4f", efficiency(report)),
        Integer.toString(report.runs().size()),
        String.join(" ", Arrays.stream(counts).mapToObj(Long::toString).toList()));
  }

  private long[] counts(List<Tile> tiles) {
    long[] counts = new long[scores.length];
    tiles.forEach(tile -> counts[tile.ordinal()] += tile.getUnits());
    return counts;
  }

  /**
   * Returns the ideal time, in which units could be split to keep all devices busy to the end,
   * divided by the time of {@code report}; at most 1.
   */
  private double efficiency(ScatterReport report) {
    double ideal = units / Arrays.stream(rates).sum() * 1e9;
    return report.nanos() == 0 ? 1 : Math.min(1, ideal / report.nanos());
  }

  /** Formats a JSON object. */
  public String json() {
    ObjectNode root = Json.object();
    root.put("units", units);
    ArrayNode devices = root.putArray("devices");
    for (int i = 0; i < scores.length; i++) {
      ObjectNode device = devices.addObject();
      device.put("ordinal", i);
      device.put("score", scores[i]);
      device.put("unitsPerSecond", rates[i]);
    }
    ArrayNode rounds = root.putArray("rounds");
    plan.rounds().forEach(round -> add(rounds.addArray(), round));
    ArrayNode skipped = root.putArray("skipped");
    plan.skipped().forEach(skipped::add);
    root.set("planned", node(planned));
    root.set("guided", node(guided));
    return Json.text(root);
  }

  private ObjectNode node(ScatterReport report) {
    ObjectNode node = Json.object();
    node.put("seconds", report.nanos() / 1e9);
    node.put("efficiency", efficiency(report));
    add(node.putArray("chunks"), report.getOrder());
    return node;
  }

  private static void add(ArrayNode target, List<Tile> tiles) {
    for (Tile tile : tiles) {
      ObjectNode node = target.addObject();
      node.put("device", tile.ordinal());
      node.put("from", tile.from());
      node.put("to", tile.to());
    }
  }
}
