package org.vramkit.pool.caching.internal.event;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.LeakReport;

/**
 * Hears what an allocator does beside the hot path, which is told to nobody: the one seam for all
 * who record it. Called by any thread, some of it under the growth lock and in the middle of driver
 * calls: must not throw, wait, or use the allocator.
 */
public interface PoolObserver {
  /** Hears nothing. */
  PoolObserver NONE = new PoolObserver() {};

  /** What may take a while. */
  enum Work {
    /** Memory is taken from the driver, or moved, for an allocation. */
    GROW,
    /** Free memory goes back to the driver. */
    TRIM,
    /** The host waits for a stream, or for the device. */
    WAIT
  }

  /** One piece of work under way; ended by the thread that began it. */
  interface Span {
    /** Nobody hears of it. */
    Span NONE = (bytes, movedBytes) -> {};

    /**
     * It is over, done or failed.
     *
     * @param bytes taken from the driver, or given back
     * @param movedBytes of memory that moved to another address
     */
    void end(long bytes, long movedBytes);
  }

  /** The same for what happens in one pool; 0 for the default one. */
  default PoolObserver ofPool(long pool) {
    return this;
  }

  /**
   * Work begins.
   *
   * @param stream for which, or for which one waits; null for none, or for all
   */
  default Span begin(Work work, @Nullable Stream stream) {
    return Span.NONE;
  }

  /**
   * Waits on the host, as a piece of work.
   *
   * @param stream that is waited for; null for something else
   * @return what the wait answers
   */
  default boolean awaiting(@Nullable Stream stream, BooleanSupplier wait) {
    Span span = begin(Work.WAIT, stream);
    try {
      return wait.getAsBoolean();
    } finally {
      span.end(0, 0);
    }
  }

  /**
   * Memory lies at an address from now on.
   *
   * @param moved whether it lay elsewhere before, or was kept unmapped
   */
  default void mapped(long address, long bytes, boolean moved) {}

  /** No memory lies at an address any more. */
  default void unmapped(long address, long bytes) {}

  /**
   * Memory went back to the driver.
   *
   * @param address where it lay; 0 for memory that lay nowhere
   */
  default void givenBack(long address, long bytes) {}

  /** A closed block waits for other streams no more. */
  default void freeCompleted(long address, long bytes, Stream stream, String tag) {}

  /** An allocation fails, and this is what its user is told. */
  default void outOfMemory(OutOfMemoryReport report) {}

  /** A handle was dropped without a close. */
  default void leaked(LeakReport leak) {}

  /**
   * All who hear what an allocator does. Counts and times work itself, which takes two readings of
   * a clock beside a call of the driver; tells the history, where one is kept; and tells the flight
   * recorder while it records.
   */
  final class All implements PoolObserver {
    private static final Work WAIT = Work.WAIT;

    /** Whether the flight recorder records anything. */
    private static volatile boolean recording;

    /** Of all pools; {@link #NONE} while no history is kept. */
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
    public All(PoolObserver recorder) {
      this(recorder, new AtomicReference<>(NONE), 0, new TimedWork(), new TimedWork());
    }

    private All(
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
      return new All(recorder, history, number, driver, waits);
    }

    /** Tells a history from now on; {@link #NONE} ends that. */
    public void setHistory(PoolObserver observer) {
      history.set(observer);
    }

    private PoolObserver history() {
      return Objects.requireNonNull(history.get()).ofPool(pool);
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
      Span noted = history().begin(work, stream);
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
      history().mapped(address, bytes, moved);
    }

    @Override
    public void unmapped(long address, long bytes) {
      history().unmapped(address, bytes);
    }

    @Override
    public void givenBack(long address, long bytes) {
      history().givenBack(address, bytes);
    }

    @Override
    public void freeCompleted(long address, long bytes, Stream stream, String tag) {
      history().freeCompleted(address, bytes, stream, tag);
    }

    @Override
    public void outOfMemory(OutOfMemoryReport report) {
      history().outOfMemory(report);
      if (recording) {
        recorder.outOfMemory(report);
      }
    }

    @Override
    public void leaked(LeakReport leak) {
      history().leaked(leak);
      if (recording) {
        recorder.leaked(leak);
      }
    }
  }
}
