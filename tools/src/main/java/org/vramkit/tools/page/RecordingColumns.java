package org.vramkit.tools.page;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.owner.StackOwners;
import org.vramkit.tools.replay.Timeline;
import org.vramkit.tools.trace.Mark;
import org.vramkit.tools.trace.Origin;
import org.vramkit.tools.trace.ReservedBytes;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.TraceDetails;

/**
 * The columns of one recording, with allocations renumbered in order of time. An allocation event
 * is written as 0. A free is written as 1 plus the number of allocations since its own. The events
 * that allocate memory held before the recording are omitted: on the page, the first {@link
 * #getHeldBefore()} allocations have no event.
 */
final class RecordingColumns {
  private static final int MICRO = 1000;

  private static final List<Mark.Kind> KINDS = List.of(Mark.Kind.values());

  private final @Nullable Timeline replayed;
  private final Trace trace;
  private final TraceDetails details;
  // Map the page's number of an allocation to the trace's number, and back.
  private final int[] order;
  private final int[] rank;
  private final int heldBefore;

  RecordingColumns(Recording recording) {
    replayed = recording.replay() == null ? null : recording.replay().timeline();
    trace = recording.trace();
    TraceDetails known = trace.getDetails();
    if (known == null) {
      throw new IllegalArgumentException(trace.getName() + " was read without details");
    }
    details = known;
    order = new int[trace.getAllocationCount()];
    rank = new int[order.length];
    heldBefore = trace.getHeldBefore();
    int next = 0;
    for (int i = 0; i < trace.getEventCount(); i++) {
      if (trace.isAllocation(i)) {
        order[next++] = trace.getAllocation(i);
      }
    }
    for (int i = 0; i < next; i++) {
      rank[order[i]] = i;
    }
  }

  /** Returns the number of leading allocations whose events are omitted. */
  int getHeldBefore() {
    return heldBefore;
  }

  int getEventCount() {
    return trace.getEventCount() - heldBefore;
  }

  TraceDetails getDetails() {
    return details;
  }

  int getReplayPoints() {
    return replayed == null ? 0 : replayed.getCount();
  }

  /**
   * Returns the unit of written times in nanoseconds: 1000 if all times are multiples of it, else
   * 1.
   */
  int getUnitNanos() {
    for (int i = 0; i < trace.getEventCount(); i++) {
      if (trace.getNanos(i) % MICRO != 0) {
        return 1;
      }
    }
    return MICRO;
  }

  void write(VarintOutput output) throws IOException {
    int events = trace.getEventCount();
    int next = heldBefore;
    for (int i = heldBefore; i < events; i++) {
      if (trace.isAllocation(i)) {
        output.number(0);
        next++;
      } else {
        output.number(next - rank[trace.getAllocation(i)]);
      }
    }
    int unit = getUnitNanos();
    rising(output, getEventCount(), i -> trace.getNanos(heldBefore + i), unit);
    for (int allocation : order) {
      output.number(trace.getSize(allocation));
    }
    deltas(output, order.length, i -> details.getAddress(order[i]));
    for (int allocation : order) {
      output.number(trace.getStream(allocation));
    }
    for (int allocation : order) {
      output.number(details.getOrigin(allocation).tag());
    }
    for (int allocation : order) {
      output.number(details.getOrigin(allocation).stack());
    }
    for (int allocation : order) {
      output.number(details.getOrigin(allocation).thread());
    }
    StackOwners owners = new StackOwners(details.getFrames());
    for (int[] stack : details.getStacks()) {
      stack(output, stack);
      stack(output, owners.upToOwner(stack));
    }
    for (Mark mark : details.getMarks()) {
      mark(output, mark);
    }
    ReservedBytes reserved = details.getReserved();
    steps(output, reserved.getEvents(), reserved.getBytes());
    if (replayed != null) {
      int[] firsts = new int[replayed.getCount()];
      Arrays.setAll(firsts, i -> Math.max(0, replayed.getFirstEvent(i) - heldBefore));
      steps(output, firsts, replayed.getReserved());
    }
  }

  private static void stack(VarintOutput output, int[] frames) throws IOException {
    output.number(frames.length);
    for (int frame : frames) {
      output.number(frame);
    }
  }

  private static void steps(VarintOutput output, int[] events, long[] bytes) throws IOException {
    rising(output, events.length, i -> events[i], 1);
    deltas(output, bytes.length, i -> bytes[i]);
  }

  private static void mark(VarintOutput output, Mark mark) throws IOException {
    Origin origin = mark.origin();
    output.number(KINDS.indexOf(mark.kind()));
    output.number(mark.event());
    output.number(mark.nanos());
    output.signed(mark.address());
    output.number(mark.size());
    output.number(mark.stream());
    output.number(origin.tag());
    output.number(origin.stack());
    output.number(origin.thread());
  }

  private static void rising(VarintOutput output, int count, IntToLongFunction values, int unit)
      throws IOException {
    long last = 0;
    for (int i = 0; i < count; i++) {
      long value = values.applyAsLong(i) / unit;
      output.number(value - last);
      last = value;
    }
  }

  private static void deltas(VarintOutput output, int count, IntToLongFunction values)
      throws IOException {
    long last = 0;
    for (int i = 0; i < count; i++) {
      long value = values.applyAsLong(i);
      output.signed(value - last);
      last = value;
    }
  }
}
