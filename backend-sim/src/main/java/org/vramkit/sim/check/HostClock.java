package org.vramkit.sim.check;

/**
 * Work that is known to be done on the host's side, through waits that returned and positive
 * queries: by one thread, by several, or in a hand-off between two.
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

  /** Adds all that a stream did and waited for. */
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
