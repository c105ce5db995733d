package org.vramkit.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The meters of one allocator or pool in one registry. Removed when their {@link MemoryMetrics} are
 * closed or when the allocator or pool is garbage collected, whichever comes first.
 */
final class BoundMeters implements Runnable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final WeakReference<MeterRegistry> registry;
  private final List<Meter.Id> ids = new ArrayList<>();
  private final List<Consumer<MeterRegistry>> removals = new ArrayList<>();

  BoundMeters(MeterRegistry registry) {
    this.registry = new WeakReference<>(registry);
  }

  void add(Meter meter) {
    ids.add(meter.getId());
  }

  void add(Consumer<MeterRegistry> removal) {
    removals.add(removal);
  }

  /**
   * Removes the meters when {@code subject} is garbage collected, or earlier when the result is
   * cleaned.
   */
  Cleaner.Cleanable removeAfter(Object subject) {
    return CLEANER.register(subject, this);
  }

  /** Removes the meters. */
  @Override
  public void run() {
    MeterRegistry from = registry.get();
    if (from != null) {
      ids.forEach(from::remove);
      removals.forEach(each -> each.accept(from));
    }
  }
}
