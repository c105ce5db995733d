package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;

/** A piece of simulated page-locked memory. */
final class SimPinnedBuffer implements PinnedBuffer {
  private final SimDevice device;
  private final long address;
  private final long reserved;
  private final ByteBuffer content;
  private boolean closed;

  SimPinnedBuffer(SimDevice device, long address, long reserved, ByteBuffer content) {
    this.device = device;
    this.address = address;
    this.reserved = reserved;
    this.content = content;
  }

  @Override
  public long getAddress() {
    return device.locked(
        () -> {
          requireOpen();
          return address;
        });
  }

  @Override
  public long getSize() {
    return content.capacity();
  }

  private void requireOpen() {
    if (closed) {
      device.engine.checker.getMisuse().closed("pinned buffer at 0x" + Long.toHexString(address));
      throw new ClosedException("pinned buffer at 0x" + Long.toHexString(address) + " is closed");
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
    return device.locked(
        () -> {
          requireInside(offset, bytes);
          return content.slice((int) offset, bytes).order(ByteOrder.nativeOrder());
        });
  }

  byte[] read(long offset, long bytes) {
    byte[] read = new byte[(int) bytes];
    content.get((int) offset, read);
    return read;
  }

  void write(long offset, byte[] bytes) {
    content.put((int) offset, bytes);
  }

  @Override
  public void close() {
    device.locked(
        () -> {
          if (!closed) {
            closed = true;
            device.engine.letGo(LeakKind.PINNED_BUFFER, address);
            device.engine.space.getHostArena().giveBack(address, reserved);
            if (!device.engine.isLost()) {
              device.engine.call(DriverFunction.MEM_FREE_HOST, getSize());
            }
          }
        });
  }
}
