package org.vramkit.sim.check;

/**
 * What is known to be done on the host's side, through waits that returned and questions that were
 * answered with yes: by one thread, by some of them, or in a hand-over between two.
 */
public final class HostClock implements Order {
  private Epochs known = Epochs.NONE;
  private long version;

  /** Changes whenever more is known. */
  long getVersion() {
    return version;
  }

  Epochs getKnown() {
    return known;
  }

  /** Returns whether nothing is known to be done. */
  public boolean isEmpty() {
    return known.isEmpty();
  }

  @Override
  public boolean covers(int slot, long epoch) {
    return epoch <= 0 || known.covers(slot, epoch);
  }

  /** All that a stream did, and all that it waited for, is known to be done. */
  public void join(Snapshot snapshot) {
    join(snapshot.known());
    join(snapshot.slot(), snapshot.epoch());
    for (GateOrder gate : snapshot.gates()) {
      join(gate.left);
    }
  }

  /** What pools had made a stream wait for before a point. */
  void joinPooled(Snapshot snapshot) {
    join(snapshot.pooled());
  }

  public void join(HostClock other) {
    join(other.known);
  }

  private void join(Epochs other) {
    set(known.join(other));
  }

  public void join(int slot, long epoch) {
    if (epoch > 0) {
      set(known.with(slot, epoch));
    }
  }

  /** Knows nothing any more. */
  void clear() {
    known = Epochs.NONE;
    version++;
  }

  private void set(Epochs more) {
    if (!more.equals(known)) {
      known = more;
      version++;
    }
  }
}
