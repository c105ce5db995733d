package org.vramkit.pool.caching.internal.flight;

import java.util.stream.Collectors;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import org.vramkit.pool.caching.LeakReport;

/** An allocation that nobody closed. On in every recording. */
@Name("org.vramkit.Leak")
@Label("Leak")
@Description("An allocation that was dropped without a close, or is held for long")
@Enabled(true)
final class LeakEvent extends VramkitEvent {
  @Label("Kind")
  String kind = "";

  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Stream")
  @Description("Handle of the stream in hexadecimal")
  String stream = "";

  @Label("Tag")
  String tag = "";

  @Label("Allocating Thread")
  String allocatingThread = "";

  @Label("Held")
  @Timespan(Timespan.NANOSECONDS)
  long held;

  @Label("Allocation Stack")
  @Description("Where it was allocated, a line each frame; empty unless stacks are kept")
  String allocationStack = "";

  void fill(LeakReport leak) {
    kind = leak.kind().name();
    bytes = leak.size();
    stream = leak.stream();
    tag = leak.tag();
    allocatingThread = leak.thread();
    held = leak.heldNanos();
    allocationStack =
        leak.stack().stream().map(StackTraceElement::toString).collect(Collectors.joining("\n"));
  }
}
