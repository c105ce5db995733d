package org.vramkit.sim;

import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A scope in which {@link org.vramkit.api.discovery.Backends#open() Backends.open()} returns a
 * given simulator. The scope applies to threads that have {@linkplain #enter entered} it, and to
 * threads that these start. Code that opens a backend then runs on the simulator of its test. The
 * simulator has priority over all backends of the class path, unless another one is requested by
 * name.
 *
 * <p>The creator of the scope owns the simulator, so {@link SimBackend#close} leaves it open until
 * the scope is closed. Safe for any thread.
 */
public final class SimScope implements AutoCloseable {
  private static final InheritableThreadLocal<Entry> LATEST = new InheritableThreadLocal<>();

  private volatile @Nullable Supplier<SimBackend> simulator;

  private SimScope(Supplier<SimBackend> simulator) {
    this.simulator = simulator;
  }

  /** Creates a scope that no thread has entered; the supplier always returns the same simulator. */
  public static SimScope of(Supplier<SimBackend> simulator) {
    return new SimScope(Objects.requireNonNull(simulator, "simulator"));
  }

  /** Returns the scope of the calling thread; null if there is none. */
  static @Nullable SimScope current() {
    Entry entry = LATEST.get();
    // A thread may outlive the scope that it was started in.
    while (entry != null && entry.scope().isClosed()) {
      entry = entry.outer;
    }
    return entry == null ? null : entry.scope();
  }

  /**
   * Returns the simulator, whose close has no effect until the scope is closed; null if it is
   * closed.
   */
  @Nullable SimBackend lend() {
    Supplier<SimBackend> owned = simulator;
    if (owned == null) {
      return null;
    }
    SimBackend borrowed = owned.get();
    borrowed.lendWhile(() -> !isClosed());
    return borrowed;
  }

  boolean isClosed() {
    return simulator == null;
  }

  /** Enters the scope on the calling thread, until the entry is closed. */
  public Entry enter() {
    Entry entry = new Entry(LATEST.get());
    LATEST.set(entry);
    return entry;
  }

  /**
   * Ends the scope for all threads. The owner of the scope closes the simulator. Repeated calls
   * have no effect.
   */
  @Override
  public void close() {
    simulator = null;
  }

  /** The time that a thread spends in a scope. The same thread closes the entry. */
  public final class Entry implements AutoCloseable {
    private final @Nullable Entry outer;

    private Entry(@Nullable Entry outer) {
      this.outer = outer;
    }

    private SimScope scope() {
      return SimScope.this;
    }

    @Override
    public void close() {
      if (outer == null) {
        LATEST.remove();
      } else {
        LATEST.set(outer);
      }
    }
  }
}
