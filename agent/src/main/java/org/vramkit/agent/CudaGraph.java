package org.vramkit.agent;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Graph;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimGraphNode;

/** A graph of nodes, which were captured from streams or made one by one. */
final class CudaGraph extends CudaObject {
  /** The nodes in the order of their creation. */
  final List<CudaNode> nodes = new ArrayList<>();

  /** The graph as captured, with the calls of the program; its first executable takes it. */
  private @Nullable Graph captured;

  CudaGraph(CudaContext context) {
    super(context, context.process.newHandle());
    context.process.add(handle, this);
  }

  static CudaGraph of(long handle) {
    return CudaProcess.get().get(handle, CudaGraph.class, CudaError.INVALID_VALUE);
  }

  void setCaptured(@Nullable Graph graph) {
    if (captured != null) {
      captured.close();
    }
    captured = graph;
  }

  CudaNode add(SimDevice device, Collection<CudaNode> before, @Nullable CudaWork work) {
    return add(CudaNode.of(this, device, work), before);
  }

  CudaNode add(CudaNode node, Collection<CudaNode> before) {
    node.before.addAll(before);
    nodes.add(node);
    context.process.add(node.handle, node);
    return node;
  }

  void remove(CudaNode node) {
    setCaptured(null);
    nodes.remove(node);
    nodes.forEach(each -> each.before.remove(node));
    node.destroy();
  }

  /** Clones the graph, and those in it. */
  CudaGraph copy() {
    CudaGraph made = new CudaGraph(context);
    Map<CudaNode, CudaNode> copies = new HashMap<>();
    for (CudaNode each : nodes) {
      copies.put(each, made.add(each.copy(made), List.of()));
    }
    copies.forEach((from, to) -> from.before.forEach(each -> to.before.add(copies.get(each))));
    return made;
  }

  /** Returns the nodes behind those that they follow; refuses a circle. */
  private List<CudaNode> sorted() {
    List<CudaNode> sorted = new ArrayList<>();
    Set<CudaNode> done = new HashSet<>();
    List<CudaNode> left = new ArrayList<>(nodes);
    while (!left.isEmpty()) {
      List<CudaNode> next = left.stream().filter(each -> done.containsAll(each.before)).toList();
      CudaError.require(!next.isEmpty(), CudaError.INVALID_VALUE);
      sorted.addAll(next);
      done.addAll(next);
      left.removeAll(next);
    }
    return sorted;
  }

  /** Makes a graph of the simulator, or takes the captured one. */
  Graph build() {
    Graph known = captured;
    captured = null;
    return known == null ? build(null) : known;
  }

  /** Makes a graph of the simulator in the place of another. */
  Graph build(@Nullable Graph replaced) {
    List<SimGraphNode> work = new ArrayList<>();
    List<Set<Integer>> order = new ArrayList<>();
    flatten(Set.of(), work, order);
    return context.device.createGraph(work, order, replaced);
  }

  /** Adds the work to lists, behind other work; returns the work that is last. */
  private Set<Integer> flatten(
      Set<Integer> behind, List<SimGraphNode> work, List<Set<Integer>> order) {
    Map<CudaNode, Set<Integer>> ends = new HashMap<>();
    Set<Integer> last = new TreeSet<>(behind);
    for (CudaNode node : sorted()) {
      Set<Integer> before = new TreeSet<>();
      node.before.forEach(each -> before.addAll(ends.getOrDefault(each, Set.of())));
      Set<Integer> start = node.before.isEmpty() ? behind : before;
      Set<Integer> end = start;
      if (node.child != null) {
        end = node.child.flatten(start, work, order);
      } else if (node.isWork()) {
        order.add(start);
        end = Set.of(work.size());
        work.add(node.define());
      }
      ends.put(node, end);
      last.addAll(end);
    }
    return last;
  }

  @Override
  void destroy() {
    context.process.remove(handle);
    setCaptured(null);
    nodes.forEach(CudaNode::destroy);
  }
}
