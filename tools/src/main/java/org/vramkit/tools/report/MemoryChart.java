package org.vramkit.tools.report;

import java.util.Locale;
import org.vramkit.tools.replay.Timeline;

/** Requested and reserved bytes over time as SVG; colours come from the page. */
final class MemoryChart {
  private static final int WIDTH = 960;
  private static final int HEIGHT = 340;
  private static final int LEFT = 72;
  private static final int RIGHT = 16;
  private static final int TOP = 12;
  private static final int BOTTOM = 48;

  private final long[] nanos;
  private final long[] requested;
  private final long[] reserved;
  private final Axis x;
  private final Axis y;
  private final StringBuilder svg = new StringBuilder();

  private MemoryChart(Timeline timeline) {
    nanos = timeline.getNanos();
    requested = timeline.getRequested();
    reserved = timeline.getReserved();
    long end = nanos.length == 0 ? 0 : nanos[nanos.length - 1];
    long most = 1;
    for (int i = 0; i < nanos.length; i++) {
      most = Math.max(most, Math.max(requested[i], reserved[i]));
    }
    x = Axis.ofNanos(end);
    y = Axis.ofBytes(most);
  }

  static String of(Timeline timeline) {
    return new MemoryChart(timeline).draw();
  }

  private String draw() {
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"requested and reserved memory"
                + " over time\">%n",
            WIDTH,
            HEIGHT));
    grid();
    String line = path(requested);
    svg.append("<path class=\"area\" d=\"")
        .append(line)
        .append(String.format(Locale.ROOT, "L%.1f,%.1fL%.1f,%.1fZ", endX(), py(0), px(0), py(0)))
        .append("\"/>\n");
    svg.append("<path class=\"requested\" d=\"").append(line).append("\"/>\n");
    svg.append("<path class=\"reserved\" d=\"").append(path(reserved)).append("\"/>\n");
    return svg.append("</svg>\n").toString();
  }

  private void grid() {
    for (int i = 0; i * y.step() <= y.max() * 1.0001; i++) {
      double at = py(i * y.step());
      line("grid", LEFT, at, WIDTH - RIGHT, at);
      text("end", LEFT - 8, at + 4, y.tick(i * y.step()));
    }
    for (int i = 0; i * x.step() <= x.max() * 1.0001; i++) {
      double at = px(i * x.step());
      line("grid", at, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 5);
      text("middle", at, HEIGHT - BOTTOM + 20, x.tick(i * x.step()));
    }
    text(
        "middle",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 8,
        "time since the first event, " + x.label());
    svg.append(
        String.format(
            Locale.ROOT,
            "<text text-anchor=\"middle\" transform=\"translate(16,%d) rotate(-90)\">memory,"
                + " %s</text>%n",
            (TOP + HEIGHT - BOTTOM) / 2,
            y.label()));
  }

  /** Steps: a value holds until the next point. */
  private String path(long[] values) {
    StringBuilder path = new StringBuilder();
    path.append(String.format(Locale.ROOT, "M%.1f,%.1f", px(0), py(0)));
    for (int i = 0; i < values.length; i++) {
      path.append(
          String.format(Locale.ROOT, "H%.1fV%.1f", px((double) nanos[i]), py((double) values[i])));
    }
    return path.toString();
  }

  private double endX() {
    return nanos.length == 0 ? px(0) : px((double) nanos[nanos.length - 1]);
  }

  private double px(double value) {
    return LEFT + value / x.max() * (WIDTH - LEFT - RIGHT);
  }

  private double py(double value) {
    return HEIGHT - BOTTOM - value / y.max() * (HEIGHT - TOP - BOTTOM);
  }

  private void line(String style, double x1, double y1, double x2, double y2) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n",
            style,
            x1,
            y1,
            x2,
            y2));
  }

  private void text(String anchor, double atX, double atY, String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>%n",
            anchor,
            atX,
            atY,
            text));
  }
}
