package org.vramkit.agent;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Graph;

/** An executable graph: a clone of its graph's nodes, and the simulator's graph of them. */
final class CudaGraphExec extends CudaObject {
  /** Results of an update, as {@code CUgraphExecUpdateResult} numbers them. */
  static final int TOPOLOGY_CHANGED = 2;

  static final int NODE_TYPE_CHANGED = 3;
  static final int PARAMETERS_CHANGED = 5;

  /** Why an update is refused: a result, and the node of the new graph; null for none. */
  record Difference(int result, @Nullable CudaNode node) {}

  final CudaGraph nodes;
  final long flags;
  private Graph graph;

  CudaGraphExec(CudaGraph from, long flags) {
    super(from.context, from.context.process.newHandle());
    this.flags = flags;
    this.graph = from.build();
    this.nodes = from.copy();
    context.process.add(handle, this);
  }

  static CudaGraphExec of(long handle) {
    return CudaProcess.get().get(handle, CudaGraphExec.class, CudaError.INVALID_VALUE);
  }

  void launch(CudaStream on) {
    graph.launch(on.stream);
  }

  /** Returns the clone of a node of the graph that this one was made of. */
  CudaNode find(CudaNode original) {
    return find(nodes, original);
  }

  static CudaNode find(CudaGraph clone, CudaNode original) {
    return clone.nodes.stream()
        .filter(each -> each.original == original)
        .findFirst()
        .orElseThrow(() -> new CudaError(CudaError.INVALID_VALUE));
  }

  /** Makes the graph of the simulator anew, since nodes have changed. */
  void rebuild() {
    Graph replaced = graph;
    graph = nodes.build(replaced);
    replaced.close();
  }

  /** Takes the work of a graph of the same form; returns null if it could. */
  @Nullable Difference update(CudaGraph from) {
    Difference found = difference(nodes, from);
    if (found == null) {
      take(nodes, from);
      rebuild();
    }
    return found;
  }

  private static @Nullable Difference difference(CudaGraph mine, CudaGraph other) {
    if (mine.nodes.size() != other.nodes.size()) {
      return new Difference(TOPOLOGY_CHANGED, null);
    }
    for (int i = 0; i < mine.nodes.size(); i++) {
      CudaNode one = mine.nodes.get(i);
      CudaNode two = other.nodes.get(i);
      if (one.type != two.type) {
        return new Difference(NODE_TYPE_CHANGED, two);
      }
      if (!places(mine, one).equals(places(other, two))) {
        return new Difference(TOPOLOGY_CHANGED, two);
      }
      if (!one.hasFormOf(two)) {
        return new Difference(PARAMETERS_CHANGED, two);
      }
      if (one.child != null && two.child != null) {
        Difference inner = difference(one.child, two.child);
        if (inner != null) {
          return inner;
        }
      }
    }
    return null;
  }

  private static Set<Integer> places(CudaGraph graph, CudaNode node) {
    return node.before.stream().map(graph.nodes::indexOf).collect(Collectors.toSet());
  }

  private static void take(CudaGraph mine, CudaGraph other) {
    List<CudaNode> others = other.nodes;
    for (int i = 0; i < others.size(); i++) {
      CudaNode one = mine.nodes.get(i);
      CudaNode two = others.get(i);
      if (one.child != null && two.child != null) {
        take(one.child, two.child);
      } else {
        one.take(two);
      }
    }
  }

  @Override
  void destroy() {
    context.process.remove(handle);
    graph.close();
    nodes.destroy();
  }
}
