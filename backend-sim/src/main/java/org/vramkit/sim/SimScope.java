package org.vramkit.sim;

import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where {@link org.vramkit.api.discovery.Backends#open() Backends.open()} answers one simulator in
 * place of a new backend: on threads that have {@linkplain #enter entered} it, and on those that
 * they start meanwhile. So code that opens a backend itself runs on the simulator of its test. It
 * comes before all backends of the class path; only a backend asked for by another name is opened
 * all the same.
 *
 * <p>Whoever made the scope owns the simulator: until the scope is closed, {@link SimBackend#close}
 * leaves one that was answered open. Safe for any thread.
 */
public final class SimScope implements AutoCloseable {
  private static final InheritableThreadLocal<Entry> LATEST = new InheritableThreadLocal<>();

  private volatile @Nullable Supplier<SimBackend> simulator;

  private SimScope(Supplier<SimBackend> simulator) {
    this.simulator = simulator;
  }

  /** A scope that no thread has entered; the supplier answers always the same simulator. */
  public static SimScope of(Supplier<SimBackend> simulator) {
    return new SimScope(Objects.requireNonNull(simulator, "simulator"));
  }

  /** The scope that the calling thread is in; null if it is in none. */
  static @Nullable SimScope current() {
    Entry entry = LATEST.get();
    // A thread may outlive the scope in which it was started.
    while (entry != null && entry.scope().isClosed()) {
      entry = entry.outer;
    }
    return entry == null ? null : entry.scope();
  }

  /** Its simulator, which it lends; null if it is closed. */
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

  /** The calling thread is in the scope until it closes what this gives. */
  public Entry enter() {
    Entry entry = new Entry(LATEST.get());
    LATEST.set(entry);
    return entry;
  }

  /** Ends it for all threads. The simulator is its owner's to close. Harmless when repeated. */
  @Override
  public void close() {
    simulator = null;
  }

  /** The time that a thread is in a scope. Closed by the thread that entered. */
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
