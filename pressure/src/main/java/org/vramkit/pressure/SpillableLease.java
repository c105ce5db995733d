package org.vramkit.pressure;

import java.util.concurrent.atomic.AtomicBoolean;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;

/**
 * The bytes of a {@link Spillable} on the device, for work of one stream, until it is closed. Safe
 * for any thread, and not bound to one.
 */
public final class SpillableLease implements AutoCloseable {
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
   * The device address of the first byte.
   *
   * @throws ClosedException if this is closed: the bytes may be elsewhere
   */
  public long getAddress() {
    if (closed.get()) {
      throw new ClosedException(
          "lease of " + spillable, "its bytes may have moved", "materialize it again");
    }
    return address;
  }

  /** The size in bytes. */
  public long getSize() {
    return spillable.getSize();
  }

  /** The stream whose work may use the bytes. */
  public Stream getStream() {
    return stream;
  }

  /** Whether it was closed. */
  public boolean isClosed() {
    return closed.get();
  }

  /** Lets the bytes be spilled, once the stream has passed this point. Harmless when repeated. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      store.endLease(spillable, stream);
    }
  }
}
