package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;

/**
 * Streams that were recorded as users of one piece of memory. While the piece is held they are only
 * collected; when it is given back each is marked by an event, and the piece is free once all have
 * passed their marks. Recording is safe for any thread; all else belongs to whoever owns the piece.
 */
public final class RecordedUses {
  private final List<Stream> users = new ArrayList<>(0);
  private final List<Event> marks = new ArrayList<>(0);

  /** One more user; the same one again changes nothing. */
  public synchronized void record(Stream stream) {
    if (!users.contains(stream)) {
      users.add(stream);
    }
  }

  /** Whether there is no user. */
  public synchronized boolean isEmpty() {
    return users.isEmpty();
  }

  /**
   * Marks how far each user has been submitted by now. Where that fails, as on a stream that is
   * closed by now but goes on working, the device is waited for instead.
   */
  public void mark() {
    for (Stream user : users) {
      try {
        Event mark = user.getDevice().createEvent();
        marks.add(mark);
        mark.record(user);
      } catch (FatalDeviceException e) {
        throw e;
      } catch (ClosedException | GpuException e) {
        user.getDevice().synchronize();
      }
    }
  }

  /** Whether all users have passed their marks; then nobody is left. Asks the driver. */
  public boolean isSettled() {
    for (Event mark : marks) {
      if (!mark.isComplete()) {
        return false;
      }
    }
    forget();
    return true;
  }

  /** Waits on the host until all users have passed their marks; then nobody is left. */
  public void await() {
    marks.forEach(Event::synchronize);
    forget();
  }

  /** Hands all users on to somebody who waits for them. */
  public void passOn(Consumer<Stream> next) {
    users.forEach(next);
    forget();
  }

  private void forget() {
    marks.forEach(Event::close);
    marks.clear();
    users.clear();
  }
}
