package org.vramkit.pool.support;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.FatalDeviceException;

/**
 * An allocation that a pool leases repeatedly. Notifies the backend's observer of each lease and
 * its end, and of the return to the allocator. Owned by one thread at a time.
 */
public final class LeasedMemory {
  private final MemoryObserver observer;
  private @Nullable Allocation memory;
  private long address;
  private long size;

  /** Creates an instance without an allocation. */
  public LeasedMemory(Device device) {
    this.observer = device.getMemoryObserver();
  }

  /** Allocates the memory, which is not leased yet. */
  public void allocate(Supplier<Allocation> source) {
    // Stored at once, so that a following JVM error does not lose it.
    memory = source.get();
    Allocation made = Objects.requireNonNull(memory, "memory");
    address = made.getAddress();
    size = made.getSize();
    notifyTaken();
  }

  /** Returns the address of the first byte, even after the allocation was returned. */
  public long getAddress() {
    return address;
  }

  /** Returns whether there is no allocation: it was returned, or never made. */
  public boolean isGone() {
    return memory == null || memory.isClosed();
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
  public void leased(long bytes, Stream stream) {
    if (bytes > 0) {
      observer.allocated(address, bytes, stream);
    }
  }

  /** Notifies the observer of a use by another stream. */
  public void used(Stream stream) {
    if (size > 0) {
      observer.used(address, stream);
    }
  }

  /** Notifies the observer of the end of a lease. */
  public void leaseEnded(long bytes, Stream stream) {
    if (bytes > 0) {
      observer.freed(address, stream);
    }
  }

  /**
   * Records the uses that have not passed, and returns the allocation to its allocator. If the
   * allocator refuses a stream, waits for the use instead; if that fails too, the allocation stays
   * open. The memory of a lost device is gone.
   */
  public void giveBack(List<StreamPoint> uses) {
    Allocation memory = Objects.requireNonNull(this.memory, "memory");
    OwnCalls.make(
        observer,
        () -> {
          if (size > 0) {
            observer.segmentGivenBack(address);
          }
          try {
            uses.forEach(each -> passOn(each, memory));
          } catch (FatalDeviceException lost) {
            Batch.after(lost, memory::close);
            throw lost;
          } catch (RuntimeException | Error e) {
            notifyTaken();
            throw e;
          }
          memory.close();
        });
  }

  private static void passOn(StreamPoint use, Allocation memory) {
    if (!use.hasPassed() && !Streams.accepts(use.stream(), memory::recordUse)) {
      use.awaitNow();
    }
  }
}
