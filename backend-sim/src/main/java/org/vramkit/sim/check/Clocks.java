package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.ListIterator;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes the clocks of streams, and of host threads that do something to memory themselves. The slot
 * of a closed stream is used again once the thread that makes a new one knows all its work to be
 * done, so that clocks stay as long as there are streams in use; the new stream continues the
 * epochs of the old one and, knowing what that thread knows, comes after it.
 */
final class Clocks {
  /** In place of a device's ordinal, for the clocks of host threads. */
  public static final int HOST = -1;

  private final Set<StreamClock> living = new LinkedHashSet<>();
  private final List<StreamClock> retired = new ArrayList<>();
  private int slots;
  private long serials;

  /** Who found none to use again last, what it knew then, and how many it looked at. */
  private @Nullable HostClock searcher;

  private long searched;
  private int looked;

  /** A new clock of a device, or {@link #HOST}; it comes after what its creator knows. */
  public StreamClock create(String name, int device, HostClock creator) {
    // Not 0: an allocation may be a stream's first operation.
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

  /** How far the streams of a device have been submitted, also the closed ones. */
  public List<Snapshot> submitted(int device) {
    return Stream.concat(living.stream(), retired.stream())
        .filter(clock -> clock.device == device)
        .map(StreamClock::snapshot)
        .toList();
  }
}
