package org.vramkit.pool.caching.outofmemory;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Graph;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

/**
 * Captures of a program into its private pools, one at a time, on another thread than the one that
 * allocates; and their graphs, which it keeps until it closes them.
 */
final class PoolCaptures implements AutoCloseable {
  private final SimDevice device;
  private final Executor thread;
  private final Map<Integer, List<Graph>> graphs = new LinkedHashMap<>();
  private @Nullable PoolCapture capture;
  private @Nullable SimStream stream;
  private int pool;

  /**
   * None as yet.
   *
   * @param thread begins and ends them
   */
  PoolCaptures(SimDevice device, Executor thread) {
    this.device = device;
    this.thread = thread;
  }

  boolean isAny() {
    return capture != null;
  }

  /** Whether one is under way into the pool of this number. */
  boolean isInto(int number) {
    return capture != null && pool == number;
  }

  /** The stream that is captured. */
  SimStream stream() {
    return requireNonNull(stream);
  }

  void begin(int number, PrivatePool into) {
    SimStream captured = device.createStream();
    stream = captured;
    pool = number;
    capture = CompletableFuture.supplyAsync(() -> into.capture(captured), thread).join();
  }

  void end() {
    PoolCapture ending = requireNonNull(capture);
    graphs
        .computeIfAbsent(pool, any -> new ArrayList<>())
        .add(CompletableFuture.supplyAsync(ending::end, thread).join());
    capture = null;
    stream().close();
  }

  /** Numbers of the pools whose memory graphs hold. */
  Set<Integer> withGraphs() {
    return graphs.keySet();
  }

  /** Closes the graphs of a pool; ends its capture first. */
  void closeGraphs(int number) {
    if (isInto(number)) {
      end();
    }
    requireNonNull(graphs.remove(number), () -> "no graphs of pool " + number)
        .forEach(Graph::close);
  }

  /** Ends the capture and closes all graphs. */
  @Override
  public void close() {
    if (isAny()) {
      end();
    }
    new ArrayList<>(graphs.keySet()).forEach(this::closeGraphs);
  }
}
