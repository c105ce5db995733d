package org.vramkit.pool.support;

import java.util.List;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.units.ByteSize;

/** Says which allocations keep an allocator from being closed. */
public final class OpenAllocations {
  /** How many are listed. */
  private static final int LISTED = 5;

  /** Lines of the user's code for each. */
  private static final int FRAMES = 3;

  private OpenAllocations() {}

  /**
   * One of them.
   *
   * @param address its first byte
   * @param bytes what was asked for
   * @param stream the handle of its stream, as text
   * @param tag what its user calls it; empty without one
   */
  public record Open(long address, long bytes, String stream, String tag) {}

  /**
   * A line for each of the first few, to follow a message, and where each was made if the device's
   * observer knows; where it does not, who would.
   */
  public static String list(List<Open> open, MemoryObserver observer) {
    StringBuilder text = new StringBuilder();
    boolean placed = open.isEmpty();
    for (Open each : open.subList(0, Math.min(LISTED, open.size()))) {
      text.append(
          String.format(
              "%n  %s at 0x%x on stream %s%s",
              ByteSize.format(each.bytes),
              each.address,
              each.stream,
              each.tag.isEmpty() ? "" : ", \"" + each.tag + "\""));
      List<StackTraceElement> frames = observer.whereAllocated(each.address);
      frames.stream()
          .limit(FRAMES)
          .forEach(frame -> text.append(String.format("%n      at %s", frame)));
      placed |= !frames.isEmpty();
    }
    if (open.size() > LISTED) {
      text.append(String.format("%n  and %d more", open.size() - LISTED));
    }
    if (!placed) {
      text.append(
          String.format(
              "%n  to see the lines that asked for them, allocate through"
                  + " TrackingAllocator.withStacks(allocator) and close that"));
    }
    return text.toString();
  }
}
