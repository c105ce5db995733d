package org.vramkit.pressure;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.vramkit.api.allocator.Metric;
import org.vramkit.api.device.Device;
import org.vramkit.api.flight.StatisticsEvent;
import org.vramkit.api.flight.StatisticsPublisher;

/**
 * Publishes the statistics of open objects of this module, called parts, for the flight recorder
 * and {@code vramkit top}. All kinds of parts share one sequence of numbers.
 */
final class Parts<T, S> extends StatisticsPublisher<T, S> {
  private static final AtomicLong NUMBERS = new AtomicLong();

  static final Parts<Admission, AdmissionStatistics> ADMISSIONS =
      new Parts<>(
          Admission::getStatistics,
          "AdmissionStatistics",
          "Grants of an admission, and the line for them",
          AdmissionStatistics::getMetrics);

  static final Parts<SpillStore, SpillStatistics> SPILL_STORES =
      new Parts<>(
          SpillStore::getStatistics,
          "SpillStatistics",
          "Spillables of a store by place, and their moves",
          SpillStatistics::getMetrics);

  static final Parts<Retry, RetryStatistics> RETRIES =
      new Parts<>(
          Retry::getStatistics,
          "RetryStatistics",
          "Tasks that wait, roll back and divide their inputs",
          RetryStatistics::getMetrics);

  static final Parts<WaitingAllocator, WaitingStatistics> WAITING_ALLOCATORS =
      new Parts<>(
          WaitingAllocator::getWaitingStatistics,
          "WaitingStatistics",
          "Allocations that wait for a close",
          WaitingStatistics::getMetrics);

  private final Function<T, S> reader;
  private final String event;
  private final String text;
  private final Supplier<List<Metric<S>>> metrics;

  private Parts(
      Function<T, S> reader, String event, String text, Supplier<List<Metric<S>>> metrics) {
    super("part");
    this.reader = reader;
    this.event = event;
    this.text = text;
    this.metrics = metrics;
  }

  @Override
  protected S read(T part) {
    return reader.apply(part);
  }

  @Override
  protected List<StatisticsEvent<S, ?>> types() {
    return List.of(StatisticsEvent.of(event, text, metrics.get()));
  }

  /** Publishes the statistics of a part until it is hidden; returns its number in this JVM. */
  long show(T part, Device device) {
    long number = NUMBERS.incrementAndGet();
    show(part, number, device.getOrdinal());
    return number;
  }
}
