package org.vramkit.cuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.HostMemory;

/** A range of page-locked host memory. */
final class CudaPinnedBuffer implements PinnedBuffer {
  private final CudaDevice device;
  private final HostMemory memory;
  private final long bytes;
  private final Lifetime life = new Lifetime(this::free);

  CudaPinnedBuffer(CudaDevice device, HostMemory memory, long bytes) {
    this.device = device;
    this.memory = memory;
    this.bytes = bytes;
  }

  private void free() {
    device.context.giveBack(
        "cuMemFreeHost",
        () -> "cannot free " + this,
        () -> device.driver.memory().cuMemFreeHost(memory));
  }

  /** A call that reads or writes the buffer's memory. */
  static final class Use implements AutoCloseable {
    private final CudaPinnedBuffer buffer;

    private Use(CudaPinnedBuffer buffer) {
      this.buffer = buffer;
    }

    HostMemory memory() {
      return buffer.memory;
    }

    @Override
    public void close() {
      buffer.life.leave();
    }
  }

  /** Begins a use by any device of the buffer's backend: another one has other types of its own. */
  static Use use(CudaDevice user, PinnedBuffer buffer, long offset, long bytes) {
    if (!(buffer instanceof CudaPinnedBuffer ours)
        || ours.device.getBackend() != user.getBackend()) {
      throw new InvalidArgumentException(
          buffer + " is not page-locked memory of " + user.getBackend());
    }
    ours.life.enter(ours);
    try {
      ours.device.context.requireOpen(ours);
      ours.requireInside(offset, bytes);
      return new Use(ours);
    } catch (RuntimeException e) {
      ours.life.leave();
      throw e;
    }
  }

  private void requireInside(long offset, long count) {
    if (offset < 0 || count < 0 || count > bytes - offset) {
      throw new InvalidArgumentException(
          count + " bytes from " + offset + " are not inside a buffer of " + bytes);
    }
  }

  @Override
  public long getAddress() {
    try (Use use = use(device, this, 0, bytes)) {
      return use.memory().getAddress();
    }
  }

  @Override
  public long getSize() {
    return bytes;
  }

  @Override
  public ByteBuffer getBytes(long offset, int count) {
    try (Use use = use(device, this, offset, count)) {
      return use.memory().view(offset, count).order(ByteOrder.nativeOrder());
    }
  }

  @Override
  public void close() {
    life.close();
  }

  @Override
  public String toString() {
    return "page-locked buffer of "
        + bytes
        + " bytes at 0x"
        + Long.toHexString(memory.getAddress());
  }
}
