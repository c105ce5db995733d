package org.vramkit.sim.check;

/**
 * The work that host threads know to be complete, because waits returned or queries were positive.
 * A clock holds the knowledge of one thread, of several threads, or of a hand-off.
 */
public final class HostClock implements Order {
  private Epochs known = Epochs.NONE;
  private long version;

  /** Returns a number that changes whenever the clock grows. */
  long getVersion() {
    return version;
  }

  Epochs getKnown() {
    return known;
  }

  /** Returns whether nothing is known. */
  public boolean isEmpty() {
    return known.isEmpty();
  }

  @Override
  public boolean covers(int slot, long epoch) {
    return epoch <= 0 || known.covers(slot, epoch);
  }

  /** Adds the work of a stream, and the work for which the stream has waited. */
  public void join(Snapshot snapshot) {
    join(snapshot.known());
    join(snapshot.slot(), snapshot.epoch());
    for (GateOrder gate : snapshot.gates()) {
      join(gate.left);
    }
  }

  /** Adds all that pools had made a stream wait for. */
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

  /** Forgets everything. */
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
