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
 * An allocation that a pool hands to one user after the other, and what a backend that checks is
 * told of it: that it is divided, which user has how much of it, and when it goes back to its
 * allocator. Owned by one party at a time.
 */
public final class LentMemory {
  private final MemoryObserver observer;
  private @Nullable Allocation memory;
  private long address;
  private long size;

  /** Wraps an allocation that is to be made. */
  public LentMemory(Device device) {
    this.observer = device.getMemoryObserver();
  }

  /** Makes the allocation; no user has it as yet. */
  public void allocate(Supplier<Allocation> source) {
    // Kept at once: an error of the JVM that comes next does not lose it.
    memory = source.get();
    Allocation made = Objects.requireNonNull(memory, "memory");
    address = made.getAddress();
    size = made.getSize();
    tellTaken();
  }

  /** Its first byte, also once it has gone back. */
  public long getAddress() {
    return address;
  }

  /** Tells whether it went back to its allocator, or never came. */
  public boolean isGone() {
    return memory == null || memory.isClosed();
  }

  private void tellTaken() {
    if (size > 0) {
      observer.segmentTaken(address, size);
    }
  }

  /**
   * Tells that a user has it.
   *
   * @param bytes what was asked for; 0 tells nothing
   */
  public void handedOut(long bytes, Stream stream) {
    if (bytes > 0) {
      observer.allocated(address, bytes, stream);
    }
  }

  /** Tells of a use by another stream. */
  public void used(Stream stream) {
    if (size > 0) {
      observer.used(address, stream);
    }
  }

  /**
   * Tells that the user has closed it.
   *
   * @param bytes what it was handed out with
   */
  public void takenBack(long bytes, Stream stream) {
    if (bytes > 0) {
      observer.freed(address, stream);
    }
  }

  /**
   * Gives it back to its allocator, which waits for the streams that use it. Where the allocator
   * refuses one, the device is waited for instead; where that fails as well, the allocation stays
   * open. A device that is lost takes its memory along.
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
            tellTaken();
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
