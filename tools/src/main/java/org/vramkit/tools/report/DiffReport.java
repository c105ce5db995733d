package org.vramkit.tools.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.page.HtmlPage;
import org.vramkit.tools.page.PageTable;
import org.vramkit.tools.page.Recording;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.usage.Difference;
import org.vramkit.tools.usage.Difference.Row;
import org.vramkit.tools.usage.Difference.Use;
import org.vramkit.tools.usage.Fragments;
import org.vramkit.tools.usage.Peaks;

/** Formats the difference of two recordings as tables of 80 columns, as JSON, or as a page. */
public final class DiffReport {
  private static final String NONE = "-";
  private static final int NAME = 30;
  private static final int LIVES = 10;

  /** Share of the whole difference that the rows of the text may leave to the rest. */
  private static final double REST = 0.01;

  private static final Pattern LINE = Pattern.compile(":(\\d+)\\)$");

  // The last two parts of a name with dots, and the last of a path.
  private static final Pattern FRAME =
      Pattern.compile("(?:.*?\\.)??((?:[^.(]*\\.)?[^.(]*)\\((?:.*[/\\\\])?([^()/\\\\]*)\\)");

  /** Share by which numbers of blocks and their lives may differ without being listed. */
  private static final double LIFE = 0.1;

  private DiffReport() {}

  /**
   * Two recordings of one device.
   *
   * @param before the first recording
   * @param after the second recording
   * @param differences their differences by owner and tag, or by size
   */
  public record Pair(Trace before, Trace after, List<Difference> differences) {
    /** Compares two recordings with details. */
    public static Pair of(Trace before, Trace after) {
      return new Pair(before, after, Difference.between(before, after));
    }
  }

  /** Formats the tables of each pair. */
  public static String text(List<Pair> pairs, Style style) {
    StringBuilder text = new StringBuilder();
    for (Pair pair : pairs) {
      text.append(text.isEmpty() ? "" : "\n");
      text.append(Lines.wrap("A  " + TraceLabels.name(pair.before()), 0));
      text.append(Lines.wrap("B  " + TraceLabels.name(pair.after()), 0));
      text.append(Lines.wrap(headline(pair.differences().get(0)), 0)).append('\n');
      text.append(table(figures(pair), style)).append('\n');
      for (Difference each : pair.differences()) {
        List<Row> shown = shown(each);
        if (!shown.isEmpty()) {
          text.append(style.heading(title(each))).append('\n');
          text.append(table(owners(each, shown), style)).append('\n');
        }
      }
      List<List<String>> lives = lives(pair.differences().get(0));
      if (lives.size() > 1) {
        text.append(style.heading("Blocks that live otherwise, A / B")).append('\n');
        text.append(table(lives, style).wrap(1, 15).wrap(2, 13).wrap(3, 16)).append('\n');
      }
      notes(text, "A", pair.before());
      notes(text, "B", pair.after());
    }
    return text.toString().stripTrailing() + "\n";
  }

  private static void notes(StringBuilder text, String name, Trace trace) {
    TraceNotes.of(trace).forEach(note -> text.append(Lines.wrap(name + "  " + note, 0)));
  }

  private static TextTable table(List<List<String>> rows, Style style) {
    TextTable table = new TextTable(style).wrap(0, NAME);
    rows.forEach(row -> table.row(row.toArray(new String[0])));
    return table;
  }

  /** Describes the difference and what explains most of it in a sentence. */
  private static String headline(Difference difference) {
    long bytes = difference.peakBytes();
    if (bytes == 0) {
      List<Row> moved = otherLives(difference);
      return "The requested peaks are equal"
          + (moved.isEmpty()
              ? "."
              : "; "
                  + plain(moved.get(0).getName())
                  + " holds "
                  + onAverage(moved.get(0))
                  + " on average in B.");
    }
    Row first = difference.rows().get(0);
    return "The requested peak of B is "
        + ByteSize.format(Math.abs(bytes))
        + (bytes > 0 ? " larger" : " smaller")
        + (Long.signum(first.getBytes()) == Long.signum(bytes)
            ? ", most by " + named(difference, first) + ": " + signed(first.getBytes())
            : "")
        + ".";
  }

