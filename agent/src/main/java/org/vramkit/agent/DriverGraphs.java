package org.vramkit.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Handles;
import org.vramkit.agent.Arguments.InOut;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.agent.Arguments.Struct;
import org.vramkit.agent.CudaCopies.Rows;
import org.vramkit.agent.CudaGraphExec.Difference;
import org.vramkit.api.device.LaunchConfig;

/** Graphs that are made of nodes; those of the runtime have structs of their own. */
final class DriverGraphs {
  /** The flags of an instantiation that change nothing: frees and priorities. */
  private static final int KNOWN_FLAGS = 9;

  private static final int DEVICE_LAUNCH = 4;
  private static final int WITH_PRIORITIES = 8;

  private DriverGraphs() {}

  // ---- graphs ----

  static void cuGraphCreate(Result graph, int flags) {
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    graph.set(new CudaGraph(CudaThread.current().context()).handle);
  }

  static void cuGraphClone(Result clone, long graph) {
    clone.set(CudaGraph.of(graph).copy().handle);
  }

  static void cuGraphDestroy(long graph) {
    CudaGraph.of(graph).destroy();
  }

  static void cuGraphInstantiate(Result executable, long graph, long flags) {
    if ((flags & ~WITH_PRIORITIES) == DEVICE_LAUNCH) {
      throw new UnsupportedOperationException("launches of graphs by devices are not simulated");
    }
    CudaError.require((flags & ~KNOWN_FLAGS) == 0, CudaError.INVALID_VALUE);
    executable.set(new CudaGraphExec(CudaGraph.of(graph), flags).handle);
  }

  static void cuGraphLaunch(long executable, long stream) {
    CudaGraphExec.of(executable).launch(DriverStreams.uncaptured(stream));
  }

  /** Accepts an upload, since the simulator keeps nothing elsewhere. */
  static void cuGraphUpload(long executable, long stream) {
    CudaGraphExec.of(executable);
    DriverStreams.uncaptured(stream);
  }

  static void cuGraphExecDestroy(long executable) {
    CudaGraphExec.of(executable).destroy();
  }

  static void cuGraphExecGetFlags(long executable, Result flags) {
    flags.set(CudaGraphExec.of(executable).flags);
  }

  /** Returns a node of an executable that can be left out: a kernel, a copy or a set. */
  private static CudaNode skippable(CudaGraphExec of, long node) {
    CudaNode found = of.find(CudaNode.of(node));
    CudaError.require(found.type <= CudaWork.SET, CudaError.INVALID_VALUE);
    return found;
  }

  static void cuGraphNodeSetEnabled(long executable, long node, int enabled) {
    CudaGraphExec of = CudaGraphExec.of(executable);
    skippable(of, node).enabled = enabled != 0;
    of.rebuild();
  }

  static void cuGraphNodeGetEnabled(long executable, long node, Result enabled) {
    enabled.set(skippable(CudaGraphExec.of(executable), node).enabled ? 1 : 0);
  }

  static void cuGraphExecUpdate(long executable, long graph, @Nullable Struct result) {
    Difference found = CudaGraphExec.of(executable).update(CudaGraph.of(graph));
    if (result != null) {
      CudaNode node = found == null ? null : found.node();
      result.set("result", found == null ? 0 : found.result());
      result.setPointer("errorNode", node == null ? 0 : node.handle);
    }
    CudaError.require(found == null, CudaError.GRAPH_EXEC_UPDATE_FAILURE);
  }

  // ---- nodes ----

