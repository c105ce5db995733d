package org.vramkit.agent;

import org.vramkit.api.device.Graph;

/** A captured graph; its executables launch the same one. */
final class CudaGraph extends CudaObject {
  final Graph graph;

  /** True for an executable, false for the graph itself. */
  private final boolean executable;

  private CudaGraph(CudaContext context, Graph graph, boolean executable) {
    super(context, context.process.newHandle());
    this.graph = graph;
    this.executable = executable;
    context.process.add(handle, this);
  }

  static CudaGraph captured(CudaContext context, Graph graph) {
    return new CudaGraph(context, graph, false);
  }

  CudaGraph instantiate() {
    CudaError.require(!executable, CudaError.INVALID_VALUE);
    return new CudaGraph(context, graph, true);
  }

  static CudaGraph of(long handle, boolean executable) {
    CudaGraph found = CudaProcess.get().get(handle, CudaGraph.class, CudaError.INVALID_VALUE);
    CudaError.require(found.executable == executable, CudaError.INVALID_VALUE);
    return found;
  }

  @Override
  void destroy() {
    context.process.remove(handle);
    boolean used =
        context.process.ofContext(context, CudaGraph.class).stream()
            .anyMatch(each -> each.graph == graph);
    if (!used) {
      graph.close();
    }
  }
}
