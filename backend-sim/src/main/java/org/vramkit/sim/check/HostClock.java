package org.vramkit.sim.check;

import java.util.Arrays;

/**
 * What the host knows to be done, through waits that returned and questions that were answered with
 * yes. One clock stands for all threads: what one thread has learnt counts for all, which is
 * lenient towards programs that hand it over without a lock.
 */
public final class HostClock {
  private long[] known = new long[0];
  private long version;

  long getVersion() {
    return version;
  }

  long[] getKnown() {
    return known;
  }

  boolean covers(int slot, long epoch) {
    return epoch <= 0 || (slot < known.length && known[slot] >= epoch);
  }

  boolean covers(Operation operation) {
    return covers(operation.stream().getSlot(), operation.epoch());
  }

  void join(Snapshot snapshot) {
    long[] other = snapshot.known();
    for (int i = 0; i < other.length; i++) {
      join(i, other[i]);
    }
    join(snapshot.slot(), snapshot.epoch());
  }

  private void join(int slot, long epoch) {
    if (!covers(slot, epoch)) {
      // Streams took copies of the values, never the array, so it may change in place.
      if (slot >= known.length) {
        known = Arrays.copyOf(known, slot + 1);
      }
      known[slot] = epoch;
      version++;
    }
  }
}
