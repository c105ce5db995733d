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
                .gauge("vramkit.admission.capacity", "bytes", AdmissionStatistics::capacityBytes)
                .gauge("vramkit.admission.granted", "bytes", AdmissionStatistics::grantedBytes)
                .gauge("vramkit.admission.used", "bytes", AdmissionStatistics::usedBytes)
                .gauge("vramkit.admission.running", "grants", AdmissionStatistics::running)
                .gauge("vramkit.admission.waiting", "demands", AdmissionStatistics::waiting)
                .counter("vramkit.admission.admitted", AdmissionStatistics::admitted)
                .counter("vramkit.admission.withdrawn", AdmissionStatistics::withdrawn)
                .counter("vramkit.admission.refused", AdmissionStatistics::refused)
                .timer(
                    "vramkit.admission.wait",
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
                .gauge("vramkit.spill.device", "bytes", SpillStatistics::deviceBytes)
                .gauge("vramkit.spill.leased", "bytes", SpillStatistics::leasedBytes)
                .gauge("vramkit.spill.host", "bytes", SpillStatistics::hostBytes)
                .gauge("vramkit.spill.disk", "bytes", SpillStatistics::diskBytes)
                .counter("vramkit.spill.spilled", SpillStatistics::spilledBytes)
                .counter("vramkit.spill.restored", SpillStatistics::restoredBytes)
                .counter("vramkit.spill.written", SpillStatistics::diskWrittenBytes)
                .counter("vramkit.spill.failures", SpillStatistics::failures));
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
                .gauge("vramkit.retry.running", "tasks", RetryStatistics::running)
                .gauge("vramkit.retry.blocked", "tasks", RetryStatistics::blocked)
                .gauge("vramkit.retry.rolled.back", "tasks", RetryStatistics::rolledBack)
                .counter("vramkit.retry.tasks", RetryStatistics::tasks)
                .counter("vramkit.retry.waits", RetryStatistics::waits)
                .counter("vramkit.retry.rollbacks", RetryStatistics::rollbacks)
                .counter("vramkit.retry.splits", RetryStatistics::splits));
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
                .gauge("vramkit.waiting.live", "bytes", WaitingStatistics::liveBytes)
                .gauge("vramkit.waiting.requests", "requests", WaitingStatistics::waiting)
                .counter("vramkit.waiting.failed", WaitingStatistics::failed)
                .timer(
                    "vramkit.waiting.wait",
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

    Meters<T, S> gauge(String name, String unit, ToLongFunction<S> figure) {
      Gauge.builder(name, subject, value(reading, figure))
          .baseUnit(unit)
          .tags(tags)
          .register(registry);
      return this;
    }

    Meters<T, S> counter(String name, ToLongFunction<S> figure) {
      FunctionCounter.builder(name, subject, value(reading, figure)).tags(tags).register(registry);
      return this;
    }

    Meters<T, S> timer(String name, ToLongFunction<S> count, ToLongFunction<S> nanos) {
      FunctionTimer.builder(
              name, subject, whole(reading, count), value(reading, nanos), TimeUnit.NANOSECONDS)
          .tags(tags)
          .register(registry);
      return this;
    }

    /** Captures no reference to the subject, because the registry keeps the returned function. */
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
