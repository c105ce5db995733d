package org.vramkit.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.vramkit.pressure.Admission;
import org.vramkit.pressure.AdmissionStatistics;
import org.vramkit.pressure.Retry;
import org.vramkit.pressure.RetryStatistics;
import org.vramkit.pressure.SpillStatistics;
import org.vramkit.pressure.SpillStore;
import org.vramkit.pressure.WaitingAllocator;
import org.vramkit.pressure.WaitingStatistics;

/**
 * Publishes the statistics of an {@link Admission}, a {@link SpillStore}, a {@link Retry} or a
 * {@link WaitingAllocator} as meters with the tag {@code name}. Statistics are read when a registry
 * is scraped. The registry references the subject weakly; its gauges are NaN once it is garbage
 * collected.
 */
public final class PressureMetrics implements MeterBinder {
  private final Consumer<MeterRegistry> binding;

  private PressureMetrics(Consumer<MeterRegistry> binding) {
    this.binding = binding;
  }

  /**
   * Returns metrics of an admission.
   *
   * @param name the value of the tag {@code name}
   */
  public static PressureMetrics of(String name, Admission admission) {
    Tags tags = Tags.of("name", Objects.requireNonNull(name, "name"));
    return new PressureMetrics(
        registry ->
            new Meters<>(registry, tags, admission, Admission::getStatistics)
                .gauge(
                    "vramkit.admission.capacity",
                    "Bytes that the admission may grant",
                    "bytes",
                    AdmissionStatistics::capacityBytes)
                .gauge(
                    "vramkit.admission.granted",
                    "Bytes of open grants",
                    "bytes",
                    AdmissionStatistics::grantedBytes)
                .gauge(
                    "vramkit.admission.used",
                    "Bytes that holders of grants have allocated",
                    "bytes",
                    AdmissionStatistics::usedBytes)
                .gauge(
                    "vramkit.admission.running",
                    "Grants that are open",
                    "grants",
                    AdmissionStatistics::running)
                .gauge(
                    "vramkit.admission.waiting",
                    "Demands and growths in the queue",
                    "demands",
                    AdmissionStatistics::waiting)
                .counter(
                    "vramkit.admission.admitted",
                    "Demands that were granted",
                    AdmissionStatistics::admitted)
                .counter(
                    "vramkit.admission.withdrawn",
                    "Demands that left the queue without a grant",
                    AdmissionStatistics::withdrawn)
                .counter(
                    "vramkit.admission.refused",
                    "Growths of grants that were refused",
                    AdmissionStatistics::refused)
                .timer(
                    "vramkit.admission.wait",
                    "Time in the queue of demands that were granted after a wait",
                    AdmissionStatistics::waited,
                    AdmissionStatistics::waitNanos));
  }

  /**
   * Returns metrics of a spill store.
   *
   * @param name the value of the tag {@code name}
   */
  public static PressureMetrics of(String name, SpillStore store) {
    Tags tags = Tags.of("name", Objects.requireNonNull(name, "name"));
    return new PressureMetrics(
        registry ->
            new Meters<>(registry, tags, store, SpillStore::getStatistics)
                .gauge(
                    "vramkit.spill.device",
                    "Bytes of spillable buffers on the device",
                    "bytes",
                    SpillStatistics::deviceBytes)
                .gauge(
                    "vramkit.spill.leased",
                    "Bytes of spillable buffers in use by work",
                    "bytes",
                    SpillStatistics::leasedBytes)
                .gauge(
                    "vramkit.spill.host",
                    "Bytes of spillable buffers in page-locked host memory",
                    "bytes",
                    SpillStatistics::hostBytes)
                .gauge(
                    "vramkit.spill.disk",
                    "Bytes of spillable buffers on disk",
                    "bytes",
                    SpillStatistics::diskBytes)
                .counter(
                    "vramkit.spill.spilled",
                    "Bytes moved off the device",
                    SpillStatistics::spilledBytes)
                .counter(
                    "vramkit.spill.restored",
                    "Bytes moved back to the device",
                    SpillStatistics::restoredBytes)
                .counter(
                    "vramkit.spill.written",
                    "Bytes written to disk",
                    SpillStatistics::diskWrittenBytes)
                .counter(
                    "vramkit.spill.failures",
                    "Moves of buffers that failed",
                    SpillStatistics::failures));
  }

