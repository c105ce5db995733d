package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.check.Operation;
import org.vramkit.sim.check.PinnedRange;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.program.OperandKind;
import org.vramkit.sim.program.StepDraft;
import org.vramkit.sim.program.StepKind;

/** Page-locked memory: a piece of the simulator's, or a user's own. */
final class SimPinnedBuffer implements PinnedBuffer {
  private final SimDevice device;
  private final long address;
  private final long reserved;
  private final ByteBuffer content;
  private final DriverFunction end;
  private boolean closed;

  /**
   * A buffer over bytes that are locked now.
   *
   * @param reserved bytes of addresses that it has
   * @param end the call that gives it back
   */
  SimPinnedBuffer(
      SimDevice device, long address, long reserved, ByteBuffer content, DriverFunction end) {
    this.end = end;
    this.device = device;
    this.address = address;
    this.reserved = reserved;
    this.content = content;
  }

  /** The buffer as one of a simulator; of any of its devices, as all of them reach it. */
  static SimPinnedBuffer of(PinnedBuffer buffer, SimBackend backend) {
    if (buffer instanceof SimPinnedBuffer sim && sim.device.getBackend() == backend) {
      return sim;
    }
    throw new InvalidArgumentException(
        buffer + " is not of this simulator; use one that a device of it allocated");
  }

  @Override
  public long getAddress() {
    return device.locked(
        () -> {
          requireOpen();
          return address;
        });
  }

  long address() {
    return address;
  }

  @Override
  public long getSize() {
    return content.capacity();
  }

  private void requireOpen() {
    if (closed) {
      device.engine.checker.getMisuse().closed(toString());
      throw new ClosedException(this + " is closed");
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
        StepKind.VIEW_PINNED,
        step -> read(step, offset, bytes),
        () -> {
          requireInside(offset, bytes);
          device.engine.requireOpen();
          return content.slice((int) offset, bytes).order(ByteOrder.nativeOrder());
        });
  }

  /** Tells of bytes that a copy reads; of a buffer of another simulator, nothing can be told. */
  static StepDraft read(StepDraft step, PinnedBuffer buffer, long offset, long bytes) {
    return buffer instanceof SimPinnedBuffer sim ? step.reads(sim.address + offset, bytes) : step;
  }

  /** Tells of bytes that a copy writes. */
  static StepDraft written(StepDraft step, PinnedBuffer buffer, long offset, long bytes) {
    return buffer instanceof SimPinnedBuffer sim ? step.writes(sim.address + offset, bytes) : step;
  }

  /** Tells of bytes that the host reads. */
  StepDraft read(StepDraft step, long offset, long bytes) {
    return step.device(device.getOrdinal()).reads(address + offset, bytes);
  }

  /** Tells of bytes that the host writes. */
  StepDraft written(StepDraft step, long offset, long bytes) {
    return step.device(device.getOrdinal()).writes(address + offset, bytes);
  }

  /** Addresses of a part, for the checker. */
  PinnedRange range(long offset, long bytes) {
    return new PinnedRange(
        device.getOrdinal(), address, getSize(), address + offset, address + offset + bytes);
  }

  /** The host reads a part now. */
  @Override
  public void hostReads(long offset, long bytes) {
    device.getBackend().hostReads(this, offset, bytes);
  }

  /** Whether nobody has written a part since it was allocated, as far as its bytes tell. */
  boolean isUnwritten(long offset, long bytes) {
    return device.engine.functions.isEmpty() && Unwritten.isAll(content, (int) offset, (int) bytes);
  }

  /** Tells the checker of a copy that reads a part. */
  void copiedFrom(Operation copy, long offset, long bytes) {
    ByteBuffer view = device.engine.bytes ? content.slice((int) offset, (int) bytes) : null;
    device
        .engine
        .checker
        .getPinned()
        .copiedFrom(
            copy,
            range(offset, bytes),
            view,
            (first, count) ->
                device.recording.note(
                    StepKind.HOST_CHANGES, step -> written(step, first - address, count)));
  }

  byte[] read(long offset, long bytes) {
    byte[] read = new byte[(int) bytes];
    content.get((int) offset, read);
    return read;
  }

  void write(long offset, byte[] bytes) {
    device
        .engine
        .checker
        .getPinned()
        .written(range(offset, bytes.length), () -> content.put((int) offset, bytes));
  }

  @Override
  public String toString() {
    return "pinned buffer at 0x" + Long.toHexString(address);
  }

  @Override
  public void close() {
    device.recording.perform(
        StepKind.CLOSE_PINNED,
        step ->
            step.device(device.getOrdinal()).uses(OperandKind.PINNED, device.getOrdinal(), address),
        () -> {
          if (!closed) {
            closed = true;
            device.engine.checker.getPinned().freed(range(0, getSize()));
            if (device.engine.bytes && end == DriverFunction.MEM_FREE_HOST) {
              device.engine.checker.getPinned().closed(range(0, getSize()), content.duplicate());
            }
            device.engine.holdings.letGo(LeakKind.PINNED_BUFFER, address);
            device.engine.pageLocked.remove(address);
            device.engine.space.getHostArena().giveBack(address, reserved);
            if (!device.engine.isLost()) {
              device.engine.call(end, getSize());
            }
          }
        });
  }
}
