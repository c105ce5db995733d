package org.vramkit.pressure;

import java.util.List;
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
  /** The system property with the number of the newest part. */
  private static final String NEWEST_PROPERTY = "vramkit.newest-part";

  private final Function<T, Device> device;
  private final Function<T, S> reader;
  private final String event;
  private final String text;
  private final Supplier<List<Metric<S>>> metrics;

  Parts(
      Function<T, Device> device,
      Function<T, S> reader,
      String event,
      String text,
      Supplier<List<Metric<S>>> metrics) {
    super("part");
    this.device = device;
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
  protected int deviceOf(T part) {
    return device.apply(part).getOrdinal();
  }

  @Override
  protected List<StatisticsEvent<S, ?>> types() {
    return List.of(StatisticsEvent.of(event, text, metrics.get()));
  }

  /** Publishes the statistics of a part until it is hidden; returns its number in this JVM. */
  long show(T part) {
    long number = nextNumber(NEWEST_PROPERTY);
    show(part, number);
    return number;
  }
}
