package org.vramkit.sim;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import org.vramkit.api.device.HostEdge;
import org.vramkit.sim.check.HostClock;
import org.vramkit.sim.recording.CallNote;

/**
 * Hands what one thread of the host has waited for to another. The simulator sees no locks, queues
 * and futures of Java, so a strict checker takes a thread that uses another one's results for one
 * that forgot to wait. Tasks of the JDK's executors and of Kotlin's dispatchers need none of this:
 * see docs/simulator.md, host threads. Say where the program hands over: {@link #publish} before it
 * does, {@link #receive} after, or let a wrapper do both. What was published stays; safe for any
 * thread.
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
  /** A time for which a thread leaves all that it learns; ends with its close, on that thread. */
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

  /** Leaves what the calling thread knows to be done, and what it did itself. */
  @Override
  public void publish() {
    engine.recording.performHandOff(
        "publish", this::note, () -> engine.checker.hosts.publish(left));
  }

  /** Takes over all that was published. */
  @Override
  public void receive() {
    engine.recording.performHandOff(
        "receive", this::note, () -> engine.checker.hosts.receive(left));
  }

  /**
   * {@linkplain #receive Receives}, and publishes from now on whatever the calling thread learns,
   * at once, until the scope is closed: what {@link #runnable} does around a task, because a future
   * is complete before its task returns.
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

  /** A task that begins with what this thread knows now, and publishes all that it learns. */
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

  /** A task that begins with what this thread knows now, and publishes all that it learns. */
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

  /** An executor that runs each task as {@link #runnable} does. */
  public Executor executor(Executor executor) {
    Objects.requireNonNull(executor, "executor");
    return task -> executor.execute(runnable(task));
  }

  /** A lock that receives when it is taken, and publishes when it is released. */
  public Lock lock(Lock lock) {
    return new HandOffLock(this, Objects.requireNonNull(lock, "lock"));
  }
}
