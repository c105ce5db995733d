package org.vramkit.agent;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimGraphNode;

/** A node of a graph: work of a device, a graph of its own, or nothing. */
final class CudaNode extends CudaObject {
  final CudaGraph graph;
  final int type;
  final Set<CudaNode> before = new LinkedHashSet<>();

  /** The graph that is this node; null for others. */
  final @Nullable CudaGraph child;

  /** The node that this one was cloned of; null for others. */
  final @Nullable CudaNode original;

  /** The fields that the program gave, for nodes whose parameters are answered. */
  Map<String, Long> fields = Map.of();

  /** True while an executable runs the node. */
  boolean enabled = true;

  private final SimDevice device;
  private @Nullable CudaWork work;
  private @Nullable SimGraphNode defined;

  private CudaNode(
      CudaGraph graph,
      SimDevice device,
      int type,
      @Nullable CudaGraph child,
      @Nullable CudaNode original) {
    super(graph.context, graph.context.process.newHandle());
    this.graph = graph;
    this.device = device;
    this.type = type;
    this.child = child;
    this.original = original;
  }

  static CudaNode of(long handle) {
    return CudaProcess.get().get(handle, CudaNode.class, CudaError.INVALID_VALUE);
  }

  /** Creates a node of work; null for an empty node. */
  static CudaNode of(CudaGraph graph, SimDevice device, @Nullable CudaWork work) {
    int type = work == null ? CudaWork.EMPTY : work.type();
    CudaNode made = new CudaNode(graph, device, type, null, null);
    made.work = work;
    return made;
  }

  /** Creates a node that is a clone of a graph. */
  static CudaNode of(CudaGraph graph, CudaGraph child) {
    return new CudaNode(graph, graph.context.device, CudaWork.CHILD, child.copy(), null);
  }

  /** Clones the node into another graph, without its order. */
  CudaNode copy(CudaGraph into) {
    CudaGraph inner = child == null ? null : child.copy();
    CudaNode made = new CudaNode(into, device, type, inner, this);
    made.take(this);
    return made;
  }

  /** Takes the work of another node of the same type. */
  void take(CudaNode other) {
    work = other.work;
    fields = other.fields;
    defined = other.defined;
  }

  /** Returns whether an executable may have the work of another node in the place of this one. */
  boolean hasFormOf(CudaNode other) {
    CudaWork mine = work;
    CudaWork given = other.work;
    return mine == null || given == null || mine.form().equals(given.form());
  }

  /** Sets the work; that of an executable keeps its form. */
  void set(CudaWork changed, boolean inExecutable) {
    CudaError.require(changed.type() == type, CudaError.INVALID_VALUE);
    boolean keeps = work == null || work.form().equals(changed.form());
    CudaError.require(keeps || !inExecutable, CudaError.INVALID_VALUE);
    defined = device.defineNode(changed.submission());
    work = changed;
  }

  boolean isWork() {
    return work != null && enabled;
  }

  /** Returns the work to the simulator, whose reports show the call that defines it. */
  SimGraphNode define() {
    SimGraphNode known = defined;
    if (known == null) {
      CudaWork given = CudaError.found(work, CudaError.INVALID_VALUE);
      known = device.defineNode(given.submission());
      defined = known;
    }
    return known;
  }

  @Override
  void destroy() {
    context.process.remove(handle);
    if (child != null) {
      child.destroy();
    }
  }
}
