package org.vramkit.sim.check;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The vector clock of one stream: for every stream, how far it has come before this stream's next
 * operation. Only operations that touch memory advance a stream's own epoch, so that a mark made
 * between two of them orders the same.
 */
public final class StreamClock implements Order {
  public final Ring<EventMark> records = new Ring<>();
  public final Ring<EventMark.Wait> waits = new Ring<>();

  public final int slot;
  private final long serial;
  public final String name;

  /** Ordinal of its device, or {@link Clocks#HOST}. */
  public final int device;

  private long epoch;
  private Epochs known = Epochs.NONE;

  /** What pools made it come after for their own sake. */
  private Epochs pooled = Epochs.NONE;

  private boolean used;

  /** The gates that it waits for; those that are open are dropped now and then. */
  private List<GateOrder> gates = List.of();

  /** What its next operation follows by its kind, besides; only if there is one. */
  private Supplier<List<? extends Order>> follows = List::of;

  private @Nullable HostClock joinedHost;
  private long joinedVersion;

  public StreamClock(int slot, long serial, String name, int device, long epoch) {
    this.slot = slot;
    this.serial = serial;
    this.name = name;
    this.device = device;
    this.epoch = epoch;
  }

  /** Number of its last operation that touched memory. */
  long getEpoch() {
    return epoch;
  }

  long nextEpoch() {
    used = true;
    return ++epoch;
  }

  /** What it comes after of others. */
  Epochs getKnown() {
    return known;
  }

  /** Returns whether it had an operation that touched memory. */
  boolean isUsed() {
    return used;
  }

  @Override
  public boolean covers(int otherSlot, long otherEpoch) {
    boolean covered = otherSlot == slot ? otherEpoch <= epoch : known.covers(otherSlot, otherEpoch);
    return covered || Snapshot.isGated(gates, otherSlot, otherEpoch);
  }

  /** The legacy default stream and those that block it follow each other with each operation. */
  public void follows(Supplier<List<? extends Order>> others) {
    follows = others;
  }

  /** Returns whether its next operation follows other streams by its kind. */
  boolean followsOthers() {
    return !follows.get().isEmpty();
  }

  /** What its next operation comes after, if there is one. */
  public Order next() {
    Order next = this;
    for (Order other : follows.get()) {
      next = Order.either(next, other);
    }
    return next;
  }

  /** What comes next waits for a gate. */
  public void pass(GateOrder gate) {
    if (gate.isOpen()) {
      join(gate.left.getKnown());
    } else if (!gates.contains(gate)) {
      gates = Stream.concat(gates.stream(), Stream.of(gate)).toList();
    }
  }

  /** The gates that it waits for, and some that are open; the list never changes. */
  public List<GateOrder> gates() {
    return gates;
  }

  /** Takes over what the open ones of its gates order. */
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

  /** Returns whether a point is one of this stream, and not of an earlier one of the same slot. */
  public boolean has(Snapshot point) {
    return serial == point.serial();
  }

  /** Returns whether all that it did, and all that it waited for, comes before a point. */
  public boolean isBefore(Order point) {
    return snapshot().isBefore(point);
  }

  /** Returns whether the stream's next operation comes after a point of another stream. */
  public boolean comesAfter(Snapshot point) {
    return forPools().covers(point.slot(), point.epoch());
  }

  /** What pools may rely on: also what they themselves made the stream wait for. */
  Order forPools() {
    Order next = forPoolsNow();
    for (Order other : follows.get()) {
      next = Order.either(next, other instanceof StreamClock stream ? stream.forPoolsNow() : other);
    }
    return next;
  }

  /** The same without what only its next operation will follow. */
  Order forPoolsNow() {
    return pooled.isEmpty() ? this : Order.either(this, pooled::covers);
  }

  public void join(Snapshot other) {
    other.gates().forEach(this::pass);
    join(other.known());
    join(other.slot(), other.epoch());
    joinPooled(other.pooled());
  }

  /** The same, made so by a pool: only pools may rely on it. */
  void joinForPools(Snapshot other) {
    joinPooled(other.known().with(other.slot(), other.epoch()));
    joinPooled(other.pooled());
  }

  private void joinPooled(Epochs other) {
    pooled = pooled.join(other);
  }

  /** Takes over what a thread knows; free when it is the last one and has learnt nothing since. */
  public void join(HostClock host) {
    settleGates();
    if (!host.equals(joinedHost) || joinedVersion != host.getVersion()) {
      joinedHost = host;
      joinedVersion = host.getVersion();
      join(host.getKnown());
    }
  }

  public void join(StreamClock other) {
    other.gates.forEach(this::pass);
    join(other.known);
    join(other.slot, other.epoch);
    joinPooled(other.pooled);
  }

  public void join(Operation other) {
    join(other.slot(), other.epoch());
  }

  private void join(int otherSlot, long otherEpoch) {
    if (!covers(otherSlot, otherEpoch)) {
      known = known.with(otherSlot, otherEpoch);
    }
  }

  private void join(Epochs other) {
    known = known.join(other);
  }
}
