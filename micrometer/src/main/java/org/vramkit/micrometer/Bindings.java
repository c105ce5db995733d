package org.vramkit.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;

/** The registries that a binder is bound to. Safe for any thread. */
final class Bindings implements AutoCloseable {
  private final String binder;

  /** Guarded by this. */
  private final Map<MeterRegistry, Registration> bound = new LinkedHashMap<>();

  /** Guarded by this. */
  private boolean closed;

  /** Creates the bindings of a binder, which messages call by the name of its class. */
  Bindings(String binder) {
    this.binder = binder;
  }

  /**
   * Registers meters, or none if one fails. No effect if the registry has them already.
   *
   * @throws ClosedException if the binder is closed
   * @throws InvalidArgumentException if the registry has a meter with the same name and tags
   */
  synchronized void bind(MeterRegistry registry, Consumer<Registration> adding) {
    Objects.requireNonNull(registry, "registry");
    if (closed) {
      throw new ClosedException(
          "this " + binder, "it registers no more meters", "create a new one");
    }
    if (bound.containsKey(registry)) {
      return;
    }
    // Otherwise two binders could each find no meter of the other.
    synchronized (registry) {
      Registration registration = new Registration(registry, binder);
      try {
        adding.accept(registration);
      } catch (RuntimeException | Error e) {
        registration.close();
        throw e;
      }
      bound.put(registry, registration);
    }
  }

  /** Removes the meters from every registry. */
  @Override
  public synchronized void close() {
    closed = true;
    bound.values().forEach(Registration::close);
    bound.clear();
  }
}
