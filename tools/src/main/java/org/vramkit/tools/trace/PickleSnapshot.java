package org.vramkit.tools.trace;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link TraceFormat#SNAPSHOT_PICKLE}. The contents are checked after the whole pickle is
 * read, so errors name the place in its structure instead of a byte.
 */
final class PickleSnapshot implements Position {
  private static final String SEGMENTS = "segments";
  private static final String TRACES = "device_traces";
  private static final int NOWHERE = -1;

  private final String name;
  private final SnapshotBuilder builder;
  private final PickleEntries entries;
  // A shared list or dictionary could make a small file expand without bound.
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  // The current position: a list in the root, an index in this list, and an index in that element.
  private String part = "";
  private int outer = NOWHERE;
  private int inner = NOWHERE;

  private PickleSnapshot(String name, boolean detailed) {
    this.name = name;
    this.builder = new SnapshotBuilder(this, detailed);
    this.entries = new PickleEntries(builder.getOrigins());
  }

  static List<Trace> read(TraceInput source, boolean detailed) {
    PickleSnapshot snapshot = new PickleSnapshot(source.getName(), detailed);
    Object root = new PickleReader(new PickleInput(source), snapshot.entries).read();
    if (root instanceof List<?> segments) {
      snapshot.segments(segments);
    } else {
      snapshot.root(snapshot.dict(root, "the pickle"));
    }
    return snapshot.builder.build(source.getName(), TraceFormat.SNAPSHOT_PICKLE);
  }

  @Override
  public TraceException error(String problem) {
    return new TraceException(name + place(), problem);
  }

  /** Returns the position, such as {@code :device_traces[0][17]}. */
  private String place() {
    return (part.isEmpty() ? "" : ":" + part) + index(outer) + index(inner);
  }

  private static String index(int at) {
    return at == NOWHERE ? "" : "[" + at + "]";
  }

  private void root(PickleDict root) {
    segments(root.get(SEGMENTS));
    if (root.get("allocator_settings") instanceof PickleDict settings) {
      settings.forEach(
          (key, value) -> {
            if (key instanceof String name && value instanceof Long number) {
              builder.setting(name, number);
            } else if (key instanceof String name && value == Boolean.TRUE) {
              builder.setting(name, 1);
            }
          });
    }
    enter(TRACES);
    for (Object device : list(root.get(TRACES), TRACES)) {
      outer++;
      inner = NOWHERE;
      builder.nextDevice();
      for (Object entry : list(device, "a device's trace")) {
        if (entry instanceof PickleEntries.Run run) {
          run(run);
        } else {
          inner++;
          entry(dict(entry, "a trace entry"));
        }
      }
    }
  }

  private void segments(@Nullable Object segments) {
    enter(SEGMENTS);
    for (Object segment : list(segments, SEGMENTS)) {
      outer++;
      segment(dict(segment, "a segment"));
    }
  }

  private void enter(String list) {
    part = list;
    outer = NOWHERE;
    inner = NOWHERE;
  }

  private void run(PickleEntries.Run run) {
    for (int i = 0; i < run.count(); i++) {
      inner++;
      entries.moveTo(run.first() + i, builder);
    }
  }

  private void entry(PickleDict entry) {
    String action = entry.get("action") instanceof String word ? word : null;
    if (SnapshotAction.of(action) == SnapshotAction.UNKNOWN) {
      builder.entry(action, null, null, null, null, Origin.UNKNOWN);
      return;
    }
    Long address = number(entry, "addr");
    builder.entry(
        action,
        address == null ? number(entry, "device_free") : address,
        number(entry, "size"),
        number(entry, "stream"),
        number(entry, "time_us"),
        entries.origin(entry));
  }

  private void segment(PickleDict segment) {
    Long device = number(segment, "device");
    Long address = number(segment, "address");
    Long stream = number(segment, "stream");
    Long bytes = number(segment, "total_size");
    builder.segment(orZero(device), orZero(bytes));
    long next = address == null ? 0 : address;
    for (Object item : list(segment.get("blocks"), "a segment's blocks")) {
      PickleDict block = dict(item, "a block");
      // Early versions record no addresses; blocks are contiguous in the segment.
      Long own = number(block, "address");
      long start = own == null ? next : own;
      Long size = number(block, "size");
      builder.block(
          block.get("state") instanceof String state ? state : null,
          orZero(device),
          start,
          orZero(size),
          number(block, "requested_size"),
          orZero(stream),
          entries.origin(block));
      next = start + orZero(size);
    }
  }

  private static long orZero(@Nullable Long value) {
    return value == null ? 0 : value;
  }

  private @Nullable Long number(PickleDict dict, String key) {
    Object value = dict.get(key);
    if (value == null || value == PickleReader.NONE) {
      return null;
    }
    if (value instanceof Long number) {
      return number;
    }
    throw error(key + " is not a whole number");
  }

  private PickleDict dict(Object value, String what) {
    if (!(value instanceof PickleDict dict)) {
      throw error(what + " is not a dictionary; this is not a memory snapshot");
    }
    // A sealed dictionary is the second occurrence of an extracted entry.
    if (dict.isSealed() || !dict.take()) {
      throw twice(what);
    }
    return dict;
  }

  private List<?> list(@Nullable Object value, String what) {
    if (!(value instanceof List<?> list)) {
      throw error(what + " is missing or not a list; this is not a memory snapshot");
    }
    if (!list.isEmpty() && !seen.add(list)) {
      throw twice(what);
    }
    return list;
  }

  private TraceException twice(String what) {
    return error(what + " occurs twice in the pickle's structure, which PyTorch never writes");
  }
}
