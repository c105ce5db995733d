package org.vramkit.pool.buffer;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;

/**
 * One piece of memory of the pool, and which other streams use it. Owned by one party at a time: a
 * user's buffer, or the cache of its device.
 */
final class CachedBuffer {
  final BufferKey key;
  final Allocation memory;
  private final List<Stream> users = new ArrayList<>(0);
  private final List<Event> marks = new ArrayList<>(0);

  CachedBuffer(BufferKey key, Allocation memory) {
    this.key = key;
    this.memory = memory;
  }

  long size() {
    return memory.getSize();
  }

  synchronized void recordUse(Stream stream) {
    if (!stream.equals(key.stream()) && !users.contains(stream)) {
      users.add(stream);
    }
  }

  boolean isUsedElsewhere() {
    return !users.isEmpty();
  }

  /** Marks how far each other user has been submitted by now. */
  void mark() {
    for (Stream user : users) {
      Event mark = key.stream().getDevice().createEvent();
      marks.add(mark);
      try {
        mark.record(user);
      } catch (ClosedException e) {
        // Work of a closed stream goes on, and only the device can tell when it is done.
        user.getDevice().synchronize();
      }
    }
  }

  /** Whether all other users have passed their marks; then nobody is left. Asks the driver. */
  boolean isSettled() {
    for (Event mark : marks) {
      if (!mark.isComplete()) {
        return false;
      }
    }
    forgetUsers();
    return true;
  }

  private void forgetUsers() {
    marks.forEach(Event::close);
    marks.clear();
    users.clear();
  }

  /** Gives the memory back to its allocator, which waits for the users that are left. */
  void free() {
    for (Stream user : users) {
      memory.recordUse(user);
    }
    forgetUsers();
    memory.close();
  }
}