  /**
   * Returns metrics of tasks that retry.
   *
   * @param name the value of the tag {@code name}
   */
  public static PressureMetrics of(String name, Retry retry) {
    Tags tags = Tags.of("name", Objects.requireNonNull(name, "name"));
    return new PressureMetrics(
        registry ->
            new Meters<>(registry, tags, retry, Retry::getStatistics)
                .gauge("vramkit.retry.running", "Tasks that run", "tasks", RetryStatistics::running)
                .gauge(
                    "vramkit.retry.blocked",
                    "Tasks that wait for other tasks to free memory",
                    "tasks",
                    RetryStatistics::blocked)
                .gauge(
                    "vramkit.retry.rolled.back",
                    "Tasks that are rolled back and wait to run again",
                    "tasks",
                    RetryStatistics::rolledBack)
                .counter("vramkit.retry.tasks", "Tasks that have begun", RetryStatistics::tasks)
                .counter(
                    "vramkit.retry.waits",
                    "Waits for memory of other tasks",
                    RetryStatistics::waits)
                .counter(
                    "vramkit.retry.rollbacks",
                    "Attempts that were rolled back",
                    RetryStatistics::rollbacks)
                .counter(
                    "vramkit.retry.splits", "Inputs that were divided", RetryStatistics::splits));
  }

  /**
   * Returns metrics of allocations that wait.
   *
   * @param name the value of the tag {@code name}
   */
  public static PressureMetrics of(String name, WaitingAllocator allocator) {
    Tags tags = Tags.of("name", Objects.requireNonNull(name, "name"));
    return new PressureMetrics(
        registry ->
            new Meters<>(registry, tags, allocator, WaitingAllocator::getWaitingStatistics)
                .gauge(
                    "vramkit.waiting.live",
                    "Bytes of allocations that users hold",
                    "bytes",
                    WaitingStatistics::liveBytes)
                .gauge(
                    "vramkit.waiting.requests",
                    "Requests that wait for memory",
                    "requests",
                    WaitingStatistics::waiting)
                .counter(
                    "vramkit.waiting.failed",
                    "Requests that waited and got no memory",
                    WaitingStatistics::failed)
                .timer(
                    "vramkit.waiting.wait",
                    "Waiting time of requests that were then served",
                    WaitingStatistics::served,
                    WaitingStatistics::waitNanos));
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    binding.accept(registry);
  }

  /** Registers the meters of one subject in one registry. */
  private record Meters<T, S>(
      MeterRegistry registry, Tags tags, T subject, Function<T, S> reading) {

    Meters<T, S> gauge(String name, String description, String unit, ToLongFunction<S> figure) {
      Gauge.builder(name, subject, value(reading, figure))
          .description(description)
          .baseUnit(unit)
          .tags(tags)
          .register(registry);
      return this;
    }

    Meters<T, S> counter(String name, String description, ToLongFunction<S> figure) {
      FunctionCounter.builder(name, subject, value(reading, figure))
          .description(description)
          .tags(tags)
          .register(registry);
      return this;
    }

    Meters<T, S> timer(
        String name, String description, ToLongFunction<S> count, ToLongFunction<S> nanos) {
      FunctionTimer.builder(
              name, subject, whole(reading, count), value(reading, nanos), TimeUnit.NANOSECONDS)
          .description(description)
          .tags(tags)
          .register(registry);
      return this;
    }

    /**
     * Returns a function without a reference to the subject, because the registry keeps the
     * function.
     */
    private static <T, S> ToDoubleFunction<T> value(
        Function<T, S> reading, ToLongFunction<S> figure) {
      return each -> figure.applyAsLong(reading.apply(each));
    }

    private static <T, S> ToLongFunction<T> whole(
        Function<T, S> reading, ToLongFunction<S> figure) {
      return each -> figure.applyAsLong(reading.apply(each));
    }
  }
}
