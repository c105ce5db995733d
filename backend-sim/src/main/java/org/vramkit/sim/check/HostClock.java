package org.vramkit.sim.check;

/**
 * The work that host threads know to be complete, because waits returned or queries were positive.
 * A clock holds the knowledge of one thread, of several threads, or of a hand-off.
 */
public final class HostClock implements Order {
  /** Replaced whenever the knowledge grows, so that identity tells whether it has grown. */
  Epochs known = Epochs.NONE;

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
      join(gate.published);
    }
  }

  /** Adds the work that pools made a stream wait for. */
  void joinPooled(Snapshot snapshot) {
    join(snapshot.pooled());
  }

  public void join(HostClock other) {
    join(other.known);
  }

  private void join(Epochs other) {
    known = known.join(other);
  }

  public void join(int slot, long epoch) {
    if (epoch > 0) {
      known = known.with(slot, epoch);
    }
  }
}
