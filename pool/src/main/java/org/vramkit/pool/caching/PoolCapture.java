package org.vramkit.pool.caching;

import java.util.concurrent.atomic.AtomicReference;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.CaptureException;

/**
 * A stream capture whose memory comes from a private pool. The pool serves allocations on captured
 * streams: those that the capturing thread makes through the allocator, and those that any thread
 * makes through the pool. A capture begins with {@link PrivatePool#capture}. The thread that began
 * it ends and closes it.
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
 * <p>Within a capture, memory is reused in stream order once its allocation is closed. Memory with
 * recorded uses by other streams is not reused before all graphs of the pool are closed.
 * Allocations may be closed before the graph, because the graph keeps their memory until it is
 * closed.
 */
public final class PoolCapture implements AutoCloseable {
  private enum State {
    OPEN,
    /** A thread ends the capture, which goes on if this fails. */
    ENDING,
    ENDED
  }

  private final String memory;
  private final Runnable release;
  private final Stream stream;
  private final Runnable scope;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
  private final Thread thread = Thread.currentThread();

  /**
   * Creates a capture that has begun.
   *
   * @param scope closes the scope of the capturing thread
   * @param memory name of the pool
   * @param release releases the memory
   */
  PoolCapture(Stream stream, Runnable scope, String memory, Runnable release) {
    this.memory = memory;
    this.release = release;
    this.stream = stream;
    this.scope = scope;
  }

  /**
   * Ends the capture. If this fails and the stream is still captured, the capture goes on, and can
   * be ended or closed later.
   *
   * @return the graph; it keeps the memory that it uses until it is closed, and its close waits for
   *     the launches
   * @throws CaptureException if the capture was invalidated, or another thread began it
   * @throws IllegalStateException if the capture has ended
   */
  public Graph end() {
    if (!beginEnd()) {
      throw new IllegalStateException("the capture of " + stream + " has ended already");
    }
    return end(false);
  }

  /** Waits for a thread that ends the capture; returns false if it has ended. */
  private boolean beginEnd() {
    while (!state.compareAndSet(State.OPEN, State.ENDING)) {
      if (isEnded()) {
        return false;
      }
      Thread.onSpinWait();
    }
    return true;
  }

  /**
   * Ends the capture in the driver.
   *
   * @param forced whether to give the capture up if the driver fails
   */
  private Graph end(boolean forced) {
    Graph graph = endCapture(forced);
    state.set(State.ENDED);
    try {
      return new PoolGraph(graph, stream.getDevice().createEvent(), memory, release);
    } catch (RuntimeException | Error e) {
      Batch.after(e, graph::close);
      Batch.after(e, release);
      throw e;
    } finally {
      scope.run();
    }
  }

  private Graph endCapture(boolean forced) {
    Graphs graphs = stream.getDevice().getGraphs();
    try {
      return graphs.endCapture(stream);
    } catch (RuntimeException | Error e) {
      if (!forced && thread.isAlive() && goesOn(graphs, e)) {
        state.set(State.OPEN);
      } else {
        state.set(State.ENDED);
        Batch.after(e, release);
        Batch.after(e, scope);
      }
      throw e;
    }
  }

  private boolean goesOn(Graphs graphs, Throwable failure) {
    boolean[] captured = {false};
    Batch.after(failure, () -> captured[0] = graphs.isCapturing(stream));
    return captured[0];
  }

  boolean isEnded() {
    return state.get() == State.ENDED;
  }

  void closeIfFinished() {
    if (!thread.isAlive()) {
      close();
    }
  }

  /**
   * Ends the capture and discards its graph. Has no effect if the capture has ended. If the driver
   * fails, the capture is given up nevertheless, and the failure is thrown.
   *
   * @throws CaptureException if the driver refuses the end and the capture goes on
   */
  @Override
  public void close() {
    if (!beginEnd()) {
      return;
    }
    try {
      end(false).close();
    } catch (CaptureException invalidated) {
      if (!isEnded()) {
        throw invalidated;
      }
      // The call that invalidated the capture has failed already.
    } catch (RuntimeException | Error e) {
      // After a failure of the driver a second attempt may succeed. The capture ends in any case.
      if (state.compareAndSet(State.OPEN, State.ENDING)) {
        Batch.after(e, () -> end(true).close());
      }
      throw e;
    }
  }
}
