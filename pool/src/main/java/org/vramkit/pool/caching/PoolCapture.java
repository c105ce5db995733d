package org.vramkit.pool.caching;

import java.util.concurrent.atomic.AtomicBoolean;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.CaptureException;

/**
 * A capture whose memory comes from a private pool: what the capturing thread allocates through the
 * allocator, and what anybody allocates through the pool, on streams that are captured. Made by
 * {@link PrivatePool#capture}; ended, and closed, by the thread that began it.
 *
 * <pre>{@code
 * try (PoolCapture capture = pool.capture(stream)) {
 *   try (Allocation scratch = allocator.allocate(bytes, stream)) {
 *     // launch kernels on the stream
 *   }
 *   graph = capture.end();
 * }
 * }</pre>
 *
 * <p>Memory that is closed in the capture serves again in it, in the order of its stream; where it
 * was recorded to be used by other streams, not before all graphs of the pool are closed. Nothing
 * that the graph uses goes to anybody else until it is closed: allocations may be closed before
 * that.
 */
public final class PoolCapture implements AutoCloseable {
  private final String memory;
  private final Runnable release;
  private final Stream stream;
  private final Runnable scope;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final Thread thread = Thread.currentThread();

  /**
   * Has begun.
   *
   * @param scope ends that by which this thread's allocations come from the pool
   * @param memory the pool, for people
   * @param release gives the memory back
   */
  PoolCapture(Stream stream, Runnable scope, String memory, Runnable release) {
    this.memory = memory;
    this.release = release;
    this.stream = stream;
    this.scope = scope;
  }

  /**
   * Ends it.
   *
   * @return what was captured, which holds the memory of the pool that it uses until it is closed;
   *     its close waits for the launches
   * @throws CaptureException if nothing came of the capture
   * @throws IllegalStateException if it was ended before
   */
  public Graph end() {
    if (!ended.compareAndSet(false, true)) {
      throw new IllegalStateException("the capture of " + stream + " was ended before");
    }
    Graph graph = null;
    try {
      graph = stream.getDevice().getGraphs().endCapture(stream);
      return new PoolGraph(graph, stream.getDevice().createEvent(), memory, release);
    } catch (RuntimeException | Error e) {
      if (graph != null) {
        Batch.after(e, graph::close);
      }
      Batch.after(e, release);
      throw e;
    } finally {
      scope.run();
    }
  }

  boolean isEnded() {
    return ended.get();
  }

  /** Gives up what no thread can end any more, as its thread has finished. */
  void closeIfFinished() {
    if (!thread.isAlive()) {
      close();
    }
  }

  /** Ends it and gives up what was captured, unless it was ended before. */
  @Override
  public void close() {
    if (ended.get()) {
      return;
    }
    try {
      end().close();
    } catch (CaptureException nothingCameOfIt) {
      // Whatever spoilt it was told to whoever did so.
    }
  }
}
