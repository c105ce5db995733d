package org.vramkit.pool.caching.internal.event;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.LeakReport;

/**
 * All who hear what an allocator does. Counts and times work itself, which takes two readings of a
 * clock beside a call of the driver; tells the history, where one is kept; and tells the flight
 * recorder while it records.
 */
public final class PoolObservers implements PoolObserver {
  private static final Work WAIT = Work.WAIT;

  /** Whether the flight recorder records anything. */
  private static volatile boolean recording;

  private final PoolObserver history;
  private final PoolObserver recorder;
  private final TimedWork driver = new TimedWork();
  private final TimedWork waits = new TimedWork();

  /** Pieces of work of one kind. */
  public static final class TimedWork {
    private final LongAdder count = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private volatile long countBefore;
    private volatile long nanosBefore;

    private TimedWork() {}

    void add(long more) {
      nanos.add(more);
      count.increment();
    }

    void reset() {
      countBefore = count.sum();
      nanosBefore = nanos.sum();
    }

    /** How many have ended since it was reset. */
    public long count() {
      return count.sum() - countBefore;
    }

    /** How long they took. */
    public long nanos() {
      return nanos.sum() - nanosBefore;
    }
  }

  /**
   * Tells these two.
   *
   * @param history {@link PoolObserver#NONE} where none is kept
   * @param recorder hears while {@link #setRecording} says so
   */
  public PoolObservers(PoolObserver history, PoolObserver recorder) {
    this.history = history;
    this.recorder = recorder;
  }

  /** Whether from now on the recorders of all allocators hear. */
  public static void setRecording(boolean running) {
    recording = running;
  }

  /** Memory taken, moved or given back. */
  public TimedWork driver() {
    return driver;
  }

  /** Waits of the host. */
  public TimedWork waits() {
    return waits;
  }

  /** Counts from 0 again. */
  public void reset() {
    driver.reset();
    waits.reset();
  }

  @Override
  public Span begin(Work work, @Nullable Stream stream) {
    TimedWork own = work == WAIT ? waits : driver;
    Span noted = history.begin(work, stream);
    Span recorded = recording ? recorder.begin(work, stream) : Span.NONE;
    long begun = System.nanoTime();
    return (bytes, movedBytes) -> {
      own.add(System.nanoTime() - begun);
      noted.end(bytes, movedBytes);
      recorded.end(bytes, movedBytes);
    };
  }

  @Override
  public void mapped(long address, long bytes, boolean moved) {
    history.mapped(address, bytes, moved);
  }

  @Override
  public void unmapped(long address, long bytes) {
    history.unmapped(address, bytes);
  }

  @Override
  public void givenBack(long address, long bytes) {
    history.givenBack(address, bytes);
  }

  @Override
  public void freeCompleted(long address, long bytes, Stream stream, String tag) {
    history.freeCompleted(address, bytes, stream, tag);
  }

  @Override
  public void outOfMemory(OutOfMemoryReport report) {
    history.outOfMemory(report);
    if (recording) {
      recorder.outOfMemory(report);
    }
  }

  @Override
  public void leaked(LeakReport leak) {
    history.leaked(leak);
    if (recording) {
      recorder.leaked(leak);
    }
  }
}
