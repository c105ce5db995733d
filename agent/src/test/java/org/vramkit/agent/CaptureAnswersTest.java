package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;
import static org.vramkit.agent.GraphPrograms.*;

import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("As on an H200: captures:")
class CaptureAnswersTest {
  private static final String OK = "status 1, EndCapture SUCCESS graph";
  private static final String INVALIDATED =
      "status 2, EndCapture StreamCaptureInvalidated graph null";

  @ParameterizedTest(name = "{0}")
  @MethodSource({"endings", "nodes"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  /** Captures a call; returns its status, the end of the capture and its nodes. */
  private static String captured(Call call) {
    CUstream_st stream = stream();
    Pointer d = device(64L);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(stream, 0);
    String status = name(call.on(stream, d));
    CUgraph_st graph = new CUgraph_st();
    String end = end(stream, graph);
    return status + "; " + end + (graph.isNull() ? "" : "; " + types(graph));
  }

  /** Captures a blocking stream in a mode while a call uses the default stream. */
  private static String implicit(int mode, boolean launches) {
    CUstream_st stream = new CUstream_st();
    cudaStreamCreate(stream);
    Pointer d = device(64L);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(stream, mode);
    int status =
        launches
            ? cudaMemsetAsync(d, 1, 4, null)
            : cudaMemcpy(d, new IntPointer(new int[] {1}), 4, cudaMemcpyHostToDevice);
    return name(status) + "; " + end(stream, new CUgraph_st());
  }

  static Stream<Answer> endings() {
    return Stream.of(
        of(
            "cudaMalloc in a capture; last error",
            "StreamCaptureUnsupported; StreamCaptureUnsupported; " + INVALIDATED,
            () -> {
              CUstream_st stream = stream();
              cudaStreamBeginCapture(stream, 0);
              String status = names(cudaMalloc(new Pointer(), 4), cudaGetLastError());
              return status + "; " + end(stream, new CUgraph_st());
            }),
        of(
            "a copy beside a capture of a blocking stream, global",
            "StreamCaptureImplicit; " + INVALIDATED,
            () -> implicit(0, false)),
        of(
            "the same, of a thread",
            "StreamCaptureImplicit; " + INVALIDATED,
            () -> implicit(1, false)),
        of("the same, relaxed", "StreamCaptureImplicit; " + INVALIDATED, () -> implicit(2, false)),
        of(
            "work on the default stream, global",
            "StreamCaptureImplicit; " + INVALIDATED,
            () -> implicit(0, true)),
        of(
            "the same, of a thread",
            "StreamCaptureImplicit; " + INVALIDATED,
            () -> implicit(1, true)),
        of("the same, relaxed", "StreamCaptureImplicit; " + INVALIDATED, () -> implicit(2, true)),
        of(
            "a kernel on the default stream beside a relaxed capture of a non-blocking stream",
            "SUCCESS; " + OK,
            () -> {
              CUstream_st stream = stream();
              var tiny = function("tiny");
              cudaStreamBeginCapture(stream, 2);
              return name(launch(tiny, 1, 1, 0)) + "; " + end(stream, new CUgraph_st());
            }),
        of(
            "cudaStreamAddCallback on the captured stream",
            "StreamCaptureUnsupported; " + INVALIDATED,
            () -> captured((stream, d) -> GraphPrograms.callback(stream))),
        of(
            "a kernel of 0 blocks",
            "InvalidValue; " + INVALIDATED,
            () -> {
              var tiny = function("tiny");
              return captured(
                  (stream, d) ->
                      cuLaunchKernel(tiny, 0, 1, 1, 1, 1, 1, 0, stream, (Pointer) null, null));
            }),
        of(
            "the end by another thread; then by the thread that began",
            "status 1, EndCapture StreamCaptureWrongThread graph null; status 0, EndCapture"
                + " IllegalState graph null",
            () -> {
              CUstream_st stream = stream();
              cudaStreamBeginCapture(stream, 0);
              return say(
                  CompletableFuture.supplyAsync(() -> end(stream, new CUgraph_st())).get(),
                  end(stream, new CUgraph_st()));
            }),
        of(
            "the end by another thread, relaxed",
            OK,
            () -> {
              CUstream_st stream = stream();
              cudaStreamBeginCapture(stream, 2);
              return CompletableFuture.supplyAsync(() -> end(stream, new CUgraph_st())).get();
            }),
        of(
            "the end on a forked stream; then on the first",
            "status 1, EndCapture StreamCaptureUnmatched graph null; " + INVALIDATED,
            () -> {
              CUstream_st stream = stream();
              CUstream_st forked = stream();
              CUevent_st event = event();
              cudaStreamBeginCapture(stream, 0);
              cudaEventRecord(event, stream);
              cudaStreamWaitEvent(forked, event, 0);
              return say(end(forked, new CUgraph_st()), end(stream, new CUgraph_st()));
            }),
        of(
            "a capture of mode 7; its end with a null graph; the destruction of its stream",
            "InvalidValue; SUCCESS; SUCCESS",
            () -> {
              CUstream_st stream = stream();
              int mode = cudaStreamBeginCapture(stream, 7);
              cudaStreamBeginCapture(stream, 0);
              int ended = cudaStreamEndCapture(stream, null);
              cudaStreamBeginCapture(stream, 0);
              return names(mode, ended, cudaStreamDestroy(stream));
            }),
        of(
            "synchronization with an event of a capture",
            "CapturedEvent; " + INVALIDATED,
            () -> ofCaptured(event -> cudaEventSynchronize(event))),
        of(
            "the time between an event of a capture and itself",
            "CapturedEvent; " + OK,
            () -> ofCaptured(event -> cudaEventElapsedTime(new float[1], event, event))),
        of(
            "what a capture tells: status outside; in it; its graph is that of its end",
            "0 0; 0 1; true",
            () -> {
              CUstream_st stream = stream();
              int[] status = new int[1];
              String outside = cudaStreamGetCaptureInfo(stream, status) + " " + status[0];
              cudaStreamBeginCapture(stream, 0);
              CUgraph_st told = new CUgraph_st();
              String inside =
                  cudaStreamGetCaptureInfo(stream, status, null, told, null, null, null)
                      + " "
                      + status[0];
              CUgraph_st graph = new CUgraph_st();
              cudaStreamEndCapture(stream, graph);
              return say(outside, inside, told.equals(graph));
            }),
        of(
            "the mode of a thread at first",
            "0",
            () -> {
              int[] mode = {0};
              cudaThreadExchangeStreamCaptureMode(mode);
              return mode[0];
            }),
        of(
            "pageable memory captured with 1, launched with 2",
            "2",
            () -> {
              CUstream_st stream = stream();
              Pointer d = ints(0);
              IntPointer source = new IntPointer(new int[] {1});
              cudaStreamBeginCapture(stream, 0);
              cudaMemcpyAsync(d, source, 4, cudaMemcpyHostToDevice, stream);
              CUgraph_st graph = new CUgraph_st();
              cudaStreamEndCapture(stream, graph);
              source.put(0, 2);
              run(graph);
              return read(d);
            }));
  }

  private static String ofCaptured(java.util.function.ToIntFunction<CUevent_st> call) {
    CUstream_st stream = stream();
    CUevent_st event = event();
    cudaStreamBeginCapture(stream, 2);
    cudaEventRecord(event, stream);
    return name(call.applyAsInt(event)) + "; " + end(stream, new CUgraph_st());
  }

  static Stream<Answer> nodes() {
    String ok = "SUCCESS; " + OK + "; ";
    return Stream.of(
        of("nothing becomes", ok + "0 nodes:", () -> captured((stream, d) -> 0)),
        of(
            "a kernel becomes",
            ok + "1 nodes: 0",
            () -> {
              var add = function("add");
              return captured(
                  (stream, d) ->
                      cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, stream, parameters(d, 1), null));
            }),
        of(
            "cudaMemsetAsync becomes",
            ok + "1 nodes: 2",
            () -> captured((stream, d) -> cudaMemsetAsync(d, 1, 4, stream))),
        of(
            "a copy on the device becomes",
            ok + "1 nodes: 1",
            () -> captured((stream, d) -> cudaMemcpyAsync(d, plus(d, 8), 4, 3, stream))),
        of(
            "a copy from pageable memory becomes",
            ok + "1 nodes: 1",
            () -> captured((stream, d) -> cudaMemcpyAsync(d, new IntPointer(16), 64, 1, stream))),
        of(
            "a copy to pageable memory becomes",
            ok + "1 nodes: 1",
            () -> captured((stream, d) -> cudaMemcpyAsync(new IntPointer(16), d, 64, 2, stream))),
        of(
            "a host function becomes",
            ok + "1 nodes: 3",
            () -> captured((stream, d) -> GraphPrograms.hostFunction(stream))),
        of(
            "a record of an event becomes",
            ok + "0 nodes:",
            () ->
                captured(
                    (stream, d) -> {
                      CUevent_st event = event();
                      return cudaEventRecord(event, stream);
                    })),
        of(
            "a copy of 0 bytes becomes",
            ok + "0 nodes:",
            () -> captured((stream, d) -> cudaMemcpyAsync(d, d, 0, 3, stream))),
        of(
            "a memset of 0 bytes becomes",
            ok + "0 nodes:",
            () -> captured((stream, d) -> cudaMemsetAsync(d, 1, 0, stream))),
        of(
            "cudaMemcpy2DAsync becomes",
            ok + "1 nodes: 1",
            () ->
                captured((stream, d) -> cudaMemcpy2DAsync(d, 8, plus(d, 32), 8, 4, 2, 3, stream))),
        of(
            "a question about an address becomes",
            ok + "0 nodes:",
            () ->
                captured(
                    (stream, d) -> {
                      Answer.attributes(d);
                      return 0;
                    })));
  }
}