  private static List<CudaNode> nodes(@Nullable Handles handles, long count) {
    CudaError.require(count == 0 || (handles != null && count > 0), CudaError.INVALID_VALUE);
    List<CudaNode> found = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      found.add(CudaNode.of(CudaError.found(handles, CudaError.INVALID_VALUE).get(i)));
    }
    return found;
  }

  /** Adds a node behind others of its graph. */
  private static CudaNode add(
      Result node,
      long graph,
      @Nullable Handles before,
      long count,
      Function<CudaGraph, CudaNode> maker) {
    if (before != null) {
      before.requireCount(count);
    }
    CudaGraph to = CudaGraph.of(graph);
    List<CudaNode> found = nodes(before, count);
    CudaError.require(to.nodes.containsAll(found), CudaError.INVALID_VALUE);
    CudaNode made = maker.apply(to);
    if (made.isWork()) {
      made.define();
    }
    to.setCaptured(null);
    node.set(to.add(made, found).handle);
    return made;
  }

  private static CudaNode add(
      Result node, long graph, @Nullable Handles before, long count, @Nullable CudaWork work) {
    CudaWork given = CudaError.found(work, CudaError.INVALID_VALUE);
    return add(node, graph, before, count, to -> CudaNode.of(to, to.context.device, given));
  }

  static void cuGraphAddEmptyNode(Result node, long graph, @Nullable Handles before, long count) {
    add(node, graph, before, count, to -> CudaNode.of(to, to.context.device, null));
  }

  static void cuGraphAddChildGraphNode(
      Result node, long graph, @Nullable Handles before, long count, long child) {
    CudaGraph given = CudaGraph.of(child);
    add(node, graph, before, count, to -> CudaNode.of(to, given));
  }

  static void cuGraphAddKernelNode(
      Result node, long graph, @Nullable Handles before, long count, Struct parameters) {
    add(node, graph, before, count, kernel(parameters));
  }

  static void cuGraphAddMemcpyNode(
      Result node,
      long graph,
      @Nullable Handles before,
      long count,
      Struct parameters,
      long context) {
    add(node, graph, before, count, copy(parameters));
  }

  static void cudaGraphAddMemcpyNode1D(
      Result node,
      long graph,
      @Nullable Handles before,
      long count,
      CudaPointer target,
      CudaPointer source,
      long bytes,
      int kind) {
    add(node, graph, before, count, RuntimeMemory.copy(target, source, bytes, kind));
  }

  static void cuGraphAddMemsetNode(
      Result node,
      long graph,
      @Nullable Handles before,
      long count,
      Struct parameters,
      long context) {
    add(node, graph, before, count, set(parameters)).fields = fields(parameters);
  }

  static void cuGraphAddHostNode(
      Result node, long graph, @Nullable Handles before, long count, Struct parameters) {
    add(node, graph, before, count, host(parameters));
  }

  static void cuGraphDestroyNode(long node) {
    CudaNode found = CudaNode.of(node);
    found.graph.remove(found);
  }

  // ---- parameters ----

  private static CudaWork kernel(Struct given) {
    boolean isRuntime = given.has("gridDim");
    CudaFunction function =
        isRuntime
            ? RuntimeLaunches.kernel(given.pointer("func"))
            : DriverModules.function(given.get("func"));
    LaunchConfig config =
        isRuntime
            ? new LaunchConfig(
                RuntimeLaunches.extent(given.nested("gridDim")),
                RuntimeLaunches.extent(given.nested("blockDim")),
                (int) given.get("sharedMemBytes"))
            : DriverLaunches.config(given);
    return DriverLaunches.work(function, config, given.list("kernelParams"), given.list("extra"));
  }

  private static @Nullable CudaWork copy(Struct given) {
    return given.has("extent")
        ? RuntimeMemory.box(given)
        : DriverCopies.box(given, given.get("Depth"));
  }

  private static @Nullable CudaWork set(Struct given) {
    int bytes = (int) given.get("elementSize");
    CudaError.require(bytes == 1 || bytes == 2 || bytes == 4, CudaError.INVALID_VALUE);
    long width = given.get("width");
    int value = (int) given.get("value");
    long address = given.pointer("dst").address();
    boolean fits = bytes == Integer.BYTES || value >>> (bytes * Byte.SIZE) == 0;
    if (!fits && bytes * width % Integer.BYTES == 0 && address % Integer.BYTES == 0) {
      // The driver combines the bytes of the value.
      value |= bytes == 1 ? value << 8 : 0;
      value |= value << 16;
      width = bytes * width / Integer.BYTES;
      bytes = Integer.BYTES;
    }
    Rows rows = new Rows(width, given.get("height"));
    return CudaCopies.setRows(address, given.get("pitch"), value, bytes, rows);
  }

  private static CudaWork host(Struct given) {
    return CudaStream.hostWork("a node", given.function("fn", "userData"));
  }

  private static Map<String, Long> fields(Struct given) {
    return Stream.of("dst", "pitch", "value", "elementSize", "width", "height")
        .collect(Collectors.toMap(each -> each, given::get));
  }

  static void cuGraphMemsetNodeGetParams(long node, Struct parameters) {
    Map<String, Long> known = CudaNode.of(node).fields;
    CudaError.require(!known.isEmpty(), CudaError.INVALID_VALUE);
    known.forEach(parameters::set);
  }

  static void cuGraphKernelNodeSetParams(long node, Struct parameters) {
    set(CudaNode.of(node), kernel(parameters));
  }

  static void cuGraphMemcpyNodeSetParams(long node, Struct parameters) {
    set(CudaNode.of(node), copy(parameters));
  }

  static void cudaGraphMemcpyNodeSetParams1D(
      long node, CudaPointer target, CudaPointer source, long bytes, int kind) {
    set(CudaNode.of(node), RuntimeMemory.copy(target, source, bytes, kind));
  }

  static void cuGraphMemsetNodeSetParams(long node, Struct parameters) {
    set(CudaNode.of(node), set(parameters)).fields = fields(parameters);
  }

  static void cuGraphHostNodeSetParams(long node, Struct parameters) {
    set(CudaNode.of(node), host(parameters));
  }

  private static CudaNode set(CudaNode node, @Nullable CudaWork work) {
    node.set(CudaError.found(work, CudaError.INVALID_VALUE), false);
    node.graph.setCaptured(null);
    return node;
  }

  static void cuGraphExecKernelNodeSetParams(long executable, long node, Struct parameters) {
    CudaGraphExec.of(executable);
    set(executable, node, kernel(parameters));
  }

  static void cuGraphExecMemcpyNodeSetParams(
      long executable, long node, Struct parameters, long context) {
    set(executable, node, copy(parameters));
  }

  static void cudaGraphExecMemcpyNodeSetParams1D(
      long executable, long node, CudaPointer target, CudaPointer source, long bytes, int kind) {
    set(executable, node, RuntimeMemory.copy(target, source, bytes, kind));
  }

  static void cuGraphExecMemsetNodeSetParams(
      long executable, long node, Struct parameters, long context) {
    set(executable, node, set(parameters));
  }

  static void cuGraphExecHostNodeSetParams(long executable, long node, Struct parameters) {
    set(executable, node, host(parameters));
  }

  private static void set(long executable, long node, @Nullable CudaWork work) {
    CudaGraphExec changed = CudaGraphExec.of(executable);
    CudaWork given = CudaError.found(work, CudaError.INVALID_VALUE);
    changed.find(CudaNode.of(node)).set(given, true);
    changed.rebuild();
  }

  // ---- the form of a graph ----

  private static void list(List<CudaNode> found, @Nullable Handles room, InOut count) {
    if (room == null) {
      count.set(found.size());
      return;
    }
    long slots = count.get();
    CudaError.require(slots > 0, CudaError.INVALID_VALUE);
    for (int i = 0; i < slots; i++) {
      room.set(i, i < found.size() ? found.get(i).handle : 0);
    }
    count.set(Math.min(slots, found.size()));
  }

  static void cuGraphGetNodes(long graph, @Nullable Handles nodes, InOut count) {
    list(CudaGraph.of(graph).nodes, nodes, count);
  }

  static void cuGraphGetRootNodes(long graph, @Nullable Handles nodes, InOut count) {
    list(
        CudaGraph.of(graph).nodes.stream().filter(each -> each.before.isEmpty()).toList(),
        nodes,
        count);
  }

  static void cuGraphNodeGetDependencies(long node, @Nullable Handles nodes, InOut count) {
    list(List.copyOf(CudaNode.of(node).before), nodes, count);
  }

  static void cuGraphNodeGetDependencies(
      long node, @Nullable Handles nodes, CudaPointer edges, InOut count) {
    cuGraphNodeGetDependencies(node, nodes, count);
  }

  static void cuGraphNodeGetDependentNodes(long node, @Nullable Handles nodes, InOut count) {
    CudaNode of = CudaNode.of(node);
    list(of.graph.nodes.stream().filter(each -> each.before.contains(of)).toList(), nodes, count);
  }

  static void cuGraphNodeGetDependentNodes(
      long node, @Nullable Handles nodes, CudaPointer edges, InOut count) {
    cuGraphNodeGetDependentNodes(node, nodes, count);
  }

  static void cuGraphGetEdges(
      long graph, @Nullable Handles from, @Nullable Handles to, InOut count) {
    List<CudaNode> sources = new ArrayList<>();
    List<CudaNode> targets = new ArrayList<>();
    for (CudaNode each : CudaGraph.of(graph).nodes) {
      sources.addAll(each.before);
      each.before.forEach(source -> targets.add(each));
    }
    CudaError.require((from == null) == (to == null), CudaError.INVALID_VALUE);
    long room = count.get();
    list(sources, from, count);
    if (to != null) {
      count.set(room);
      list(targets, to, count);
    }
  }

  static void cuGraphGetEdges(
      long graph, @Nullable Handles from, @Nullable Handles to, CudaPointer edges, InOut count) {
    cuGraphGetEdges(graph, from, to, count);
  }

  static void cuGraphAddDependencies(
      long graph, @Nullable Handles from, @Nullable Handles to, long count) {
    changeEdges(graph, from, to, count, true);
  }

  static void cuGraphAddDependencies(
      long graph, @Nullable Handles from, @Nullable Handles to, CudaPointer edges, long count) {
    changeEdges(graph, from, to, count, true);
  }

  static void cuGraphRemoveDependencies(
      long graph, @Nullable Handles from, @Nullable Handles to, long count) {
    changeEdges(graph, from, to, count, false);
  }

  static void cuGraphRemoveDependencies(
      long graph, @Nullable Handles from, @Nullable Handles to, CudaPointer edges, long count) {
    changeEdges(graph, from, to, count, false);
  }

  private static void changeEdges(
      long graph, @Nullable Handles from, @Nullable Handles to, long count, boolean added) {
    CudaGraph of = CudaGraph.of(graph);
    CudaError.require(count <= of.nodes.size() * (long) of.nodes.size(), CudaError.INVALID_VALUE);
    List<CudaNode> sources = nodes(from, count);
    List<CudaNode> targets = nodes(to, count);
    CudaError.require(
        of.nodes.containsAll(sources) && of.nodes.containsAll(targets), CudaError.INVALID_VALUE);
    for (int i = 0; i < sources.size(); i++) {
      CudaNode source = sources.get(i);
      CudaNode target = targets.get(i);
      CudaError.require(
          source != target && target.before.contains(source) != added, CudaError.INVALID_VALUE);
      if (added) {
        target.before.add(source);
      } else {
        target.before.remove(source);
      }
    }
    of.setCaptured(null);
  }

  static void cuGraphNodeGetType(long node, Result type) {
    type.set(CudaNode.of(node).type);
  }

  static void cuGraphNodeGetContainingGraph(long node, Result graph) {
    graph.set(CudaNode.of(node).graph.handle);
  }

  static void cuGraphNodeFindInClone(Result found, long node, long clone) {
    found.set(CudaGraphExec.find(CudaGraph.of(clone), CudaNode.of(node)).handle);
  }

  static void cuGraphChildGraphNodeGetGraph(long node, Result graph) {
    graph.set(CudaError.found(CudaNode.of(node).child, CudaError.INVALID_VALUE).handle);
  }
}
