package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.check.PinnedRange;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.recording.CallNote;

/** Page-locked memory, allocated by the simulator or registered by a user, or managed memory. */
final class SimPinnedBuffer implements PinnedBuffer {
  private final DeviceCore device;
  final long address;
  final HostBytes bytes;
  private final DriverFunction end;
  private boolean closed;

  /** Creates a buffer; {@code end} is the driver call that frees or unlocks it. */
  SimPinnedBuffer(DeviceCore device, long address, HostBytes bytes, DriverFunction end) {
    this.end = end;
    this.device = device;
    this.address = address;
    this.bytes = bytes;
  }

  /** Returns the buffer if it belongs to a simulator, on any of its devices. */
  static SimPinnedBuffer of(PinnedBuffer buffer, Engine engine) {
    if (buffer instanceof SimPinnedBuffer sim && sim.device.engine == engine) {
      return sim;
    }
    throw new InvalidArgumentException(
        buffer
            + " does not belong to this simulator; use a buffer that one of its devices allocated");
  }

  @Override
  public long getAddress() {
    return device.recording.unrecorded(
        () -> {
          requireOpen();
          return address;
        });
  }

  @Override
  public long getSize() {
    return bytes.size();
  }

  private void requireOpen() {
    if (closed) {
      device.engine.checker.apiErrors.closed(toString());
      throw new ClosedException(
          this, "its bytes are gone", "use it before closing it, or allocate a new one");
    }
  }

  void requireInside(long offset, long bytes) {
    requireOpen();
    if (offset < 0 || bytes < 0 || bytes > getSize() - offset) {
      throw new InvalidArgumentException(
          bytes + " bytes from " + offset + " are not inside a buffer of " + getSize());
    }
  }

  @Override
  public ByteBuffer getBytes(long offset, int bytes) {
    return device.recording.call(
        "view-pinned",
        step -> read(device.on(step), this, offset, bytes),
        () -> {
          requireInside(offset, bytes);
          device.engine.requireOpen();
          return this.bytes.view(offset, bytes).order(ByteOrder.nativeOrder());
        });
  }

  /** Notes the bytes that a copy reads; does nothing for buffers of other simulators. */
  static CallNote read(CallNote step, PinnedBuffer buffer, long offset, long bytes) {
    return buffer instanceof SimPinnedBuffer sim ? step.reads(sim.address + offset, bytes) : step;
  }

  static CallNote written(CallNote step, PinnedBuffer buffer, long offset, long bytes) {
    return buffer instanceof SimPinnedBuffer sim ? step.writes(sim.address + offset, bytes) : step;
  }

  @Override
  public void hostReads(long offset, long bytes) {
    device.recording.perform(
        "host-reads",
        step -> read(device.on(step), this, offset, bytes),
        () -> {
          device.engine.requireOpen();
          requireInside(offset, bytes);
          device.engine.checker.pinned.hostReads(this.bytes.range(offset, bytes));
        });
  }

  @Override
  public void hostWrites(long offset, long bytes) {
    device.recording.perform(
        "host-writes",
        step -> written(device.on(step), this, offset, bytes),
        () -> {
          device.engine.requireOpen();
          requireInside(offset, bytes);
          this.bytes.willBeWritten(offset, bytes);
          device.engine.checker.pinned.hostWrites(this.bytes.range(offset, bytes));
        });
  }

  /**
   * Returns the unwritten parts of a range; none while host functions are queued, which may write.
   */
  List<PinnedRange> unwritten(long offset, long count) {
    return device.engine.functions.isEmpty() ? bytes.unwritten(offset, count) : List.of();
  }

  private boolean isManaged() {
    return end == DriverFunction.MEM_FREE;
  }

  @Override
  public String toString() {
    return (isManaged() ? "managed" : "pinned") + " buffer at 0x" + Long.toHexString(address);
  }

  @Override
  public void close() {
    device.recording.perform(
        "close-pinned",
        step -> device.on(step, address),
        () -> {
          if (!closed) {
            closed = true;
            device.engine.requireSafe(end);
            if (device.engine.space.startingAt(address) == null) {
              throw device.engine.invalid(
                  end, "cannot free " + this + ": its memory was freed by its address");
            }
            device.engine.openHandles.remove(leak(end), address);
            if (!device.engine.isLost(device.ordinal)) {
              device.engine.call(end, device.ordinal, getSize());
              device.streams.finishAll(end, device.waitsCount());
            }
            release(device.engine, address, bytes, end);
          }
        });
  }

  /** Frees or unlocks the memory of a buffer. */
  static void release(Engine engine, long address, HostBytes bytes, DriverFunction end) {
    PinnedRange all = bytes.range(0, bytes.size());
    engine.checker.pinned.freed(all);
    if (engine.bytes && end != DriverFunction.MEM_HOST_UNREGISTER) {
      bytes.closed();
    }
    bytes.release();
    engine.pageLocked.remove(address);
    engine.space.remove(address);
    if (engine.space.hostBlocks.contains(address)) {
      engine.space.hostBlocks.free(address);
    }
    ManagedPages pages = engine.managed.remove(address);
    if (pages != null) {
      pages.close();
    }
    engine.openHandles.remove(leak(end), address);
  }

  private static LeakKind leak(DriverFunction end) {
    return end == DriverFunction.MEM_FREE ? LeakKind.MANAGED_BUFFER : LeakKind.PINNED_BUFFER;
  }
}
