package org.vramkit.pool.caching.internal.event;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.LeakReport;

/**
 * Observes the work of an allocator outside of the hot path. The history, the flight recorder and
 * the counters implement this interface; hits are not observed. Methods are called on any thread,
 * some under the growth lock and within driver calls. They must not throw, block, or use the
 * allocator.
 */
public interface PoolObserver {
  PoolObserver NONE = new PoolObserver() {};

  /** Kinds of work that may take long. */
  enum Work {
    /** Taking memory from the driver, or moving it, for an allocation. */
    GROW,
    /** Returning free memory to the driver. */
    TRIM,
    /** Waiting on the host for a stream or the device. */
    WAIT
  }

  /** A piece of work in progress. The thread that began it ends it. */
  interface Span {
    Span NONE = (bytes, movedBytes) -> {};

    /**
     * Ends the work, whether it succeeded or failed, with the bytes taken or returned, and moved.
     */
    void end(long bytes, long movedBytes);
  }

  /** Returns the observer of a private pool; 0 is the default pool. */
  default PoolObserver ofPool(long pool) {
    return this;
  }

  /**
   * Begins a piece of work.
   *
   * @param stream stream of the work or the wait; null for none or all
   */
  default Span begin(Work work, @Nullable Stream stream) {
    return Span.NONE;
  }

  /** Runs a wait on the host as a piece of work. */
  default boolean awaiting(@Nullable Stream stream, BooleanSupplier wait) {
    Span span = begin(Work.WAIT, stream);
    try {
      return wait.getAsBoolean();
    } finally {
      span.end(0, 0);
    }
  }

  /**
   * Called after memory was mapped at an address.
   *
   * @param moved whether the memory was mapped elsewhere before, or kept unmapped
   */
  default void mapped(long address, long bytes, boolean moved) {}

  /** Called after memory was unmapped. */
  default void unmapped(long address, long bytes) {}

  /**
   * Called after memory was returned to the driver.
   *
   * @param address its address; 0 for unmapped memory
   */
  default void givenBack(long address, long bytes) {}

  /** Called when a closed block no longer waits for other streams. */
  default void freeCompleted(long address, long bytes, Stream stream, String tag) {}

  /** Called before an allocation fails, with the report for its caller. */
  default void outOfMemory(OutOfMemoryReport report) {}

  default void leaked(LeakReport leak) {}

  /**
   * The observer of an allocator: counts and times work, and forwards to the history, if one is
   * kept, and to the flight recorder while it is recording.
   */
  final class All implements PoolObserver {
    private static volatile boolean recording;

    /** The history of all pools; {@link #NONE} while none is kept. */
    private final AtomicReference<PoolObserver> history;

    private final PoolObserver recorder;
    private final long pool;
    private final TimedWork driver;
    private final TimedWork waits;

    public static final class TimedWork {
      private final AtomicLong count = new AtomicLong();
      private final AtomicLong nanos = new AtomicLong();

      private TimedWork() {}

      void add(long more) {
        nanos.addAndGet(more);
        count.incrementAndGet();
      }

      void reset() {
        count.set(0);
        nanos.set(0);
      }

      /** Returns the number of pieces since the last reset. */
      public long count() {
        return count.get();
      }

      /** Returns their total duration. */
      public long nanos() {
        return nanos.get();
      }
    }

    /**
     * Creates an observer without a history.
     *
     * @param recorder observer of the flight recorder, called while {@link #setRecording recording}
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

    /** Sets the history; {@link #NONE} for none. */
    public void setHistory(PoolObserver observer) {
      history.set(observer);
    }

    private PoolObserver history() {
      return Objects.requireNonNull(history.get()).ofPool(pool);
    }

    /** Sets whether the flight recorder is recording, for all allocators. */
    public static void setRecording(boolean running) {
      recording = running;
    }

    /** Returns the work of the driver: memory taken, moved or returned. */
    public TimedWork driver() {
      return driver;
    }

    public TimedWork waits() {
      return waits;
    }

    public void reset() {
      driver.reset();
      waits.reset();
    }

    @Override
    public Span begin(Work work, @Nullable Stream stream) {
      TimedWork own = work == Work.WAIT ? waits : driver;
      Span noted = history().begin(work, stream);
      Span recorded = recording ? recorder.begin(work, stream) : Span.NONE;
      return new TimedSpan(own, noted, recorded, System.nanoTime());
    }

    private record TimedSpan(TimedWork own, Span noted, Span recorded, long begun) implements Span {
      @Override
      public void end(long bytes, long movedBytes) {
        own.add(System.nanoTime() - begun);
        noted.end(bytes, movedBytes);
        recorded.end(bytes, movedBytes);
      }
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
      if (recording) {
        recorder.leaked(leak);
      }
    }
  }
}
