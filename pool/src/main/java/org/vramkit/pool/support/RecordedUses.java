package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.FatalDeviceException;

/**
 * Streams that were recorded as users of one piece of memory. While the piece is held they are only
 * collected; when it is given back each is marked by an event, and the piece is free once all have
 * passed their marks. Recording is safe for any thread; all else belongs to whoever owns the piece.
 *
 * <p>Where the driver fails, the users that are not settled yet stay, and the same call may be made
 * again: the piece is never taken for free too early, and never lost. Only a lost device forgets
 * them all, as nothing runs on it any more.
 */
public final class RecordedUses {
  private final List<Stream> users = new ArrayList<>(0);
  private final List<Event> marks = new ArrayList<>(0);

  /** How many of the users, from the first on, have a mark or need none. */
  private int marked;

  /** One more user; the same one again changes nothing. */
  public synchronized void record(Stream stream) {
    Streams.addTo(users, Objects.requireNonNull(stream, "stream"));
  }

  /** Whether there is no user. */
  public synchronized boolean isEmpty() {
    return users.isEmpty();
  }

  /**
   * Marks how far each user has been submitted by now. Where that fails, as on a stream that is
   * closed by now but goes on working, the device is waited for instead.
   */
  public synchronized void mark() {
    unlessLost(
        () -> {
          for (; marked < users.size(); marked++) {
            Stream user = users.get(marked);
            if (!isMarked(user)) {
              user.getDevice().synchronize();
            }
          }
        });
  }

  private boolean isMarked(Stream user) {
    return !user.isClosed() && Streams.accepts(user, this::addMark);
  }

  private void addMark(Stream user) {
    Event mark = user.getDevice().createEvent();
    try {
      mark.record(user);
    } catch (RuntimeException e) {
      Batch.after(e, mark::close);
      throw e;
    }
    marks.add(mark);
  }

  /**
   * Whether all users have passed their marks; then nobody is left. Asks the driver without
   * blocking, and tries to mark those that could not be marked before.
   */
  public synchronized boolean isSettled() {
    unlessLost(
        () -> {
          while (marked < users.size() && isMarked(users.get(marked))) {
            marked++;
          }
          if (marked == users.size() && marks.stream().allMatch(Event::isComplete)) {
            forget();
          }
        });
    return users.isEmpty();
  }

  /** Waits on the host until all users have passed their marks; then nobody is left. */
  public synchronized void await() {
    mark();
    unlessLost(() -> marks.forEach(Event::synchronize));
    forget();
  }

  /**
   * Gives an allocation that has these users back to its allocator, which waits for them; then
   * nobody is left. Where the allocator refuses one, the device is waited for instead.
   *
   * @param otherwise taken where that fails as well and nobody knows when the users end: the
   *     allocation is still open then
   */
  public void giveBack(Allocation memory, Runnable otherwise) {
    afterwards(() -> passOn(memory::recordUse), memory::close, otherwise);
  }

  /**
   * Waits on the host until all users have passed their marks, and goes on.
   *
   * @param next taken when nobody is left, be it that the device is lost
   * @param otherwise taken where the wait fails and nobody knows when the users end
   */
  public void awaitAndThen(Runnable next, Runnable otherwise) {
    afterwards(this::await, next, otherwise);
  }

  private void afterwards(Runnable end, Runnable next, Runnable otherwise) {
    try {
      end.run();
    } catch (RuntimeException | Error e) {
      Batch.after(e, isEmpty() ? next : otherwise);
      throw e;
    }
    // Not asked once more whether anybody is left: one that is recorded now comes too late.
    next.run();
  }

  private synchronized void passOn(Consumer<Stream> next) {
    unlessLost(
        () -> {
          for (Stream user : users) {
            if (!Streams.accepts(user, next)) {
              user.getDevice().synchronize();
            }
          }
        });
    forget();
  }

  private void unlessLost(Runnable action) {
    try {
      action.run();
    } catch (FatalDeviceException e) {
      Batch.after(e, this::forget);
      throw e;
    }
  }

  private void forget() {
    List<Event> passed = List.copyOf(marks);
    marks.clear();
    users.clear();
    marked = 0;
    Batch.forEach(passed, Event::close);
  }
}
