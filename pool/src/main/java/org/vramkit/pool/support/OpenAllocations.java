package org.vramkit.pool.support;

import java.util.List;
import org.vramkit.api.device.Device;
import org.vramkit.api.units.ByteSize;

/** Lists, for an error message, the open allocations that prevent an allocator's close. */
public final class OpenAllocations {
  private static final int LISTED = 5;

  private static final int FRAMES = 3;

  private OpenAllocations() {}

  public record Open(long address, long bytes, String stream, String tag) {}

  /**
   * Returns lines to append to a message: the first few allocations, with the stacks that the
   * device's observer knows. If it knows none of them, the last line says how to record stacks.
   */
  public static String list(List<Open> open, Device device) {
    StringBuilder text = new StringBuilder();
    boolean placed = open.isEmpty();
    for (Open each : open.subList(0, Math.min(LISTED, open.size()))) {
      text.append(
          String.format(
              "%n  %s at 0x%x on stream %s%s%s",
              ByteSize.format(each.bytes),
              each.address,
              each.stream,
              each.tag.isEmpty() ? "" : ", \"" + each.tag + "\"",
              Holders.describe(device, each.address)));
      List<StackTraceElement> frames = device.getMemoryObserver().whereAllocated(each.address);
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
              "%n  to see the lines that allocated them, allocate through"
                  + " TrackingAllocator.withStacks(allocator) and close that"));
    }
    return text.toString();
  }
}
