package org.vramkit.pool.support;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;

/**
 * An allocation that a pool hands to one user after the other, and what a backend that checks is
 * told of it: that it is divided, who has how much of it, and when it goes back to its allocator.
 * Owned by one party at a time.
 */
public final class LentMemory {
  private final Allocation memory;
  private final MemoryObserver observer;
  private final long address;
  private final long size;

  /** An allocation that nobody has as yet. */
  public LentMemory(Allocation memory) {
    this.memory = memory;
    this.observer = memory.getStream().getDevice().getMemoryObserver();
    this.address = memory.getAddress();
    this.size = memory.getSize();
    tellTaken();
  }

  /** Its first byte, also once it has gone back. */
  public long getAddress() {
    return address;
  }

  /** Bytes, also once it has gone back. */
  public long getSize() {
    return size;
  }

  private void tellTaken() {
    if (size > 0) {
      observer.segmentTaken(address, size);
    }
  }

  /**
   * A user has it.
   *
   * @param bytes what was asked for; of nothing, nobody is told
   */
  public void handedOut(long bytes, Stream stream) {
    if (bytes > 0) {
      observer.allocated(address, bytes, stream);
    }
  }

  /** The user told of a use by another stream. */
  public void used(Stream stream) {
    if (size > 0) {
      observer.used(address, stream);
    }
  }

  /**
   * The user has closed it.
   *
   * @param bytes what it was handed out with
   */
  public void takenBack(long bytes, Stream stream) {
    if (bytes > 0) {
      observer.freed(address, stream);
    }
  }

  /**
   * Gives it back to its allocator, which waits for those that use it.
   *
   * @param otherwise taken where that fails and nobody knows when they end: the allocation is still
   *     open then
   */
  public void giveBack(RecordedUses uses, Runnable otherwise) {
    OwnCalls.make(
        observer,
        () -> {
          if (size > 0) {
            observer.segmentGivenBack(address);
          }
          uses.giveBack(memory, () -> keepAfterAll(otherwise));
        });
  }

  private void keepAfterAll(Runnable keeper) {
    tellTaken();
    keeper.run();
  }
}
