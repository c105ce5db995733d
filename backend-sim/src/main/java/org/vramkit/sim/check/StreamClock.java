package org.vramkit.sim.check;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The vector clock of a stream: the epochs of all streams that its next operation comes after. Only
 * operations that access memory advance a stream's own epoch, so all marks between two of them are
 * equal.
 */
public final class StreamClock implements Order {
  public final Ring<EventMark> records = new Ring<>(EventMark.REMEMBERED);
  public final Ring<EventMark.Wait> waits = new Ring<>(EventMark.REMEMBERED);

  public final int slot;
  private final long serial;
  public final String name;

  /** Ordinal of its device, or {@link Clocks#HOST}. */
  public final int device;

  private long epoch;
  private Epochs known = Epochs.NONE;

  /** Order that pools added by their own waits; it counts for pools alone. */
  private Epochs pooled = Epochs.NONE;

  private boolean used;
  private boolean closed;

  /** Gates that the stream waits for; open ones are dropped from time to time. */
  private List<GateOrder> gates = List.of();

  /**
   * The order of the stream's next operation after other streams, because of the kinds of the
   * streams; null if there is none.
   */
  private @Nullable Supplier<List<? extends Order>> follows;

  /** The knowledge of a host thread that the clock joined last. */
  private Epochs joined = Epochs.NONE;

  public StreamClock(int slot, long serial, String name, int device, long epoch) {
    this.slot = slot;
    this.serial = serial;
    this.name = name;
    this.device = device;
    this.epoch = epoch;
  }

  /** Returns the name as part of a sentence. */
  String words() {
    return device == Clocks.HOST ? "the host" : name;
  }

  /** Returns the epoch of the stream's last operation that accessed memory. */
  long getEpoch() {
    return epoch;
  }

  long nextEpoch() {
    used = true;
    return ++epoch;
  }

  /** Returns the epochs of other streams that this stream comes after. */
  Epochs getKnown() {
    return known;
  }

  void close() {
    closed = true;
  }

  /**
   * Returns whether the stream is closed, so that only a wait for its device waits for its work.
   */
  boolean isClosed() {
    return closed;
  }

  /** Returns whether the stream had an operation that accessed memory. */
  boolean isUsed() {
    return used;
  }

  @Override
  public boolean covers(int otherSlot, long otherEpoch) {
    boolean covered = otherSlot == slot ? otherEpoch <= epoch : known.covers(otherSlot, otherEpoch);
    return covered || Snapshot.isGated(gates, otherSlot, otherEpoch);
  }

  /**
   * Sets what each operation follows: the legacy default stream and blocking streams follow each
   * other.
   */
  public void follows(Supplier<List<? extends Order>> others) {
    follows = others;
  }

  private List<? extends Order> followed() {
    Supplier<List<? extends Order>> others = follows;
    return others == null ? List.of() : others.get();
  }

  /** Returns whether its next operation follows other streams because of its kind. */
  boolean followsOthers() {
    return !followed().isEmpty();
  }

  /** Returns what its next operation comes after. */
  public Order next() {
    Order next = this;
    for (Order other : followed()) {
      next = Order.either(next, other);
    }
    return next;
  }

  /** Makes the next operation wait for a gate. */
  public void pass(GateOrder gate) {
    if (gate.isOpen()) {
      join(gate.published.known);
    } else if (!gates.contains(gate)) {
      gates = Stream.concat(gates.stream(), Stream.of(gate)).toList();
    }
  }

  /** Returns an immutable list of the gates that the stream waits for; some may be open. */
  public List<GateOrder> gates() {
    return gates;
  }

  /** Joins the knowledge of its gates that are open, and drops these gates. */
  private void settleGates() {
    if (!gates.isEmpty()) {
      List<GateOrder> old = gates;
      gates = List.of();
      old.forEach(this::pass);
    }
  }

  public Snapshot snapshot() {
    return new Snapshot(slot, serial, epoch, used, known, pooled, gates);
  }

  /**
   * Returns an earlier point with what this stream itself has done since, such as a pool's free.
   */
  public Snapshot after(Snapshot before) {
    return new Snapshot(slot, serial, epoch, used, before.known(), before.pooled(), before.gates());
  }

  /** Returns whether a point belongs to this stream, and not to an earlier one of the same slot. */
  public boolean has(Snapshot point) {
    return serial == point.serial();
  }

  /** Returns whether all that the stream did and waited for comes before a point. */
  public boolean isBefore(Order point) {
    return snapshot().isBefore(point);
  }

  /** Returns whether the next operation of the stream comes after a point of another stream. */
  public boolean comesAfter(Snapshot point) {
    return forPools().covers(point.slot(), point.epoch());
  }

  /** Returns the order that pools may rely on, which includes their own waits. */
  Order forPools() {
    Order next = forPoolsNow();
    for (Order other : followed()) {
      next = Order.either(next, other instanceof StreamClock stream ? stream.forPoolsNow() : other);
    }
    return next;
  }

  /** Like {@link #forPools}, without the streams that this stream follows because of its kind. */
  Order forPoolsNow() {
    return pooled.isEmpty() ? this : Order.either(this, pooled::covers);
  }

  public void join(Snapshot other) {
    other.gates().forEach(this::pass);
    join(other.known());
    join(other.slot(), other.epoch());
    joinPooled(other.pooled());
  }

  /** Joins a snapshot for pools alone. */
  void joinForPools(Snapshot other) {
    joinPooled(other.known().with(other.slot(), other.epoch()));
    joinPooled(other.pooled());
  }

  private void joinPooled(Epochs other) {
    pooled = pooled.join(other);
  }

  /** Joins what a thread knows; does nothing if that has not grown since. */
  public void join(HostClock host) {
    settleGates();
    if (joined != host.known) {
      joined = host.known;
      join(joined);
    }
  }

  void join(int otherSlot, long otherEpoch) {
    if (!covers(otherSlot, otherEpoch)) {
      known = known.with(otherSlot, otherEpoch);
    }
  }

  private void join(Epochs other) {
    known = known.join(other);
  }
}
