package org.vramkit.pool.workspace;

import java.util.function.Consumer;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.support.LentMemory;
import org.vramkit.pool.support.OwnCalls;
import org.vramkit.pool.support.RecordedUses;
import org.vramkit.pool.support.Streams;

/**
 * One piece of memory and the stream that used it last. Every stream that takes it over waits for
 * the one before, so coming after the last is coming after all of them. Owned by one party at a
 * time: a lease or the free slabs.
 */
final class Slab {
  final LentMemory memory;
  private final Stream home;
  private Stream last;

  Slab(Allocation memory) {
    this.memory = new LentMemory(memory);
    this.home = memory.getStream();
    this.last = home;
  }

  /** Bytes, also once the memory has gone back. */
  long size() {
    return memory.getSize();
  }

  boolean wasLastUsedBy(Stream stream) {
    return Streams.areSame(last, stream);
  }

  /** A user has it on the stream that it was handed to. */
  void lease() {
    memory.handedOut(size(), last);
  }

  /** The user has closed it. */
  void endLease() {
    memory.takenBack(size(), last);
  }

  /**
   * Makes the work of a stream come after all earlier uses. Costs nothing on the stream that used
   * it last; on another one an event that marks how far the last one has been submitted by now.
   */
  void handTo(Stream next) {
    if (wasLastUsedBy(next)) {
      return;
    }
    OwnCalls.make(
        next.getDevice(),
        () -> {
          if (last.isClosed() || !isMadeToWait(next)) {
            // Work of a closed stream goes on, and only the device can tell when it is done.
            next.getDevice().synchronize();
          }
        });
    last = next;
  }

  /** False if another thread has closed the last stream just now. */
  private boolean isMadeToWait(Stream next) {
    try (Event mark = next.getDevice().createEvent()) {
      mark.record(last);
      next.waitFor(mark);
      return true;
    } catch (ClosedException e) {
      if (!last.isClosed()) {
        throw e;
      }
      return false;
    }
  }

  /**
   * Gives the memory back to its allocator, in the order of the last use.
   *
   * @param keeper takes the slab if that fails and nobody knows when the last use ends
   */
  void free(Consumer<Slab> keeper) {
    RecordedUses uses = new RecordedUses();
    if (!wasLastUsedBy(home)) {
      uses.record(last);
    }
    memory.giveBack(uses, () -> keeper.accept(this));
  }
}
