package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.ListIterator;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Creates the clocks of streams, and of host threads that access memory. The slot of a closed
 * stream is reused once the thread that creates a new one knows all its work to be done. So clocks
 * stay as short as the number of streams in use. The new stream continues the epochs of the old
 * one, and is ordered after it.
 */
final class Clocks {
  /** Device ordinal of the clocks of host threads. */
  public static final int HOST = -1;

  private final Set<StreamClock> living = new LinkedHashSet<>();
  private final List<StreamClock> retired = new ArrayList<>();
  private int slots;
  private long serials;

  /**
   * The last thread that found no slot to reuse, its knowledge then, and the number of slots it
   * tried.
   */
  private @Nullable HostClock searcher;

  private long searched;
  private int looked;

  /** Creates a clock for a device or {@link #HOST}, ordered after what its creator knows. */
  public StreamClock create(String name, int device, HostClock creator) {
    // An allocation may be a stream's first operation, so an epoch of 0 would not do.
    StreamClock created = reuse(name, device, creator);
    if (created == null) {
      created = new StreamClock(slots++, ++serials, name, device, Epochs.FIRST);
    }
    living.add(created);
    return created;
  }

  private @Nullable StreamClock reuse(String name, int device, HostClock creator) {
    boolean again = creator.equals(searcher) && creator.getVersion() == searched;
    for (ListIterator<StreamClock> it = retired.listIterator(again ? looked : 0); it.hasNext(); ) {
      StreamClock old = it.next();
      if (!old.isUsed() || creator.covers(old.slot, old.getEpoch())) {
        it.remove();
        searcher = null;
        return new StreamClock(old.slot, ++serials, name, device, old.getEpoch());
      }
    }
    searcher = creator;
    searched = creator.getVersion();
    looked = retired.size();
    return null;
  }

  void retire(StreamClock clock) {
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
