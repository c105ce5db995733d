package org.vramkit.tools.trace;

/**
 * Reads {@link TraceFormat#RMM}. The column of threads is optional, because the first versions lack
 * it. Gaps are errors. Rows of the null pointer are skipped. Stream 0x2 means the default stream of
 * the row's thread.
 */
final class RmmLog {
  static final String HEADER = "Thread,Time,Action,Pointer,Size,Stream";
  private static final String HEADER_WITHOUT_THREAD = "Time,Action,Pointer,Size,Stream";
  private static final long LEGACY_STREAM = 1;
  private static final long PER_THREAD_STREAM = 2;
  private static final long HOUR_MICROS = 3600L * 1_000_000;
  private static final long DAY_MICROS = 24 * HOUR_MICROS;

  private final RowReader rows;
  // The index of the time column: 1 after a thread column, else 0.
  private final int time;
  private long days;
  private long lastMicros = -1;

  private RmmLog(RowReader rows, int time) {
    this.rows = rows;
    this.time = time;
  }

  static Trace read(TraceInput input, boolean detailed) {
    RowReader rows = new RowReader(input);
    boolean any = rows.next();
    String header = any ? rows.text() : "";
    if (!header.equals(HEADER) && !header.equals(HEADER_WITHOUT_THREAD)) {
      throw rows.error(
          "wrong header '"
              + header
              + "'; expected '"
              + HEADER
              + "', or, of RMM 0.13, without 'Thread,'");
    }
    Origins origins = new Origins();
    TraceDetails details = detailed ? new TraceDetails(origins) : null;
    TraceBuilder builder = new TraceBuilder(rows, false, details);
    RmmLog log = new RmmLog(rows, header.equals(HEADER) ? 1 : 0);
    while (rows.next()) {
      if (rows.isCut()) {
        // Its last field may be incomplete.
        builder.repair(Repair.CUT_ROW, 1);
        break;
      }
      rows.expect(log.time + 5, header);
      if (details != null && log.time > 0) {
        details.origin(new Origin(0, 0, origins.threads.number(rows.text(0))));
      }
      log.row(builder);
    }
    return builder.build(input.getName(), TraceFormat.RMM);
  }

  private void row(TraceBuilder builder) {
    boolean allocates = rows.is(time + 1, "allocate");
    boolean frees = rows.is(time + 1, "free");
    if (!allocates && !frees && !rows.is(time + 1, "allocate failure")) {
      builder.unknownAction(rows.text(time + 1));
      return;
    }
    long nanos = TraceBuilder.nanosOfMicros(micros(), rows);
    long pointer = rows.hexadecimal(time + 2, "Pointer");
    long size = rows.decimal(time + 3, "Size");
    long stream = stream();
    if (allocates) {
      if (pointer != 0) {
        builder.allocate(pointer, size, stream, nanos);
      } else if (size != 0) {
        throw rows.error("allocates " + size + " bytes at the null pointer");
      }
    } else if (frees) {
      if (pointer != 0) {
        builder.free(pointer, size, stream, nanos);
      } else if (size != 0) {
        throw rows.error("frees " + size + " bytes at the null pointer");
      }
    } else {
      builder.failure(0, size, stream, nanos);
    }
  }

  private long stream() {
    long stream = rows.hexadecimal(time + 4, "Stream");
    if (stream == LEGACY_STREAM) {
      return 0;
    }
    if (stream == PER_THREAD_STREAM && time > 0) {
      // Negative odd numbers are never addresses of streams.
      return -1 - 2 * threadNumber();
    }
    return stream;
  }

  private long threadNumber() {
    long thread = rows.decimal(0, "Thread");
    return Math.floorMod(thread, 1L << 61);
  }

  /** Parses {@code HH:MM:SS.ffffff}, or with a colon before the microseconds. */
  private long micros() {
    String text = rows.text(time);
    if (text.length() != 15
        || text.charAt(2) != ':'
        || text.charAt(5) != ':'
        || (text.charAt(8) != '.' && text.charAt(8) != ':')) {
      throw badTime(text);
    }
    long hours = digits(text, 0, 2);
    long minutes = digits(text, 3, 5);
    long seconds = digits(text, 6, 8);
    if (hours > 23 || minutes > 59 || seconds > 60) {
      throw badTime(text);
    }
    long micros = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + digits(text, 9, 15);
    // Threads log slightly out of order; only a step back by half a day is midnight.
    if (micros < lastMicros - DAY_MICROS / 2) {
      days++;
      lastMicros = micros;
    } else if (days > 0 && lastMicros < HOUR_MICROS && micros > DAY_MICROS - HOUR_MICROS) {
      // A late row of the previous day.
      return (days - 1) * DAY_MICROS + micros;
    }
    lastMicros = Math.max(lastMicros, micros);
    return days * DAY_MICROS + micros;
  }

  private long digits(String text, int from, int to) {
    long value = 0;
    for (int i = from; i < to; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        throw badTime(text);
      }
      value = value * 10 + digit;
    }
    return value;
  }

  private TraceException badTime(String text) {
    return rows.error("time is not HH:MM:SS.ffffff: '" + Text.printable(text, 40) + "'");
  }
}
