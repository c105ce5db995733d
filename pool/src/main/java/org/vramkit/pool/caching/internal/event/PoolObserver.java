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

  enum Work {
    GROW,
    TRIM,
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

  default boolean awaiting(@Nullable Stream stream, BooleanSupplier wait) {
    Span span = begin(Work.WAIT, stream);
    try {
      return wait.getAsBoolean();
    } finally {
      span.end(0, 0);
    }
  }

  default void mapped(long address, long bytes, boolean moved) {}

  default void unmapped(long address, long bytes) {}

  default void givenBack(long address, long bytes) {}

  default void freeCompleted(long address, long bytes, Stream stream, String tag) {}

  default void outOfMemory(OutOfMemoryReport report) {}

  default void leaked(LeakReport leak) {}

  /**
   * The observer of an allocator: counts and times work, and forwards to the history, if one is
   * kept, and to the flight recorder while it is recording.
   */
  final class All implements PoolObserver {
    private static volatile boolean recording;

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

      public long count() {
        return count.get();
      }

      public long nanos() {
        return nanos.get();
      }
    }

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

    public void setHistory(PoolObserver observer) {
      history.set(observer);
    }

    private PoolObserver history() {
      return Objects.requireNonNull(history.get()).ofPool(pool);
    }

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
