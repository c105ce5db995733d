package org.vramkit.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.vramkit.api.allocator.Metric;
import org.vramkit.api.allocator.Metric.Unit;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * The meters of some subjects, such as allocators, in one registry. The meters of a subject are
 * removed when they are closed or when the subject is garbage collected, whichever comes first.
 * Meters and their functions reference subjects weakly.
 */
final class Registration implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  /** The names of meters that do not follow from those of metrics. */
  private static final Map<String, String> OTHER_NAMES =
      Map.of(
          "vramkit.out.of.memories", "vramkit.out.of.memory",
          "vramkit.spill.on.device", "vramkit.spill.device",
          "vramkit.spill.on.host", "vramkit.spill.host",
          "vramkit.spill.on.disk", "vramkit.spill.disk",
          "vramkit.waiting.waiting", "vramkit.waiting.requests");

  final MeterRegistry registry;

  /** The name of the binder, for messages. */
  private final String owner;

  private final List<Cleaner.Cleanable> bound = new ArrayList<>();

  /**
   * Ids of meters that existed before this registration. A registry ignores a new meter with the id
   * of an existing one.
   */
  private final Set<Meter.Id> others;

  Registration(MeterRegistry registry, String owner) {
    this.registry = registry;
    this.owner = owner;
    this.others = registry.getMeters().stream().map(Meter::getId).collect(Collectors.toSet());
  }

  /** Throws if the registry has returned an existing meter instead of the new one. */
  void requireNew(Meter meter) {
    Meter.Id id = meter.getId();
    if (others.contains(id)) {
      throw new InvalidArgumentException(
          "the registry has a meter "
              + id.getName()
              + " with "
              + id.getTags()
              + " from other "
              + owner
              + "; close those, or distinguish them by names or tags");
    }
  }

  /**
   * Registers the meters of a subject, or none if one of them exists.
   *
   * @param reader reads the statistics of the subject
   */
  <T, S> void add(T subject, Function<T, S> reader, Consumer<Meters<T, S>> adding) {
    Removal removal = new Removal(registry);
    boolean added = false;
    try {
      adding.accept(new Meters<>(subject, reader, removal));
      bound.add(CLEANER.register(subject, removal));
      added = true;
    } finally {
      if (!added) {
        removal.run();
      }
    }
  }

  /** Removes the meters. */
  @Override
  public void close() {
    bound.forEach(Cleaner.Cleanable::clean);
  }

  /** Removes the meters of a subject, to which it has no reference. */
  private static final class Removal implements Runnable {
    private final WeakReference<MeterRegistry> registry;
    private final List<Meter.Id> ids = new ArrayList<>();
    private final List<Consumer<MeterRegistry>> actions = new ArrayList<>();

    Removal(MeterRegistry registry) {
      this.registry = new WeakReference<>(registry);
    }

    @Override
    public void run() {
      MeterRegistry from = registry.get();
      if (from != null) {
        ids.forEach(from::remove);
        actions.forEach(each -> each.accept(from));
      }
    }
  }

  /** Registers the meters of one subject. */
  final class Meters<T, S> {
    private final T subject;
    private final Function<T, S> reader;
    private final Removal removal;

    private Meters(T subject, Function<T, S> reader, Removal removal) {
      this.subject = subject;
      this.reader = reader;
      this.removal = removal;
    }

    /** Registers a metric under a name. */
    void add(String name, Tags tags, Metric<S> metric) {
      // Functions refer to the reader alone, because the registry would keep the subject.
      Function<T, S> statistics = reader;
      ToDoubleFunction<T> value = each -> metric.value().applyAsLong(statistics.apply(each));
      boolean timed = metric.unit() == Unit.NANOSECONDS;
      String unit = metric.unit() == Unit.BYTES ? "bytes" : null;
      String text = metric.text();
      keep(
          switch (metric.kind()) {
            case COUNTER ->
                FunctionCounter.builder(
                        name, subject, each -> value.applyAsDouble(each) / (timed ? 1e9 : 1))
                    .description(text)
                    .baseUnit(timed ? "seconds" : unit)
                    .tags(tags)
                    .register(registry);
            case TIMER ->
                FunctionTimer.builder(
                        name,
                        subject,
                        each -> metric.count().applyAsLong(statistics.apply(each)),
                        value,
                        TimeUnit.NANOSECONDS)
                    .description(text)
                    .tags(tags)
                    .register(registry);
            case GAUGE, LEVEL ->
                timed
                    ? TimeGauge.builder(name, subject, TimeUnit.NANOSECONDS, value)
                        .description(text)
                        .tags(tags)
                        .register(registry)
                    : Gauge.builder(name, subject, value)
                        .description(text)
                        .baseUnit(unit)
                        .tags(tags)
                        .register(registry);
          });
    }

    /** Adds a meter that was registered. */
    void keep(Meter meter) {
      requireNew(meter);
      removal.ids.add(meter.getId());
    }

    /** Adds an action for when the meters are removed. */
    void whenRemoved(Consumer<MeterRegistry> action) {
      removal.actions.add(action);
    }
  }

  /** Returns the name of a metric's meter: after the prefix, its words with dots. */
  static String nameOf(String prefix, Metric<?> metric) {
    String name = prefix + "." + metric.name().replace(' ', '.');
    return OTHER_NAMES.getOrDefault(name, name);
  }
}
