package org.vramkit.pool.support;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.FatalDeviceException;

/**
 * A piece that is an allocation of an allocator. Notifies the backend's observer of each lease and
 * its end, and of the return to the allocator. Owned by one thread at a time.
 */
public abstract class AllocatedPiece<K> extends Piece<K> {
  private final Allocator allocator;
  private final Stream stream;
  private final MemoryObserver observer;
  private @Nullable Allocation memory;
  private long address;

  /**
   * Creates a piece without memory.
   *
   * @param stream the stream to allocate on
   */
  protected AllocatedPiece(
      K key, long size, Stream stream, Allocator allocator, CapturedStreams captured) {
    super(key, size, new StreamUses(captured));
    this.allocator = allocator;
    this.stream = stream;
    this.observer = stream.getDevice().getMemoryObserver();
  }

  @Override
  protected final void fill() {
    Allocation taken = UserError.callUser(() -> allocator.allocate(size, stream));
    try {
      address = UserError.callUser(taken::getAddress);
      memory = taken;
      notifyTaken();
    } catch (RuntimeException | Error e) {
      memory = null;
      Batch.after(e, taken::close);
      throw e;
    }
  }

  /** Returns the address of the first byte, even after the allocation was returned. */
  public final long getAddress() {
    return address;
  }

  protected final boolean isOf(Stream other) {
    return Streams.areSame(stream, other);
  }

  @Override
  protected final boolean isGone() {
    return memory == null;
  }

  @Override
  protected final boolean isAllocatedAt(long wanted) {
    return address == wanted;
  }

  private void notifyTaken() {
    if (size > 0) {
      observer.segmentTaken(address, size);
    }
  }

  /**
   * Notifies the observer of a lease.
   *
   * @param bytes requested bytes; 0 notifies nothing
   */
  public final void leased(long bytes, Stream user) {
    if (bytes > 0) {
      UserError.runUser(() -> observer.allocated(address, bytes, user));
    }
  }

  public final void used(Stream user) {
    if (size > 0) {
      observer.used(address, user);
    }
  }

  public final void leaseEnded(long bytes, Stream user) {
    if (bytes > 0) {
      UserError.runUser(() -> observer.freed(address, user));
    }
  }

  /**
   * Records the uses that have not passed, and returns the allocation to its allocator. If the
   * allocator refuses a stream, waits for the use instead; if that fails too, the allocation stays
   * open. The memory of a lost device is gone.
   */
  @Override
  protected void giveBack(List<StreamPoint> points) {
    Allocation last = requireNonNull(memory, "memory");
    PoolDriverCalls.make(
        observer,
        () -> {
          if (size > 0) {
            observer.segmentGivenBack(address);
          }
          try {
            points.forEach(each -> passOn(each, last));
          } catch (FatalDeviceException lost) {
            Batch.after(lost, () -> close(last));
            throw lost;
          } catch (RuntimeException | Error e) {
            notifyTaken();
            throw e;
          }
          close(last);
        });
  }

  private void close(Allocation last) {
    try {
      UserError.runUser(last::close);
      memory = null;
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> memory = last.isClosed() ? null : last);
      throw e;
    }
  }

  private static void passOn(StreamPoint use, Allocation memory) {
    if (!use.hasPassed()
        && !Streams.accepts(
            use.stream(), each -> UserError.runUser(() -> memory.recordUse(each)))) {
      use.awaitNow();
    }
  }
}
