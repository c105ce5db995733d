package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.cudaFree;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.agent.Answer.ints;
import static org.vramkit.agent.Answer.read;
import static org.vramkit.agent.GraphPrograms.graph;
import static org.vramkit.agent.GraphPrograms.kernel;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUgraphNode_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@SimulatedCuda
@DisplayName("The state of a graph")
class GraphStatesTest {
  private static final int PIECES = 10_000;

  @Test
  @DisplayName("stays if a node or its new parameters are refused")
  void refused() {
    Pointer d = ints(1);
    CUgraph_st graph = graph();
    CUgraphNode_st node = kernel(graph, null, d, 2);
    int before = nodes();
    assertEquals("InvalidValue; InvalidValue", GraphPrograms.tooManyThreads(graph, node, d));
    assertEquals(before, nodes());
    GraphPrograms.run(graph);
    assertEquals(3, read(d));
  }

  private static int nodes() {
    CudaThread thread = CudaThread.current();
    return thread.process.ofContext(thread.context(), CudaNode.class).size();
  }

  @Test
  @DisplayName("has all work that threads submit to the streams of one capture")
  void threads() {
    assertEquals(0, cudaFree(null));
    CudaContext context = CudaThread.current().context();
    CudaStream one = CudaStream.create(context, 0, 0);
    CudaStream other = CudaStream.create(context, 0, 0);
    CudaCapture capture = new CudaCapture(one);
    capture.follow(other, capture.mark(one));
    CudaWork work = new CudaWork(CudaWork.SET, false, stream -> {});
    List<CompletableFuture<Void>> threads =
        Stream.of(one, other)
            .map(
                stream ->
                    CompletableFuture.runAsync(
                        () -> {
                          for (int i = 0; i < PIECES; i++) {
                            capture.add(stream, work);
                          }
                        }))
            .toList();
    threads.forEach(CompletableFuture::join);
    capture.end();
    assertEquals(2 * PIECES, capture.graph.nodes.size());
  }
}
