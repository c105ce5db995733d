package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.bytedeco.cuda.cudart.CUgraphExec_st;
import org.bytedeco.cuda.cudart.CUgraphNode_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.cuda.cudart.CUhostFn;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudart.cudaGraphExecUpdateResultInfo;
import org.bytedeco.cuda.cudart.cudaHostFn_t;
import org.bytedeco.cuda.cudart.cudaHostNodeParams;
import org.bytedeco.cuda.cudart.cudaKernelNodeParams;
import org.bytedeco.cuda.cudart.cudaMemsetParams;
import org.bytedeco.cuda.cudart.cudaStreamCallback_t;
import org.bytedeco.cuda.cudart.dim3;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.jspecify.annotations.Nullable;

/** Programs with graphs, apart from the tests because JUnit loads the classes that those name. */
final class GraphPrograms {
  private GraphPrograms() {}

  /** A call on a stream, with memory of a device. */
  interface Call {
    int on(CUstream_st stream, Pointer device);
  }

  static String end(CUstream_st stream, CUgraph_st graph) {
    int[] capturing = {-1};
    cudaStreamIsCapturing(stream, capturing);
    String ended = name(cudaStreamEndCapture(stream, graph));
    return "status "
        + capturing[0]
        + ", EndCapture "
        + ended
        + (graph.isNull() ? " graph null" : " graph");
  }

  /** Returns the number and the types of a graph's nodes, which are in the order of creation. */
  static String types(CUgraph_st graph) {
    return Arrays.stream(CudaGraph.of(graph.address()).nodes.toArray(new CudaNode[0]))
        .map(
            node -> {
              CUgraphNode_st asked = new CUgraphNode_st();
              JavaCppStructs.setAddress(asked, node.handle);
              IntPointer type = new IntPointer(1);
              cudaGraphNodeGetType(asked, type);
              return " " + type.get();
            })
        .collect(Collectors.joining("", count(graph) + " nodes:", ""));
  }

  private static long count(CUgraph_st graph) {
    SizeTPointer count = new SizeTPointer(1);
    cudaGraphGetNodes(graph, null, count);
    return count.get();
  }

  static CUgraph_st graph() {
    CUgraph_st graph = new CUgraph_st();
    cudaGraphCreate(graph, 0);
    return graph;
  }

  static CUgraphNode_st empty(CUgraph_st graph) {
    CUgraphNode_st node = new CUgraphNode_st();
    cudaGraphAddEmptyNode(node, graph, null, 0);
    return node;
  }

  static int edge(CUgraph_st graph, CUgraphNode_st from, CUgraphNode_st to) {
    return cudaGraphAddDependencies(graph, from, to, null, 1);
  }

  static long edges(CUgraph_st graph) {
    SizeTPointer count = new SizeTPointer(1);
    cudaGraphGetEdges(graph, null, null, null, count);
    return count.get();
  }

  static int memset(
      CUgraph_st graph, Pointer to, int element, int value, long width, long height, long pitch) {
    cudaMemsetParams parameters = new cudaMemsetParams();
    parameters.dst(to).elementSize(element).value(value).width(width).height(height).pitch(pitch);
    return cudaGraphAddMemsetNode(new CUgraphNode_st(), graph, null, 0, parameters);
  }

  static int memsetValue(CUgraph_st graph) {
    CUgraphNode_st node = new CUgraphNode_st();
    SizeTPointer room = new SizeTPointer(1).put(1);
    cudaGraphGetNodes(graph, node, room);
    cudaMemsetParams parameters = new cudaMemsetParams();
    cudaGraphMemsetNodeGetParams(node, parameters);
    return parameters.value();
  }

  static int copy(CUgraph_st graph, Pointer to, Pointer from, long bytes, int kind) {
    return cudaGraphAddMemcpyNode1D(new CUgraphNode_st(), graph, null, 0, to, from, bytes, kind);
  }

  static CUgraph_st all(CUgraph_st graph) {
    Pointer d = device(64L);
    kernel(graph, null, d, 1);
    copy(graph, d, plus(d, 8), 4, 3);
    memset(graph, plus(d, 16), 1, 1, 4, 1, 0);
    host(
        graph,
        new cudaHostFn_t() {
          @Override
          public void call(Pointer data) {
            // Its node counts.
          }
        });
    cudaGraphAddChildGraphNode(new CUgraphNode_st(), graph, null, 0, graph());
    empty(graph);
    return graph;
  }

  static int host(CUgraph_st graph, @Nullable cudaHostFn_t function) {
    cudaHostNodeParams parameters = new cudaHostNodeParams();
    parameters.fn(function);
    return cudaGraphAddHostNode(new CUgraphNode_st(), graph, null, 0, parameters);
  }

  /** Adds a kernel that adds a number, behind another node. */
  static CUgraphNode_st kernel(
      CUgraph_st graph, @Nullable CUgraphNode_st before, Pointer d, int value) {
    return kernel(graph, before, "add", d, value);
  }

