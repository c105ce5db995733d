package org.vramkit.export;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes trace events: a process per device, a thread per stream, a counter of live and cached
 * bytes, a counter of live bytes per tag, and a slice per allocation.
 */
final class PerfettoTrace {
  private final JsonValues out;
  private final ExportLimits limits;

  /** The last id of a slice. */
  private long slices;

  PerfettoTrace(JsonValues out, ExportLimits limits) {
    this.out = out;
    this.limits = limits;
  }

  void write(Iterable<Recording> recordings) throws IOException {
    out.beginDict();
    out.field("displayTimeUnit", "ns");
    out.key("traceEvents");
    out.beginList();
    for (Recording each : recordings) {
      new OfDevice(each).write();
    }
    out.endList();
    out.endDict();
  }

  /**
   * Writes the events of one device. Streams are numbered, because readers need small thread ids.
   */
  private final class OfDevice {
    private final Recording recording;
    private final Timeline timeline;
    private final Map<Long, Integer> threads = new HashMap<>();

    /** The open slices by address. */
    private final Map<Long, Slice> open = new HashMap<>();

    private final LiveByTag tags;

    OfDevice(Recording recording) {
      this.recording = recording;
      this.timeline = recording.timeline(limits.maxEntries());
      this.tags = new LiveByTag(recording.snapshot().tags());
    }

    /** The slice of a live allocation. */
    private record Slice(long number, String name, int thread, String tag, long bytes) {}

    void write() throws IOException {
      name("process_name", 0, "device " + recording.device() + " " + recording.deviceName());
      for (Entry each : timeline.initial()) {
        if (each.kind() == Entry.Kind.ALLOC) {
          begin(each);
        }
      }
      counter(timeline.firstNanos());
      timeline.replay(this::entry);
    }

    private void entry(Entry entry) throws IOException {
      switch (entry.kind()) {
        case ALLOC -> {
          begin(entry);
          counter(entry.nanos());
        }
        case FREE_REQUESTED -> {}
        case FREE_COMPLETED -> {
          end(entry);
          counter(entry.nanos());
        }
        case MAP, MOVE, UNMAP -> counter(entry.nanos());
        case TRIM -> instant(entry, "trim");
        case WAIT -> instant(entry, "wait");
        case OOM -> instant(entry, "out of memory");
      }
    }

    private int threadOf(long stream) throws IOException {
      Integer known = threads.get(stream);
      if (known != null) {
        return known;
      }
      int thread = threads.size() + 1;
      threads.put(stream, thread);
      name("thread_name", thread, recording.labelOf(stream));
      return thread;
    }

    private void name(String what, int thread, String name) throws IOException {
      out.beginDict();
      out.field("ph", "M");
      out.field("name", what);
      out.field("pid", recording.device());
      out.field("tid", thread);
      out.key("args");
      out.beginDict();
      out.field("name", name);
      out.endDict();
      out.endDict();
    }

    private void head(String phase, String name, int thread, long nanos) throws IOException {
      out.beginDict();
      out.field("ph", phase);
      out.field("name", name);
      out.field("pid", recording.device());
      out.field("tid", thread);
      out.micros("ts", nanos - timeline.firstNanos());
    }

    private void begin(Entry entry) throws IOException {
      String name = entry.tag().isEmpty() ? "allocation" : entry.tag();
      int thread = threadOf(entry.stream());
      Slice slice = new Slice(++slices, name, thread, entry.tag(), entry.size());
      open.put(entry.address(), slice);
      head("b", slice.name(), slice.thread(), entry.nanos());
      out.field("cat", "alloc");
      out.field("id", slice.number());
      out.key("args");
      out.beginDict();
      out.field("bytes", entry.size());
      out.field("address", "0x" + Long.toHexString(entry.address()));
      if (entry.thread() != 0) {
        out.field("host thread", entry.thread());
      }
      out.endDict();
      out.endDict();
      tagCounter(entry.tag(), entry.size(), entry.nanos());
    }

    private void end(Entry entry) throws IOException {
      Slice slice = open.remove(entry.address());
      if (slice != null) {
        head("e", slice.name(), slice.thread(), entry.nanos());
        out.field("cat", "alloc");
        out.field("id", slice.number());
        out.endDict();
        tagCounter(slice.tag(), -slice.bytes(), entry.nanos());
      }
    }

    /**
     * Writes a separate counter per tag, because readers treat a series missing from an event as 0.
     */
    private void tagCounter(String tag, long change, long nanos) throws IOException {
      if (tag.isEmpty() || change == 0) {
        return;
      }
      String name = tags.nameOf(tag);
      head("C", "tag " + name, 0, nanos);
      out.key("args");
      out.beginDict();
      out.field("live", tags.add(name, change));
      out.endDict();
      out.endDict();
    }

    private void counter(long nanos) throws IOException {
      long live = timeline.liveBytes();
      head("C", "memory", 0, nanos);
      out.key("args");
      out.beginDict();
      out.field("live", live);
      out.field("cached", Math.max(0, timeline.mappedBytes() - live));
      out.field("reserved", timeline.mappedBytes());
      out.endDict();
      out.endDict();
    }

    private void instant(Entry entry, String name) throws IOException {
      head("i", name, threadOf(entry.stream()), entry.nanos());
      out.field("s", "p");
      out.key("args");
      out.beginDict();
      out.field("bytes", entry.size());
      out.endDict();
      out.endDict();
    }
  }
}
