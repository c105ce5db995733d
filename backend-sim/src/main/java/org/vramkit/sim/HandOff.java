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
 * Java, so a pedantic checker reports a thread that uses results another thread has waited for.
 * Call {@link #publish} before the program hands over and {@link #receive} after, or let a wrapper
 * do both. Executors of the JDK and Kotlin's dispatchers need none: see docs/simulator.md, host
 * threads. Published knowledge stays. Safe for any thread.
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
  /** A period in which a thread publishes all that it learns; closed on that thread. */
  public interface Scope extends AutoCloseable {
    @Override
    void close();
  }

  private final Engine engine;
  private final long number;
  private final HostClock left = new HostClock();

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

  /** Publishes what the calling thread knows to be done, and its own accesses. */
  @Override
  public void publish() {
    engine.recording.performHandOff(
        "publish", this::note, () -> engine.checker.hosts.publish(left));
  }

  /** Joins everything published. */
  @Override
  public void receive() {
    engine.recording.performHandOff(
        "receive", this::note, () -> engine.checker.hosts.receive(left));
  }

  /**
   * {@linkplain #receive Receives}, and publishes at once whatever the calling thread learns until
   * the scope is closed. {@link #runnable} does so around a task, because a future may complete
   * before its task returns.
   */
  public Scope begin() {
    return engine.recording.make(
        "begin-hand-off",
        this::note,
        () -> {
          engine.checker.hosts.receive(left);
          engine.checker.hosts.publishTo(left);
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
   * Returns a task that begins with the knowledge of this thread now, and publishes all that it
   * learns.
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
   * Returns a task that begins with the knowledge of this thread now, and publishes all that it
   * learns.
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

  /** Returns a lock that receives when it is taken, and publishes when it is released. */
  public Lock lock(Lock lock) {
    return new HandOffLock(this, Objects.requireNonNull(lock, "lock"));
  }
}
