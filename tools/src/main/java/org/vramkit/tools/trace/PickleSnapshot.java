package org.vramkit.tools.trace;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@link TraceFormat#SNAPSHOT_PICKLE}. */
final class PickleSnapshot {
  private final PickleInput input;
  private final SnapshotBuilder builder;
  // A list that occurs twice would make a small file long without end.
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

  private PickleSnapshot(PickleInput input) {
    this.input = input;
    this.builder = new SnapshotBuilder(input);
  }

  static Trace read(TraceInput source) {
    PickleInput input = new PickleInput(source);
    PickleSnapshot snapshot = new PickleSnapshot(input);
    PickleDict root = snapshot.dict(new PickleReader(input).read(), "the pickle");
    for (Object segment : snapshot.list(root.get("segments"), "segments")) {
      snapshot.segment(snapshot.dict(segment, "a segment"));
    }
    for (Object device : snapshot.list(root.get("device_traces"), "device_traces")) {
      snapshot.builder.nextDevice();
      for (Object entry : snapshot.list(device, "a device's trace")) {
        snapshot.entry(snapshot.dict(entry, "a trace entry"));
      }
    }
    return snapshot.builder.build(source.getName(), TraceFormat.SNAPSHOT_PICKLE);
  }

  private void entry(PickleDict entry) {
    Object action = entry.get("action");
    builder.entry(
        action instanceof String word ? word : null,
        number(entry, "addr"),
        number(entry, "size"),
        number(entry, "stream"),
        number(entry, "time_us"));
  }

  private void segment(PickleDict segment) {
    Long device = number(segment, "device");
    Long address = number(segment, "address");
    long next = address == null ? 0 : address;
    for (Object item : list(segment.get("blocks"), "a segment's blocks")) {
      PickleDict block = dict(item, "a block");
      // Early versions give no address: blocks tile the segment.
      Long own = number(block, "address");
      long start = own == null ? next : own;
      if (block.get("state") instanceof String state && state.startsWith("active")) {
        builder.liveBlock(device == null ? 0 : device, start);
      }
      Long size = number(block, "size");
      next = start + (size == null ? 0 : size);
    }
  }

  private @Nullable Long number(PickleDict dict, String key) {
    Object value = dict.get(key);
    if (value == null || value == PickleReader.NONE) {
      return null;
    }
    if (value instanceof Long number) {
      return number;
    }
    throw input.error(key + " is not a whole number");
  }

  private PickleDict dict(Object value, String what) {
    if (value instanceof PickleDict dict) {
      return dict;
    }
    throw input.error(what + " is not a dictionary; this is no memory snapshot");
  }

  private List<?> list(@Nullable Object value, String what) {
    if (!(value instanceof List<?> list)) {
      throw input.error(what + " is missing or not a list; this is no memory snapshot");
    }
    if (!list.isEmpty() && !seen.add(list)) {
      throw input.error(what + " occurs twice in the pickle's structure; PyTorch writes no such");
    }
    return list;
  }
}
