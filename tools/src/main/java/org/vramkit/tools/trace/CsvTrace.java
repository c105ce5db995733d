package org.vramkit.tools.trace;

/** Reads {@link TraceFormat#CSV}: complete from the first allocation on, so nothing is repaired. */
final class CsvTrace {
  static final String HEADER = "action,addr,size,stream,time_us";

  private CsvTrace() {}

  static Trace read(TraceInput input) {
    RowReader rows = new RowReader(input);
    if (!rows.next() || !rows.text().equals(HEADER)) {
      throw rows.error("wrong header '" + rows.text() + "'; expected '" + HEADER + "'");
    }
    TraceBuilder builder = new TraceBuilder(rows, false);
    while (rows.next()) {
      rows.expect(5, HEADER);
      SnapshotAction action = SnapshotAction.of(rows);
      long address = rows.decimal(1, "addr");
      long size = rows.decimal(2, "size");
      long stream = rows.decimal(3, "stream");
      long nanos = TraceBuilder.nanosOfMicros(rows.decimal(4, "time_us"), rows);
      action.apply(builder, address, size, stream, nanos);
    }
    return builder.build(input.getName(), TraceFormat.CSV);
  }
}