  private static String named(Difference difference, Row row) {
    return (difference.noun().equals("size") ? "blocks of " : "") + plain(row.getName());
  }

  private static String onAverage(Row row) {
    long bytes = Math.round(row.getMeanBytes());
    return bytes == 0
        ? "as much"
        : ByteSize.format(Math.abs(bytes)) + (bytes > 0 ? " more" : " less");
  }

  private static String title(Difference difference) {
    return "By " + difference.noun() + ", at the larger peak and the moment most like it";
  }

  /** Formats a size with its sign. */
  private static String signed(long bytes) {
    return (bytes > 0 ? "+" : "") + ByteSize.format(bytes);
  }

  private static List<List<String>> figures(Pair pair) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("", "A", "B", "difference", "%"));
    Figures a = Figures.of(pair.before());
    Figures b = Figures.of(pair.after());
    bytes(rows, "requested peak", a.peaks().requestedBytes(), b.peaks().requestedBytes());
    bytes(rows, "reserved peak", a.peaks().reservedBytes(), b.peaks().reservedBytes());
    if (a.peaks().getRatio() != null || b.peaks().getRatio() != null) {
      String first = ratio(a.peaks().getRatio());
      rows.add(List.of("reserved / requested", first, ratio(b.peaks().getRatio()), "", ""));
    }
    Fragments before = a.fragments();
    Fragments after = b.fragments();
    bytes(rows, "unused at the requested peak", before.unusedBytes(), after.unusedBytes());
    bytes(rows, "largest unused range", before.largestBytes(), after.largestBytes());
    counts(rows, "unused ranges", whole(before.ranges()), whole(after.ranges()));
    counts(
        rows,
        "allocations",
        (long) pair.before().getAllocationCount(),
        (long) pair.after().getAllocationCount());
    bytes(rows, "live at the end", a.endBytes(), b.endBytes());
    long failures = pair.before().getRecordedFailures();
    long later = pair.after().getRecordedFailures();
    if (failures + later > 0) {
      counts(rows, "out of memory", failures, later);
    }
    return rows;
  }

  private static @Nullable Long whole(@Nullable Integer count) {
    return count == null ? null : Long.valueOf(count);
  }

  private static String ratio(@Nullable Double ratio) {
    return ratio == null ? NONE : String.format(Locale.ROOT, "%.4f", ratio);
  }

  private static void bytes(
      List<List<String>> rows, String name, @Nullable Long a, @Nullable Long b) {
    row(rows, name, a, b, ByteSize::format, DiffReport::signed);
  }

  private static void counts(
      List<List<String>> rows, String name, @Nullable Long a, @Nullable Long b) {
    row(rows, name, a, b, DiffReport::count, each -> (each > 0 ? "+" : "") + count(each));
  }

  private static void row(
      List<List<String>> rows,
      String name,
      @Nullable Long a,
      @Nullable Long b,
      Function<Long, String> plain,
      Function<Long, String> signed) {
    if (a == null && b == null) {
      return;
    }
    rows.add(
        List.of(
            name,
            a == null ? NONE : plain.apply(a),
            b == null ? NONE : plain.apply(b),
            a == null || b == null ? NONE : signed.apply(b - a),
            a == null || b == null ? NONE : share(b - a, a)));
  }

  private static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  private static String share(long part, long whole) {
    return whole == 0 ? NONE : String.format(Locale.ROOT, "%+.1f", 100.0 * part / whole);
  }

  /**
   * Returns the rows that change, without the smallest: the changes of those sum to at most a
   * hundredth of the difference.
   */
  private static List<Row> shown(Difference difference) {
    List<Row> changed = difference.rows().stream().filter(row -> row.getBytes() != 0).toList();
    long gross = changed.stream().mapToLong(row -> Math.abs(row.getBytes())).sum();
    double most = REST * Math.max(Math.abs(difference.peakBytes()), 1);
    List<Row> shown = new ArrayList<>(changed);
    List<Row> smallest = new ArrayList<>(changed);
    smallest.sort((x, y) -> Long.compare(Math.abs(x.getBytes()), Math.abs(y.getBytes())));
    long left = 0;
    for (Row row : smallest) {
      left += Math.abs(row.getBytes());
      if (left > Math.min(most, REST * gross) || shown.size() == 1) {
        break;
      }
      shown.remove(row);
    }
    return shown;
  }

  private static List<List<String>> owners(Difference difference, List<Row> shown) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of(difference.noun(), "A", "B", "difference", "%"));
    long rest = difference.peakBytes() - difference.momentBytes();
    for (Row row : shown) {
      rest -= row.getBytes();
      rows.add(
          List.of(
              name(row),
              row.before() == null ? "new" : ByteSize.format(row.first().bytes()),
              row.after() == null ? "gone" : ByteSize.format(row.second().bytes()),
              signed(row.getBytes()),
              share(row.getBytes(), Math.abs(difference.peakBytes()))));
    }
    if (rest != 0) {
      sum(rows, "others", rest, difference);
    }
    if (difference.momentBytes() != 0) {
      sum(rows, "the smaller peak is at another moment", difference.momentBytes(), difference);
    }
    sum(rows, "requested peak", difference.peakBytes(), difference);
    return rows;
  }

  private static void sum(List<List<String>> rows, String name, long bytes, Difference difference) {
    rows.add(List.of(name, "", "", signed(bytes), share(bytes, Math.abs(difference.peakBytes()))));
  }

  /** Names a row, with both names if its line or folder has moved. */
  private static String name(Row row) {
    String name = row.getName();
    if (row.before() == null || row.after() == null || row.before().equals(row.after())) {
      return shortened(name);
    }
    Matcher was = LINE.matcher(row.before());
    boolean hasOnlyMoved = LINE.matcher(name).replaceFirst("").equals(was.replaceFirst(""));
    return shortened(name)
        + ", was "
        + (hasOnlyMoved ? "line " + line(was) : shortened(row.before()));
  }

  /** Drops the package of a method and the folder of a file, as the page does. */
  private static String shortened(String name) {
    Matcher frame = FRAME.matcher(plain(name));
    return frame.matches() ? frame.group(1) + " (" + frame.group(2) + ")" : plain(name);
  }

  private static String line(Matcher was) {
    was.reset();
    return was.find() ? was.group(1) : "0";
  }

  /** Replaces control characters, which recordings may contain. */
  private static String plain(String name) {
    return name.replaceAll("\\p{Cntrl}", "?");
  }

  /** Returns the rows whose blocks are more, live longer, or are kept; most memory first. */
  private static List<Row> otherLives(Difference difference) {
    return difference.rows().stream()
        .filter(DiffReport::livesOtherwise)
        .sorted((x, y) -> Double.compare(Math.abs(y.getMeanBytes()), Math.abs(x.getMeanBytes())))
        .toList();
  }

  private static List<List<String>> lives(Difference difference) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of(difference.noun(), "allocations", "live at the end", "mean life, events"));
    for (Row row : otherLives(difference).stream().limit(LIVES).toList()) {
      Use a = row.first();
      Use b = row.second();
      rows.add(
          List.of(
              name(row),
              count(a.allocations()) + " / " + count(b.allocations()),
              count(a.kept()) + " / " + count(b.kept()),
              life(a) + " / " + life(b)));
    }
    return rows;
  }

  private static boolean livesOtherwise(Row row) {
    Use a = row.first();
    Use b = row.second();
    // The lifetime of a block that is never freed is that of the recording.
    boolean isKept = a.kept() == a.allocations() && b.kept() == b.allocations();
    return a.kept() != b.kept()
        || isOther((double) a.allocations(), (double) b.allocations())
        || (!isKept && isOther(a.meanLife(), b.meanLife()));
  }

  private static boolean isOther(double a, double b) {
    return Math.abs(a - b) > LIFE * Math.max(a, b);
  }

  private static String life(Use use) {
    return use.allocations() == 0 ? NONE : String.format(Locale.ROOT, "%,.1f", use.meanLife());
  }

  /** Formats a JSON object with the array {@code pairs}, whose keys are stable. */
  public static String json(List<Pair> pairs) {
    ObjectNode root = Json.object();
    ArrayNode array = root.putArray("pairs");
    for (Pair pair : pairs) {
      ObjectNode node = array.addObject();
      node.set("a", figures(pair.before()));
      node.set("b", figures(pair.after()));
      node.put("requestedDifferenceBytes", pair.differences().get(0).peakBytes());
      ArrayNode differences = node.putArray("differences");
      for (Difference each : pair.differences()) {
        difference(differences.addObject(), each);
      }
    }
    return Json.text(root);
  }

  private static ObjectNode figures(Trace trace) {
    ObjectNode node = Json.object();
    Figures figures = Figures.of(trace);
    node.put("recording", trace.getName());
    node.put("format", trace.getFormat().getLabel());
    node.put("requestedPeakBytes", figures.peaks().requestedBytes());
    node.put("reservedPeakBytes", figures.peaks().reservedBytes());
    node.put("reservedRatio", figures.peaks().getRatio());
    node.put("unusedBytes", figures.fragments().unusedBytes());
    node.put("unusedRanges", figures.fragments().ranges());
    node.put("largestUnusedRangeBytes", figures.fragments().largestBytes());
    node.put("allocations", trace.getAllocationCount());
    node.put("endBytes", figures.endBytes());
    node.put("recordedFailures", trace.getRecordedFailures());
    node.set("repairs", Json.counts(trace.getRepairs()));
    Json.texts(node.putArray("notInRecording"), trace.getGaps());
    return node;
  }

  private static void difference(ObjectNode node, Difference difference) {
    node.put("by", difference.noun());
    node.put("otherMomentBytes", difference.momentBytes());
    ArrayNode rows = node.putArray("rows");
    for (Row row : difference.rows()) {
      ObjectNode each = rows.addObject();
      each.put("a", row.before());
      each.put("b", row.after());
      each.put("differenceBytes", row.getBytes());
      each.set("inA", use(row.first()));
      each.set("inB", use(row.second()));
    }
  }

  private static ObjectNode use(Use use) {
    return Json.object()
        .put("bytes", use.bytes())
        .put("blocks", use.blocks())
        .put("allocations", use.allocations())
        .put("liveAtEnd", use.kept())
        .put("meanLifetimeEvents", use.meanLife())
        .put("meanBytes", use.meanBytes());
  }

  /** Creates a page with the tables and both recordings of each pair. */
  public static HtmlPage page(List<Pair> pairs) {
    List<PageTable> tables = new ArrayList<>();
    List<Recording> recordings = new ArrayList<>();
    for (Pair pair : pairs) {
      tables.add(pageTable(figures(pair)));
      for (Difference each : pair.differences()) {
        tables.add(pageTable(owners(each, shown(each))));
      }
      recordings.add(Recording.of(pair.before()));
      recordings.add(Recording.of(pair.after()));
    }
    return new HtmlPage("diff", tables, List.of(), recordings);
  }

  private static PageTable pageTable(List<List<String>> rows) {
    return new PageTable(rows.get(0), rows.subList(1, rows.size()));
  }

  /** Figures of one recording. */
  private record Figures(Peaks peaks, Fragments fragments, long endBytes) {
    static Figures of(Trace trace) {
      long live = 0;
      for (int i = 0; i < trace.getEventCount(); i++) {
        long size = trace.getSize(trace.getAllocation(i));
        live += trace.isAllocation(i) ? size : -size;
      }
      return new Figures(Peaks.of(trace), Fragments.of(trace), live);
    }
  }
}
