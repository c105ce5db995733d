package org.vramkit.pressure;

import java.util.concurrent.atomic.AtomicBoolean;
import org.vramkit.api.device.MemoryArgument;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;

/**
 * Keeps the bytes of a {@link Spillable} on the device, for work of one stream, until it is closed.
 * Safe for any thread.
 */
public final class SpillableLease implements MemoryArgument, AutoCloseable {
  private final SpillStore store;
  private final Spillable spillable;
  private final Stream stream;
  private final long address;
  private final AtomicBoolean closed = new AtomicBoolean();

  SpillableLease(SpillStore store, Spillable spillable, Stream stream, long address) {
    this.store = store;
    this.spillable = spillable;
    this.stream = stream;
    this.address = address;
  }

  /**
   * Returns the device address of the first byte.
   *
   * @throws ClosedException if the lease is closed, because the bytes may have moved
   */
  @Override
  public long getAddress() {
    if (closed.get()) {
      throw new ClosedException(
          "lease of " + spillable, "its bytes may have moved", "materialize it again");
    }
    return address;
  }

  /** Returns the size in bytes. */
  public long getSize() {
    return spillable.getSize();
  }

  /** Returns the stream whose work may use the bytes. */
  public Stream getStream() {
    return stream;
  }

  /** Returns whether the lease is closed. */
  public boolean isClosed() {
    return closed.get();
  }

  /**
   * Ends the lease; the bytes may be spilled once the stream has completed its present work.
   * Repeated calls have no effect.
   */
  @Override
  public void close() {
    try {
      if (closed.compareAndSet(false, true)) {
        store.endLease(spillable, stream);
      }
    } catch (VirtualMachineError | LinkageError e) {
      store.lock.brokenBy = e;
      throw e;
    }
  }
}
