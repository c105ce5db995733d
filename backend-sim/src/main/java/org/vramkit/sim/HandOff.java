package org.vramkit.sim;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import org.vramkit.api.device.HostEdge;
import org.vramkit.sim.check.HostClock;
import org.vramkit.sim.recording.CallNote;

/**
 * A happens-before edge between host threads. The simulator cannot see locks, queues and futures of
 * Java. So a {@linkplain org.vramkit.sim.hazard.Strictness#PEDANTIC pedantic} checker reports a
 * thread that uses results for which only another thread has waited. Call {@link #publish} on the
 * thread that waited, and then {@link #receive} on the other thread, or let a wrapper call both.
 * Tasks of fork-join pools and of Kotlin's dispatchers need no hand-off: see docs/simulator.md,
 * host threads. Published knowledge is never removed. Safe for any thread.
 *
 * <pre>{@code
 * HandOff handOff = gpu.newHandOff();
 * Executor executor = handOff.executor(pool);
 * CompletableFuture<Void> done = CompletableFuture.runAsync(stream::synchronize, executor);
 * done.join();
 * handOff.receive();
 * }</pre>
 */
public final class HandOff implements HostEdge {
  /**
   * A period in which a thread publishes everything that it learns about completed work. The same
   * thread closes the scope.
   */
  public interface Scope extends AutoCloseable {
    @Override
    void close();
  }

  private final Engine engine;
  private final long number;
  private final HostClock published = new HostClock();

  HandOff(Engine engine, long number) {
    this.engine = engine;
    this.number = number;
  }

  static HandOff create(Engine engine) {
    return engine.recording.make(
        "create-hand-off",
        step -> {},
        () -> new HandOff(engine, engine.newNumber()),
        handOff -> handOff.number);
  }

  private CallNote note(CallNote step) {
    return step.uses(0, number);
  }

  /** Publishes which work the calling thread knows to be complete, and its own accesses. */
  @Override
  public void publish() {
    engine.recording.performHandOff(
        "publish", this::note, () -> engine.checker.hosts.publish(published));
  }

  /** Adds everything published so far to the knowledge of the calling thread. */
  @Override
  public void receive() {
    engine.recording.performHandOff(
        "receive", this::note, () -> engine.checker.hosts.receive(published));
  }

  /**
   * {@linkplain #receive Receives}, and opens a scope in which the calling thread publishes at once
   * everything that it learns. {@link #runnable} runs a task in a scope of this kind, because a
   * future may complete before its task returns.
   */
  public Scope begin() {
    return engine.recording.make(
        "begin-hand-off",
        this::note,
        () -> {
          engine.checker.hosts.receive(published);
          engine.checker.hosts.publishTo(published);
          return new Publishing();
        },
        publishing -> publishing.scope);
  }

  private final class Publishing implements Scope {
    private final long scope = engine.newNumber();
    private boolean closed;

    @Override
    public void close() {
      engine.recording.perform(
          "end-hand-off",
          step -> step.uses(0, scope),
          () -> {
            if (!closed) {
              closed = true;
              engine.checker.hosts.endPublishing();
            }
          });
    }
  }

  /**
   * Returns a task that starts with the present knowledge of the calling thread, and publishes
   * everything that it learns.
   */
  @SuppressWarnings("try") // the scope is held, not used
  public Runnable runnable(Runnable task) {
    Objects.requireNonNull(task, "task");
    publish();
    return () -> {
      try (Scope scope = begin()) {
        task.run();
      }
    };
  }

  /**
   * Returns a task that starts with the present knowledge of the calling thread, and publishes
   * everything that it learns.
   */
  @SuppressWarnings("try") // the scope is held, not used
  public <V> Callable<V> callable(Callable<V> task) {
    Objects.requireNonNull(task, "task");
    publish();
    return () -> {
      try (Scope scope = begin()) {
        return task.call();
      }
    };
  }

  /** Returns an executor that runs each task as {@link #runnable} does. */
  public Executor executor(Executor executor) {
    Objects.requireNonNull(executor, "executor");
    return task -> executor.execute(runnable(task));
  }

  /**
   * Returns a lock that calls {@link #receive} after it is acquired, and {@link #publish} before it
   * is released.
   */
  public Lock lock(Lock lock) {
    return new HandOffLock(this, Objects.requireNonNull(lock, "lock"));
  }
}
