package org.vramkit.micrometer;

import static org.vramkit.micrometer.Registration.nameOf;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.vramkit.api.allocator.Metric;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
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
 * is scraped.
 *
 * <p>{@link #close} removes the meters from all registries. Meters reference the subject weakly,
 * and are removed once it is garbage collected. Safe for any thread.
 */
public final class PressureMetrics implements MeterBinder, AutoCloseable {
  private final Consumer<Registration> adding;
  private final Bindings bindings = new Bindings("PressureMetrics");

  private PressureMetrics(Consumer<Registration> adding) {
    this.adding = adding;
  }

  /**
   * Returns metrics of an admission.
   *
   * @param name the value of the tag {@code name}
   */
  public static PressureMetrics of(String name, Admission admission) {
    return of(
        "admission", name, admission, Admission::getStatistics, AdmissionStatistics.getMetrics());
  }

  /**
   * Returns metrics of a spill store.
   *
   * @param name the value of the tag {@code name}
   */
  public static PressureMetrics of(String name, SpillStore store) {
    return of("spill", name, store, SpillStore::getStatistics, SpillStatistics.getMetrics());
  }

  /**
   * Returns metrics of tasks that retry.
   *
   * @param name the value of the tag {@code name}
   */
  public static PressureMetrics of(String name, Retry retry) {
    return of("retry", name, retry, Retry::getStatistics, RetryStatistics.getMetrics());
  }

  /**
   * Returns metrics of allocations that wait.
   *
   * @param name the value of the tag {@code name}
   */
  public static PressureMetrics of(String name, WaitingAllocator allocator) {
    return of(
        "waiting",
        name,
        allocator,
        WaitingAllocator::getWaitingStatistics,
        WaitingStatistics.getMetrics());
  }

  private static <T, S> PressureMetrics of(
      String kind, String name, T subject, Function<T, S> reader, List<Metric<S>> metrics) {
    Tags tags = Tags.of("name", Objects.requireNonNull(name, "name"));
    Objects.requireNonNull(subject, kind);
    return new PressureMetrics(
        registration ->
            registration.add(
                subject,
                reader,
                meters ->
                    metrics.forEach(
                        each -> meters.add(nameOf("vramkit." + kind, each), tags, each))));
  }

  /**
   * Registers the meters. No effect if they are already bound to {@code registry}.
   *
   * @throws ClosedException if these metrics are closed
   * @throws InvalidArgumentException if the registry already has such a meter with the same name;
   *     no meter is then registered
   */
  @Override
  public void bindTo(MeterRegistry registry) {
    bindings.bind(registry, adding);
  }

  /** Removes the meters from every registry. Does not close the subject. */
  @Override
  public void close() {
    bindings.close();
  }
}
