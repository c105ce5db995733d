package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The most live bytes that the pools of each device had, and the blocks that were live then. Blocks
 * are copied before the first free after a rise of 1/{@value #STEPS}, so that a program with n
 * blocks costs few copies of n; the copied blocks lack less than that to the peak.
 */
final class LivePeaks {
  private static final int STEPS = 128;

  private static final class Peak {
    private long now;
    private long most;
    private long copied;
    private List<Held> blocks = List.of();
  }

  /** A copy of a block, because the block itself knows all later owners of its memory. */
  record Held(String tag, int device, long start, long end, Operation allocated) {
    static Held of(OwnedBlock block) {
      return new Held(block.tag, block.device, block.start, block.end, block.allocated);
    }
  }

  private final Map<Integer, Peak> peaks = new HashMap<>();

  private Peak of(int device) {
    return peaks.computeIfAbsent(device, key -> new Peak());
  }

  void added(OwnedBlock block) {
    if (!block.isOnHost()) {
      Peak peak = of(block.device);
      peak.now += block.end - block.start;
      peak.most = Math.max(peak.most, peak.now);
    }
  }

  /** Notes that a block ends, before it leaves the live blocks. */
  void ending(OwnedBlock block, Collection<OwnedBlock> live) {
    if (!block.isOnHost()) {
      Peak peak = of(block.device);
      copyAtPeak(peak, block.device, live);
      peak.now -= block.end - block.start;
    }
  }

  private static void copyAtPeak(Peak peak, int device, Collection<OwnedBlock> live) {
    if (peak.now == peak.most && peak.most - peak.copied > peak.most / STEPS) {
      peak.copied = peak.most;
      peak.blocks = new ArrayList<>();
      live.stream()
          .filter(each -> each.device == device && !each.isOnHost())
          .map(Held::of)
          .forEach(peak.blocks::add);
    }
  }

  /** Returns the most live bytes of a device. */
  long getMost(int device) {
    return of(device).most;
  }

  /** Returns the blocks that were live at the peak of a device. */
  List<Held> getBlocks(int device, Collection<OwnedBlock> live) {
    Peak peak = of(device);
    copyAtPeak(peak, device, live);
    return List.copyOf(peak.blocks);
  }
}
