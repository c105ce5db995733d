package org.vramkit.tools.trace;

import java.util.Arrays;
import java.util.List;

/**
 * Reads {@link TraceFormat#CSV}. Files with only the five required columns are complete, so gaps in
 * them are errors. Files with more columns come from an allocator's history, which drops its oldest
 * events, so gaps in them are repaired.
 */
final class CsvTrace {
  static final String HEADER = "action,addr,size,stream,time_us";
  private static final List<String> COLUMNS = List.of(HEADER.split(",", -1));
  private static final List<String> KNOWN = List.of((HEADER + ",tag,thread,stack").split(",", -1));
  private static final int ABSENT = -1;

  private final RowReader rows;
  private final Origins origins;
  private final int tag;
  private final int thread;
  private final int stack;

  private CsvTrace(RowReader rows, Origins origins, List<String> header) {
    this.rows = rows;
    this.origins = origins;
    this.tag = header.indexOf("tag");
    this.thread = header.indexOf("thread");
    this.stack = header.indexOf("stack");
  }

  static Trace read(TraceInput input, boolean detailed) {
    RowReader rows = new RowReader(input);
    String header = rows.next() ? rows.text() : "";
    List<String> columns = Arrays.asList(header.split(",", -1));
    int count = COLUMNS.size();
    if (columns.size() < count || !columns.subList(0, count).equals(COLUMNS)) {
      throw rows.error(
          "wrong header '"
              + Text.printable(header, 80)
              + "'; expected '"
              + HEADER
              + "', optionally followed by tag, thread and stack");
    }
    for (String name : KNOWN) {
      if (columns.indexOf(name) != columns.lastIndexOf(name)) {
        throw rows.error("the header has the column '" + name + "' twice; remove one of them");
      }
    }
    Origins origins = new Origins();
    TraceDetails details = detailed ? new TraceDetails(origins) : null;
    CsvTrace trace = new CsvTrace(rows, origins, columns);
    TraceBuilder builder = new TraceBuilder(rows, columns.size() > count, details);
    while (rows.next()) {
      if (rows.isCut() && !isWhole(rows, columns.size())) {
        builder.repair(Repair.CUT_ROW, 1);
        break;
      }
      rows.expect(columns.size(), header);
      SnapshotAction action = SnapshotAction.of(rows);
      if (action == SnapshotAction.UNKNOWN) {
        builder.unknownAction(rows.text(0));
        continue;
      }
      long address = rows.address(1, "addr");
      long size = rows.decimal(2, "size");
      long stream = rows.address(3, "stream");
      long nanos = TraceBuilder.nanosOfMicros(rows.decimal(4, "time_us"), rows);
      if (details != null) {
        details.origin(trace.origin());
      }
      action.apply(builder, address, size, stream, nanos);
    }
    return builder.build(input.getName(), TraceFormat.CSV);
  }

  /**
   * Returns whether a last row without a line break is complete. Scripts that write only the five
   * required columns may omit the line break; a history never does.
   */
  private static boolean isWhole(RowReader rows, int columns) {
    int count = COLUMNS.size();
    return columns == count && rows.getFieldCount() == count && !rows.is(count - 1, "");
  }

  private Origin origin() {
    return new Origin(
        tag == ABSENT ? 0 : origins.tags.number(rows.text(tag)),
        stack == ABSENT ? 0 : origins.stacks.number(rows.text(stack)),
        thread == ABSENT ? 0 : origins.threads.number(rows.text(thread)));
  }
}
