package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the clocks of streams, and of host threads that do something to memory themselves. The slot
 * of a closed stream is used again once the thread that makes a new one knows all its work to be
 * done, so that clocks stay as long as there are streams in use; the new stream continues the
 * epochs of the old one and, knowing what that thread knows, comes after it.
 */
final class Clocks {
  /** In place of a device's ordinal, for the clocks of host threads. */
  static final int HOST = -1;

  private final List<StreamClock> living = new ArrayList<>();
  private final List<StreamClock> retired = new ArrayList<>();
  private int slots;

  /**
   * A new clock.
   *
   * @param device ordinal of the stream's device, or {@link #HOST}
   * @param creator what the creating thread knows
   */
  StreamClock create(String name, int device, HostClock creator) {
    // 0 would be known to everybody: an allocation may be a stream's first operation.
    StreamClock created = reuse(name, device, creator);
    if (created == null) {
      created = new StreamClock(slots++, name, device, 1);
    }
    living.add(created);
    return created;
  }

  private @Nullable StreamClock reuse(String name, int device, HostClock creator) {
    for (Iterator<StreamClock> it = retired.iterator(); it.hasNext(); ) {
      StreamClock old = it.next();
      if (!old.isUsed() || creator.covers(old.getSlot(), old.getEpoch())) {
        it.remove();
        return new StreamClock(old.getSlot(), name, device, old.getEpoch());
      }
    }
    return null;
  }

  void retire(StreamClock clock) {
    living.remove(clock);
    retired.add(clock);
  }

  int size() {
    return slots;
  }

  /** How far the streams of a device have been submitted, also the closed ones. */
  List<Snapshot> submitted(int device) {
    List<Snapshot> submitted = new ArrayList<>();
    for (List<StreamClock> clocks : List.of(living, retired)) {
      for (StreamClock clock : clocks) {
        if (clock.getDevice() == device) {
          submitted.add(clock.snapshot());
        }
      }
    }
    return submitted;
  }
}
