package org.vramkit.sim.check;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The vector clock of one stream: for every stream, how far it has come before this stream's next
 * operation. Only operations that touch memory advance a stream's own epoch, so that a mark made
 * between two of them orders the same.
 */
public final class StreamClock implements Order {
  private final int slot;
  private final String name;
  private final int device;
  private final SyncTrail trail = new SyncTrail();
  private long epoch;
  private long[] known;
  private boolean shared;
  private boolean used;
  private @Nullable HostClock joinedHost;
  private long joinedVersion;

  StreamClock(int slot, String name, int device, long epoch) {
    this.slot = slot;
    this.name = name;
    this.device = device;
    this.epoch = epoch;
    this.known = new long[slot + 1];
  }

  int getSlot() {
    return slot;
  }

  /** Ordinal of its device, or {@link Clocks#HOST}. */
  int getDevice() {
    return device;
  }

  /** The stream in words. */
  String getName() {
    return name;
  }

  /** What it did last for the sake of order. */
  SyncTrail getTrail() {
    return trail;
  }

  /** Number of its last operation that touched memory. */
  long getEpoch() {
    return epoch;
  }

  long nextEpoch() {
    used = true;
    return ++epoch;
  }

  /** Whether it had an operation that touched memory. */
  boolean isUsed() {
    return used;
  }

  @Override
  public boolean covers(int otherSlot, long otherEpoch) {
    return otherSlot == slot
        ? otherEpoch <= epoch
        : otherSlot < known.length && known[otherSlot] >= otherEpoch;
  }

  /** What is known now; the array is shared until this clock changes. */
  public Snapshot snapshot() {
    shared = true;
    return new Snapshot(known, slot, epoch);
  }

  /** Whether all that it did, and all that it waited for, comes before a point. */
  boolean isBefore(Order point) {
    for (int i = 0; i < known.length; i++) {
      if (known[i] != 0 && i != slot && !point.covers(i, known[i])) {
        return false;
      }
    }
    return !used || point.covers(slot, epoch);
  }

  /** Whether the stream's next operation comes after a point of another stream. */
  public boolean comesAfter(Snapshot point) {
    return covers(point.slot(), point.epoch());
  }

  /** The stream's next operation comes after a point, and all that came before that. */
  public void join(Snapshot other) {
    join(other.known());
    join(other.slot(), other.epoch());
  }

  /** Takes over what a thread knows; free when it is the last one and has learnt nothing since. */
  public void join(HostClock host) {
    if (!host.equals(joinedHost) || joinedVersion != host.getVersion()) {
      joinedHost = host;
      joinedVersion = host.getVersion();
      join(host.getKnown());
    }
  }

  /** The stream's next operation comes after all that another stream has done so far. */
  public void join(StreamClock other) {
    join(other.known);
    join(other.slot, other.epoch);
  }

  void join(int otherSlot, long otherEpoch) {
    if (!covers(otherSlot, otherEpoch)) {
      own(otherSlot + 1);
      known[otherSlot] = otherEpoch;
    }
  }

  private void join(long[] other) {
    for (int i = 0; i < other.length; i++) {
      if (other[i] != 0 && i != slot) {
        join(i, other[i]);
      }
    }
  }

  private void own(int length) {
    if (shared || known.length < length) {
      known = Arrays.copyOf(known, Math.max(length, known.length));
      shared = false;
    }
  }
}
