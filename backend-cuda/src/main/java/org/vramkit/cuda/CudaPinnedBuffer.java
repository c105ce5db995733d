package org.vramkit.cuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.HostMemory;

/** A range of page-locked host memory, allocated or registered, or of managed memory. */
final class CudaPinnedBuffer implements PinnedBuffer {
  private enum Kind {
    ALLOCATED,
    REGISTERED,
    MANAGED
  }

  /**
   * The registered buffers that are not closed. Kept reachable: if the garbage collector freed one,
   * the driver would treat other memory at the same addresses as locked.
   */
  private static final Set<CudaPinnedBuffer> REGISTERED = ConcurrentHashMap.newKeySet();

  private final CudaDevice device;
  private final HostMemory memory;

  /** The user's registered buffer; null if the driver allocated the memory. */
  private final @Nullable ByteBuffer own;

  private final Kind kind;
  private final long bytes;
  private final Lifetime life;

  private CudaPinnedBuffer(
      CudaDevice device, HostMemory memory, @Nullable ByteBuffer own, Kind kind, long bytes) {
    this.device = device;
    this.memory = memory;
    this.own = own;
    this.kind = kind;
    this.bytes = bytes;
    this.life = new Lifetime(this::end);
    device.context.open.add(handles(), memory.getAddress(), bytes);
  }

  private OpenHandles.Kind handles() {
    return kind == Kind.MANAGED ? OpenHandles.Kind.MANAGED_BUFFER : OpenHandles.Kind.PINNED_BUFFER;
  }

  private void end() {
    device.context.open.release(
        handles(),
        memory.getAddress(),
        switch (kind) {
          case ALLOCATED -> this::free;
          case REGISTERED -> this::unregister;
          case MANAGED -> this::freeManaged;
        });
  }

  static CudaPinnedBuffer allocated(CudaDevice device, HostMemory memory, long bytes) {
    return new CudaPinnedBuffer(device, memory, null, Kind.ALLOCATED, bytes);
  }

  static CudaPinnedBuffer managed(CudaDevice device, HostMemory memory, long bytes) {
    return new CudaPinnedBuffer(device, memory, null, Kind.MANAGED, bytes);
  }

  static CudaPinnedBuffer registered(CudaDevice device, HostMemory memory, ByteBuffer own) {
    CudaPinnedBuffer buffer =
        new CudaPinnedBuffer(device, memory, own, Kind.REGISTERED, own.capacity());
    REGISTERED.add(buffer);
    return buffer;
  }

  private void free() {
    device.context.release(
        "cuMemFreeHost",
        () -> "cannot free " + this,
        () -> device.driver.memory().cuMemFreeHost(memory));
  }

  private void freeManaged() {
    device.context.release(
        "cuMemFree",
        () -> "cannot free " + this,
        () -> device.driver.memory().cuMemFree(memory.getAddress()));
  }

  private void unregister() {
    device.context.release(
        "cuMemHostUnregister",
        () -> "cannot unlock " + this,
        () -> device.driver.memory().cuMemHostUnregister(memory));
    REGISTERED.remove(this);
  }

  /** A use of the buffer's memory by a call. */
  static final class Use implements AutoCloseable {
    private final CudaPinnedBuffer buffer;

    private Use(CudaPinnedBuffer buffer) {
      this.buffer = buffer;
    }

    HostMemory memory() {
      return buffer.memory;
    }

    void requireInside(long offset, long bytes) {
      buffer.requireInside(offset, bytes);
    }

    @Override
    public void close() {
      buffer.life.leave();
    }
  }

  /** Begins a use by a device of the buffer's backend. */
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
          count
              + " bytes from offset "
              + offset
              + " are not inside a buffer of"
              + " "
              + bytes
              + " bytes");
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
    PiecewiseBuffer.requireViewable(count);
    try (Use use = use(device, this, offset, count)) {
      ByteBuffer view =
          own == null ? use.memory().view(offset, count) : own.slice((int) offset, count);
      return view.order(ByteOrder.nativeOrder());
    }
  }

  @Override
  public void close() {
    life.close();
  }

  @Override
  public String toString() {
    return (kind == Kind.MANAGED ? "managed" : "page-locked")
        + " buffer of "
        + bytes
        + " bytes at 0x"
        + Long.toHexString(memory.getAddress());
  }
}
