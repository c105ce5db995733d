package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;
import static org.vramkit.agent.GraphPrograms.*;

import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUgraphExec_st;
import org.bytedeco.cuda.cudart.CUgraphNode_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("As on an H200: graphs:")
class GraphAnswersTest {
  @ParameterizedTest(name = "{0}")
  @MethodSource({"graphs", "updates", "more"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  static Stream<Answer> graphs() {
    return Stream.of(
        of(
            "a memset node with elements of 3 bytes; pitch below the width; width 0",
            "InvalidValue; InvalidValue; InvalidValue",
            () -> {
              Pointer d = device(64L);
              return names(
                  memset(graph(), d, 3, 1, 4, 1, 0),
                  memset(graph(), d, 1, 1, 4, 2, 2),
                  memset(graph(), d, 1, 1, 0, 1, 0));
            }),
        of(
            "the value of a memset node of 0x1234",
            "1234",
            () -> {
              CUgraph_st graph = graph();
              memset(graph, device(64L), 1, 0x1234, 4, 1, 0);
              return Integer.toHexString(memsetValue(graph));
            }),
        of(
            "a copy node on the device; of a wrong direction; of 0 bytes; past the end",
            "SUCCESS; InvalidValue; InvalidValue; InvalidValue",
            () -> {
              Pointer d = device(64L);
              return names(
                  copy(graph(), d, plus(d, 8), 4, 1),
                  copy(graph(), d, new IntPointer(4), 4, 2),
                  copy(graph(), d, plus(d, 8), 0, 3),
                  copy(graph(), d, new IntPointer(20), 65, 1));
            }),
        of(
            "edges 1-2; again; 1-1; 2-3; 3-1; instantiation; their number",
            "SUCCESS; InvalidValue; InvalidValue; SUCCESS; SUCCESS; InvalidValue; 3",
            () -> {
              CUgraph_st graph = graph();
              CUgraphNode_st one = empty(graph);
              CUgraphNode_st two = empty(graph);
              CUgraphNode_st three = empty(graph);
              return names(
                      edge(graph, one, two),
                      edge(graph, one, two),
                      edge(graph, one, one),
                      edge(graph, two, three),
                      edge(graph, three, one),
                      cudaGraphInstantiate(new CUgraphExec_st(), graph, 0))
                  + "; "
                  + edges(graph);
            }),
        of(
            "a node of another graph as a dependency",
            "InvalidValue",
            () -> names(cudaGraphAddEmptyNode(new CUgraphNode_st(), graph(), empty(graph()), 1))),
        of(
            "types of kernel, copy, memset, host, child, empty",
            "6 nodes: 0 1 2 3 4 5",
            () -> types(all(graph()))),
        of(
            "a node added to a graph that was given as a child",
            "0 nodes:",
            () -> {
              CUgraph_st child = graph();
              CUgraph_st parent = graph();
              CUgraphNode_st node = new CUgraphNode_st();
              cudaGraphAddChildGraphNode(node, parent, null, 0, child);
              empty(child);
              CUgraph_st seen = new CUgraph_st();
              cudaGraphChildGraphNodeGetGraph(node, seen);
              return types(seen);
            }),
        of(
            "a clone; its node of a node; another handle; of a graph that is no clone",
            "SUCCESS; SUCCESS; true; InvalidValue",
            () -> {
              CUgraph_st graph = graph();
              CUgraphNode_st node = empty(graph);
              CUgraph_st clone = new CUgraph_st();
              int cloned = cudaGraphClone(clone, graph);
              CUgraphNode_st found = new CUgraphNode_st();
              int status = cudaGraphNodeFindInClone(found, node, clone);
              return say(
                  names(cloned, status),
                  found.address() != node.address(),
                  names(cudaGraphNodeFindInClone(found, node, graph())));
            }),
        of(
            "an empty node destroyed between others; instantiation with flags 0x100",
            "SUCCESS; 1 nodes: 1; InvalidValue",
            () -> {
              CUgraph_st graph = graph();
              CUgraphNode_st node = empty(graph);
              Pointer d = device(64L);
              cudaGraphAddMemcpyNode1D(new CUgraphNode_st(), graph, node, 1, d, plus(d, 8), 4, 3);
              return say(
                  name(cudaGraphDestroyNode(node)),
                  types(graph),
                  name(cudaGraphInstantiate(new CUgraphExec_st(), graph, 0x100)));
            }),
        of(
            "cudaGraphCreate with flags 1; destroy null; null executable; launch null",
            "InvalidValue; InvalidValue; InvalidValue; InvalidValue",
            () ->
                names(
                    cudaGraphCreate(new CUgraph_st(), 1),
                    cudaGraphDestroy(null),
                    cudaGraphExecDestroy(null),
                    cudaGraphLaunch(null, null))),
        of(
            "a host node with a null function",
            "InvalidValue",
            () -> names(GraphPrograms.host(graph(), null))),
        of(
            "nodes of a captured memset: count; one object as an array; its type",
            "0 1; 0 true 1; 0 2",
            () -> GraphPrograms.asked()),
        of(
            "instantiation; launch; synchronization; destruction; the address stays",
            "0; 0; 0; 0; true",
            () -> {
              CUgraph_st graph = graph();
              memset(graph, device(64L), 1, 3, 4, 1, 0);
              CUgraphExec_st exec = new CUgraphExec_st();
              return say(
                  cudaGraphInstantiate(exec, graph, 0),
                  cudaGraphLaunch(exec, null),
                  cudaDeviceSynchronize(),
                  cudaGraphExecDestroy(exec),
                  !exec.isNull());
            }));
  }

  static Stream<Answer> updates() {
    return Stream.of(
        of(
            "same form, another argument",
            "SUCCESS result 0 errorNode null; last error SUCCESS; value then 6",
            () -> updated(3, 3)),
        of(
            "one node more",
            "GraphExecUpdateFailure result 2 errorNode null; last error GraphExecUpdateFailure;"
                + " value then 2",
            () -> updated(1, 1, 1)),
        of(
            "one node less",
            "GraphExecUpdateFailure result 2 errorNode null; last error GraphExecUpdateFailure;"
                + " value then 2",
            () -> updated(1)),
        of(
            "the first is a memset",
            "GraphExecUpdateFailure result 3 errorNode set; last error GraphExecUpdateFailure;"
                + " value then 2",
            () -> updated(0, 1)),
        of(
            "another kernel; another pointer",
            "SUCCESS result 0 errorNode null; last error SUCCESS; value then 9; SUCCESS result 0"
                + " errorNode null; last error SUCCESS; value then 0",
            () -> say(updatedTo("twice", false), updatedTo("add", true))));
  }

  static Stream<Answer> more() {
    return Stream.of(
        of(
            "a memset node of 4 bytes and 0x1234 launched: the bytes",
            "36363634",
            () -> {
              CUgraph_st graph = graph();
              Pointer d = ints(0);
              memset(graph, d, 1, 0x1234, 4, 1, 0);
              run(graph);
              return Integer.toHexString(read(d));
            }),
        of(
            "a node left out of an executable: was it in; is it then; value; of an empty node",
            "SUCCESS; 1; 0; 1; InvalidValue",
            () -> {
              CUgraph_st graph = graph();
              Pointer d = ints(0);
              CUgraphNode_st one = kernel(graph, null, d, 1);
              kernel(graph, one, d, 1);
              CUgraphNode_st empty = empty(graph);
              CUgraphExec_st exec = new CUgraphExec_st();
              cudaGraphInstantiate(exec, graph, 0);
              int[] in = new int[1];
              cudaGraphNodeGetEnabled(exec, one, in);
              int before = in[0];
              String left = names(cudaGraphNodeSetEnabled(exec, one, 0));
              cudaGraphNodeGetEnabled(exec, one, in);
              cudaGraphLaunch(exec, null);
              return say(
                  left, before, in[0], read(d), names(cudaGraphNodeSetEnabled(exec, empty, 0)));
            }),
        of(
            "null in the list of dependencies",
            "InvalidValue",
            () ->
                names(
                    cudaGraphAddEmptyNode(new CUgraphNode_st(), graph(), new CUgraphNode_st(), 1))),
        of(
            "the empty one of all types destroyed, a copy behind it",
            "SUCCESS; 6 nodes: 0 1 2 3 4 1",
            () -> {
              CUgraph_st graph = all(graph());
              CUgraphNode_st node = new CUgraphNode_st();
              JavaCppStructs.setAddress(node, CudaGraph.of(graph.address()).nodes.get(5).handle);
              Pointer d = device(64L);
              cudaGraphAddMemcpyNode1D(new CUgraphNode_st(), graph, node, 1, d, plus(d, 8), 4, 3);
              return say(name(cudaGraphDestroyNode(node)), types(graph));
            }));
  }
}
