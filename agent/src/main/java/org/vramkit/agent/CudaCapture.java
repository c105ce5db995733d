package org.vramkit.agent;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.vramkit.api.device.Graphs;
import org.vramkit.sim.SimDevice;

/**
 * A capture in progress: the graph so far, and where each of its streams stands. Several threads
 * may submit work to the streams.
 */
final class CudaCapture {
  /** The place in a capture where an event was recorded. */
  record Mark(CudaCapture capture, Set<CudaNode> before) {}

  final CudaGraph graph;

  /** The nodes that the next work of each stream follows. */
  private final Map<CudaStream, Set<CudaNode>> last = new HashMap<>();

  private final CudaStream origin;

  CudaCapture(CudaStream origin) {
    this.origin = origin;
    this.graph = new CudaGraph(origin.context);
    join(origin, Set.of());
  }

  /** Lets the thread wait for a stream that is not captured, as copies and questions may. */
  static void permit(SimDevice device, Runnable wait) {
    Graphs.Relaxation relaxation = device.getGraphs().relax();
    try {
      wait.run();
    } finally {
      relaxation.close();
    }
  }

  private void join(CudaStream stream, Set<CudaNode> before) {
    last.computeIfAbsent(stream, key -> new LinkedHashSet<>()).addAll(before);
    stream.capture = this;
  }

  /** Adds the work of a stream. */
  synchronized void add(CudaStream stream, CudaWork work) {
    Set<CudaNode> before = last.getOrDefault(stream, Set.of());
    last.put(stream, new LinkedHashSet<>(Set.of(graph.add(stream.context.device, before, work))));
  }

  synchronized Mark mark(CudaStream stream) {
    return new Mark(this, Set.copyOf(last.getOrDefault(stream, Set.of())));
  }

  /** Lets a stream follow an event of this capture, which captures it from then on. */
  synchronized void follow(CudaStream stream, Mark mark) {
    if (!last.isEmpty()) {
      join(stream, mark.before);
    }
  }

  /** Leaves a stream out that is destroyed; the capture ends with the stream that began it. */
  synchronized void remove(CudaStream stream) {
    if (stream == origin) {
      end();
    } else {
      last.remove(stream);
    }
  }

  synchronized boolean hasEnded() {
    return last.isEmpty();
  }

  /** Ends the capture of all its streams. */
  synchronized void end() {
    last.keySet().forEach(stream -> stream.capture = null);
    last.clear();
  }
}
