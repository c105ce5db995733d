package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.ListIterator;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Creates the clocks of streams, and of host threads that access memory. A new stream reuses the
 * slot of a closed one if the creating thread knows all work of the closed stream to be done. So
 * clocks grow only with the number of streams in use. The new stream continues the epochs of the
 * closed one, and is ordered after it.
 */
final class Clocks {
  /** Device ordinal of the clocks of host threads. */
  public static final int HOST = -1;

  private final Set<StreamClock> living = new LinkedHashSet<>();
  private final List<StreamClock> retired = new ArrayList<>();
  private int slots;
  private long serials;

  /** Knowledge with which the last search found no slot to reuse; null after a success. */
  private @Nullable Epochs searched;

  /** Number of retired clocks in that search; a search with the same knowledge skips them. */
  private int looked;

  /** Creates a clock for a device or {@link #HOST}, ordered after what its creator knows. */
  public StreamClock create(String name, int device, HostClock creator) {
    // A stream's first operation may be an allocation, which does not advance the epoch. It must
    // not have epoch 0, which every clock covers.
    StreamClock created = reuse(name, device, creator);
    if (created == null) {
      created = new StreamClock(slots++, ++serials, name, device, Epochs.FIRST);
    }
    living.add(created);
    return created;
  }

  private @Nullable StreamClock reuse(String name, int device, HostClock creator) {
    int first = creator.known == searched ? looked : 0;
    for (ListIterator<StreamClock> it = retired.listIterator(first); it.hasNext(); ) {
      StreamClock old = it.next();
      if (!old.isUsed() || creator.covers(old.slot, old.getEpoch())) {
        it.remove();
        searched = null;
        return new StreamClock(old.slot, ++serials, name, device, old.getEpoch());
      }
    }
    searched = creator.known;
    looked = retired.size();
    return null;
  }

  void retire(StreamClock clock) {
    clock.close();
    living.remove(clock);
    retired.add(clock);
  }

  public int size() {
    return slots;
  }

  /** Returns the progress of all streams of a device, including closed ones. */
  public List<Snapshot> submitted(int device) {
    return Stream.concat(living.stream(), retired.stream())
        .filter(clock -> clock.device == device)
        .map(StreamClock::snapshot)
        .toList();
  }
}