  private static CUgraphNode_st kernel(
      CUgraph_st graph, @Nullable CUgraphNode_st before, String kernel, Pointer d, int value) {
    CUgraphNode_st node = new CUgraphNode_st();
    cudaKernelNodeParams parameters = new cudaKernelNodeParams();
    parameters.func(Answer.kernel(kernel)).gridDim(new dim3(1, 1, 1)).blockDim(new dim3(1, 1, 1));
    parameters.kernelParams(parameters(d, value));
    int status = cudaGraphAddKernelNode(node, graph, before, before == null ? 0 : 1, parameters);
    if (status != 0) {
      throw new IllegalStateException("status " + status);
    }
    return node;
  }

  /** Gives a node, and then a graph, a kernel of more threads than a block may have. */
  static String tooManyThreads(CUgraph_st graph, CUgraphNode_st node, Pointer d) {
    cudaKernelNodeParams parameters = new cudaKernelNodeParams();
    parameters.func(Answer.kernel("add")).gridDim(new dim3(1, 1, 1)).blockDim(new dim3(4096, 1, 1));
    parameters.kernelParams(parameters(d, 7));
    return names(
        cudaGraphKernelNodeSetParams(node, parameters),
        cudaGraphAddKernelNode(new CUgraphNode_st(), graph, null, 0, parameters));
  }

  static int hostFunction(CUstream_st stream) {
    return cuLaunchHostFunc(
        stream,
        new CUhostFn() {
          @Override
          public void call(Pointer data) {
            // Its node counts.
          }
        },
        null);
  }

  static int callback(CUstream_st stream) {
    return cudaStreamAddCallback(
        stream,
        new cudaStreamCallback_t() {
          @Override
          public void call(CUstream_st on, int status, Pointer data) {
            // Its refusal counts.
          }
        },
        null,
        0);
  }

  static void run(CUgraph_st graph) {
    CUgraphExec_st exec = new CUgraphExec_st();
    cudaGraphInstantiate(exec, graph, 0);
    cudaGraphLaunch(exec, null);
    cudaDeviceSynchronize();
  }

  static String asked() {
    CUstream_st stream = stream();
    Pointer d = device(64L);
    cudaStreamBeginCapture(stream, 0);
    cudaMemsetAsync(d, 1, 4, stream);
    CUgraph_st graph = new CUgraph_st();
    cudaStreamEndCapture(stream, graph);
    SizeTPointer count = new SizeTPointer(1);
    String number = cudaGraphGetNodes(graph, null, count) + " " + count.get();
    CUgraphNode_st node = new CUgraphNode_st();
    String listed = cudaGraphGetNodes(graph, node, count) + " " + !node.isNull();
    IntPointer type = new IntPointer(1);
    return say(
        number, listed + " " + count.get(), cudaGraphNodeGetType(node, type) + " " + type.get());
  }

  /**
   * Updates an executable of two kernels that add 1 from a graph of kernels that add these numbers,
   * of which 0 stands for a memset; returns the answer, and what a launch gives then.
   */
  static String updated(int... added) {
    Pointer d = ints(0);
    CUgraph_st first = graph();
    kernel(first, kernel(first, null, d, 1), d, 1);
    CUgraphExec_st exec = new CUgraphExec_st();
    cudaGraphInstantiate(exec, first, 0);
    CUgraph_st second = graph();
    @Nullable CUgraphNode_st last = null;
    for (int each : added) {
      if (each == 0) {
        memset(second, d, 1, 0, 4, 1, 0);
      } else {
        last = kernel(second, last, d, each);
      }
    }
    return update(exec, second, d);
  }

  /** The same, from a graph of two kernels of a name that take 3, at this or another address. */
  static String updatedTo(String kernel, boolean elsewhere) {
    Pointer d = ints(0);
    CUgraph_st first = graph();
    kernel(first, kernel(first, null, d, 1), d, 1);
    CUgraphExec_st exec = new CUgraphExec_st();
    cudaGraphInstantiate(exec, first, 0);
    CUgraph_st second = graph();
    Pointer target = elsewhere ? ints(0) : d;
    CUgraphNode_st one = kernel(second, null, kernel, target, 3);
    kernel(second, one, kernel, target, 3);
    return update(exec, second, d);
  }

  private static String update(CUgraphExec_st exec, CUgraph_st second, Pointer d) {
    cudaGraphExecUpdateResultInfo result = new cudaGraphExecUpdateResultInfo();
    int status = cudaGraphExecUpdate(exec, second, result);
    String answer =
        "%s result %d errorNode %s; last error %s"
            .formatted(
                name(status),
                result.result(),
                result.errorNode() == null ? "null" : "set",
                name(cudaGetLastError()));
    cudaGraphLaunch(exec, null);
    return answer + "; value then " + read(d);
  }
}
