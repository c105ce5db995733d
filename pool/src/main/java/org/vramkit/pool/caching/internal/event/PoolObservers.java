package org.vramkit.pool.caching.internal.event;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
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

  /** Of all pools; {@link PoolObserver#NONE} while no history is kept. */
  private final AtomicReference<PoolObserver> history;

  private final PoolObserver recorder;
  private final long pool;
  private final TimedWork driver;
  private final TimedWork waits;

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
   * Tells a recorder, and a history once there is one.
   *
   * @param recorder hears while {@link #setRecording} says so
   */
  public PoolObservers(PoolObserver recorder) {
    this(recorder, new AtomicReference<>(NONE), 0, new TimedWork(), new TimedWork());
  }

  private PoolObservers(
      PoolObserver recorder,
      AtomicReference<PoolObserver> history,
      long pool,
      TimedWork driver,
      TimedWork waits) {
    this.recorder = recorder;
    this.history = history;
    this.pool = pool;
    this.driver = driver;
    this.waits = waits;
  }

  @Override
  public PoolObserver ofPool(long number) {
    return new PoolObservers(recorder, history, number, driver, waits);
  }

  /** Whether from now on the recorders of all allocators hear. */
  public static void setRecording(boolean running) {
    recording = running;
  }

  /** Tells a history from now on; {@link PoolObserver#NONE} ends that. */
  public void setHistory(PoolObserver observer) {
    history.set(observer);
  }

  private @Nullable PoolObserver history() {
    PoolObserver kept = Objects.requireNonNull(history.get());
    return kept == NONE ? null : kept.ofPool(pool);
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
    PoolObserver kept = history();
    Span noted = kept == null ? null : kept.begin(work, stream);
    Span recorded = recording ? recorder.begin(work, stream) : null;
    long begun = System.nanoTime();
    return (bytes, movedBytes) -> {
      own.add(System.nanoTime() - begun);
      if (noted != null) {
        noted.end(bytes, movedBytes);
      }
      if (recorded != null) {
        recorded.end(bytes, movedBytes);
      }
    };
  }

  @Override
  public void mapped(long address, long bytes, boolean moved) {
    PoolObserver kept = history();
    if (kept != null) {
      kept.mapped(address, bytes, moved);
    }
  }

  @Override
  public void unmapped(long address, long bytes) {
    PoolObserver kept = history();
    if (kept != null) {
      kept.unmapped(address, bytes);
    }
  }

  @Override
  public void givenBack(long address, long bytes) {
    PoolObserver kept = history();
    if (kept != null) {
      kept.givenBack(address, bytes);
    }
  }

  @Override
  public void freeCompleted(long address, long bytes, Stream stream, String tag) {
    PoolObserver kept = history();
    if (kept != null) {
      kept.freeCompleted(address, bytes, stream, tag);
    }
  }

  @Override
  public void outOfMemory(OutOfMemoryReport report) {
    PoolObserver kept = history();
    if (kept != null) {
      kept.outOfMemory(report);
    }
    if (recording) {
      recorder.outOfMemory(report);
    }
  }

  @Override
  public void leaked(LeakReport leak) {
    PoolObserver kept = history();
    if (kept != null) {
      kept.leaked(leak);
    }
    if (recording) {
      recorder.leaked(leak);
    }
  }
}
