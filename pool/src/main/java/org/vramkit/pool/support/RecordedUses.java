package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;

/**
 * Streams that were recorded as users of one piece of memory. While the piece is held they are only
 * collected; when it is given back each is marked by an event, and the piece is free once all have
 * passed their marks. Recording is safe for any thread; all else belongs to whoever owns the piece.
 * Of a piece that nobody owns {@link InFlight} does it, under its lock as far as it changes
 * anything here.
 *
 * <p>Where the driver fails, the users that are not settled yet stay, and the same call may be made
 * again: the piece is never taken for free too early, and never lost. Only a lost device forgets
 * them all, as nothing runs on it any more. The monitor guards the lists and is a leaf: the driver
 * is called outside of it.
 */
public final class RecordedUses {
  private final List<Stream> unmarked = new ArrayList<>(0);
  private final List<Mark> marks = new ArrayList<>(0);

  /** One more user; the same one again changes nothing. */
  public synchronized void record(Stream stream) {
    Streams.addTo(unmarked, Objects.requireNonNull(stream, "stream"));
  }

  /** Whether there is no user. */
  public synchronized boolean isEmpty() {
    return unmarked.isEmpty() && marks.isEmpty();
  }

  /**
   * Marks how far each user has been submitted by now. Where that fails, as on a stream that is
   * closed by now but goes on working, the device is waited for instead.
   *
   * @return whether the host waited
   */
  public boolean mark() {
    boolean waited = false;
    try {
      for (Stream user = firstUnmarked(); user != null; user = firstUnmarked()) {
        Mark mark = tryMark(user);
        if (mark == null) {
          Waits.awaitAll(user.getDevice());
          waited = true;
        }
        marked(user, mark);
      }
    } catch (FatalDeviceException e) {
      Batch.after(e, this::forget);
      throw e;
    }
    return waited;
  }

  private synchronized @Nullable Stream firstUnmarked() {
    return unmarked.isEmpty() ? null : unmarked.get(0);
  }

  /** The users without a mark. */
  synchronized List<Stream> unmarked() {
    return List.copyOf(unmarked);
  }

  private void marked(Stream user, @Nullable Mark mark) {
    if (!putMark(user, mark) && mark != null) {
      mark.close();
    }
  }

  /**
   * A user has a mark, which is kept, or needs none.
   *
   * @return false if it is none that lacks one: another thread was first
   */
  @SuppressWarnings("ReferenceEquality") // that very entry
  synchronized boolean putMark(Stream user, @Nullable Mark mark) {
    int place = 0;
    while (place < unmarked.size() && unmarked.get(place) != user) {
      place++;
    }
    boolean first = place < unmarked.size();
    if (first) {
      unmarked.remove(place);
      if (mark != null) {
        marks.add(mark);
      }
    }
    return first;
  }

  /** Null where the driver refuses, as it does for a stream that is closed. */
  static @Nullable Mark tryMark(Stream user) {
    if (user.isClosed()) {
      return null;
    }
    try {
      return Mark.of(user);
    } catch (FatalDeviceException e) {
      throw e;
    } catch (ClosedException | GpuException e) {
      return null;
    }
  }

  /** The marks that are not known to be passed. */
  synchronized List<Mark> marks() {
    return List.copyOf(marks);
  }

  /** Whether every user has a mark. */
  synchronized boolean isMarked() {
    return unmarked.isEmpty();
  }

  /** A mark is passed, for the caller to close; its user is one no longer. */
  synchronized void passed(Mark mark) {
    marks.remove(mark);
  }

  /** Makes a stream wait for all marks. */
  public void orderBefore(Stream next) {
    marks().forEach(mark -> mark.orderBefore(next));
  }

  /** Waits on the host until all users have passed their marks; then nobody is left. */
  public void await() {
    mark();
    unlessLost(() -> marks().forEach(Mark::await));
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

  private void passOn(Consumer<Stream> next) {
    unlessLost(
        () -> {
          for (Stream user : users()) {
            if (!Streams.accepts(user, next)) {
              Waits.awaitAll(user.getDevice());
            }
          }
        });
    forget();
  }

  private synchronized List<Stream> users() {
    List<Stream> users = new ArrayList<>(unmarked);
    marks.forEach(mark -> Streams.addTo(users, mark.stream()));
    return users;
  }

  private void unlessLost(Runnable action) {
    try {
      action.run();
    } catch (FatalDeviceException e) {
      Batch.after(e, this::forget);
      throw e;
    }
  }

  /** Nobody is left; for an owner who knows, or does not care. */
  public void forget() {
    Batch.forEach(takeMarks(), Mark::close);
  }

  /** Nobody is left, and the marks are the caller's to close. */
  synchronized List<Mark> takeMarks() {
    List<Mark> taken = List.copyOf(marks);
    marks.clear();
    unmarked.clear();
    return taken;
  }
}
