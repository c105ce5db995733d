package org.vramkit.pressure.programs;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.MemoryArgument;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.SimStream;

/** Memory with the same byte everywhere, and the streams that used it last. */
final class Piece {
  final Gpu gpu;
  final MemoryArgument memory;
  final long address;
  final long size;

  /** The host's view of managed memory. */
  final @Nullable PinnedBuffer view;

  private final Kind kind;
  private final Runnable close;
  private final SimStream home;
  private final Set<SimStream> readers = new HashSet<>();
  private @Nullable SimStream writer;

  boolean isWritten;
  byte value;

  /** Number of open graphs that use the memory. */
  int graphs;

  Piece(
      Gpu gpu,
      Kind kind,
      MemoryArgument memory,
      Runnable close,
      long size,
      SimStream home,
      @Nullable PinnedBuffer view) {
    this.gpu = gpu;
    this.kind = kind;
    this.memory = memory;
    this.address = memory.getAddress();
    this.close = close;
    this.size = size;
    this.home = home;
    this.view = view;
    this.writer = home;
  }

  boolean isSuspendable() {
    return kind == Kind.PRIVATE_POOL;
  }

  boolean isUsable() {
    return !isSuspendable() || !gpu.isSuspended();
  }

  /** Lets a stream wait for accesses that its own access must not overtake. */
  void order(SimStream stream, boolean isWrite, Waits waits) {
    for (SimStream each : before(isWrite)) {
      if (!each.equals(stream)) {
        waits.order(stream, each);
      }
    }
  }

  /** Lets the host wait for all accesses. */
  void await(Waits waits) {
    before(true).forEach(waits::await);
    writer = null;
    readers.clear();
  }

  private Set<SimStream> before(boolean isWrite) {
    Set<SimStream> before = isWrite ? new HashSet<>(readers) : new HashSet<>();
    if (writer != null) {
      before.add(writer);
    }
    return before;
  }

  /** Notes a submitted access, for which the close has to wait. */
  void used(SimStream stream, boolean isWrite) {
    if (memory.recordsUsesOf(stream.getDevice())) {
      memory.recordUse(stream);
    } else if (!stream.equals(home)) {
      stream.synchronize();
    }
    if (isWrite) {
      writer = stream;
      readers.clear();
    } else {
      readers.add(stream);
    }
  }

  /** Drops a stream that has ended its work. */
  void forget(SimStream stream) {
    readers.remove(stream);
    writer = stream.equals(writer) ? null : writer;
  }

  void close() {
    close.run();
  }

  @Override
  public String toString() {
    return size + " bytes of " + kind + " of " + home + ", value " + value;
  }
}
