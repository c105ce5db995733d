package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;

import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUgraphExec_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.cuda.cudart.CUhostFn;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.Pointer;
import org.jspecify.annotations.Nullable;

/** Programs of JavaCPP with a bug between streams, or without it if they are told to be right. */
final class JavaCppStreamBugs {
  private static final long BYTES = 4096;

  private final boolean right;
  private final CUstream_st first = stream(cudaStreamNonBlocking);
  private final CUstream_st second = stream(cudaStreamNonBlocking);
  private final CUfunc_st add = Answer.function("add");
  private final Pointer memory = new Pointer();
  private final IntPointer host = new IntPointer((Pointer) null);

  JavaCppStreamBugs(boolean right) {
    this.right = right;
    check(cudaMalloc(memory, BYTES));
    check(cudaMemset(memory, 0, BYTES));
    check(cudaMallocHost(host, BYTES));
    host.put(new int[(int) BYTES / 4]);
    check(cudaDeviceSynchronize());
  }

  private static void check(int status) {
    if (status != 0) {
      throw new IllegalStateException(cudaGetErrorString(status).getString());
    }
  }

  private static CUstream_st stream(int flags) {
    CUstream_st stream = new CUstream_st();
    check(cudaStreamCreateWithFlags(stream, flags));
    return stream;
  }

  private static CUevent_st event() {
    CUevent_st event = new CUevent_st();
    check(cudaEventCreate(event));
    return event;
  }

  private void join(CUstream_st waiting, CUstream_st other) {
    if (right) {
      CUevent_st event = event();
      check(cudaEventRecord(event, other));
      check(cudaStreamWaitEvent(waiting, event, 0));
    }
  }

  private int add(@Nullable CUstream_st stream) {
    return add(memory, stream);
  }

  private int add(Pointer target, @Nullable CUstream_st stream) {
    return cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, stream, Answer.parameters(target, 1), null);
  }

  void copyBeforeKernelIsDone() {
    check(add(first));
    join(second, first);
    check(cudaMemcpyAsync(host, memory, BYTES, cudaMemcpyDeviceToHost, second));
  }

  void memsetAcrossStreams() {
    check(cudaMemset2DAsync(memory, 64, 1, 32, 4, first));
    join(second, first);
    check(add(second));
  }

  void copyOfACopy() {
    Pointer other = new Pointer();
    check(cudaMalloc(other, BYTES));
    check(cudaMemcpyAsync(other, memory, BYTES, cudaMemcpyDeviceToDevice, first));
    join(second, first);
    check(cudaMemcpyAsync(host, other, BYTES, cudaMemcpyDeviceToHost, second));
  }

  void allocatedOnAnotherStream() {
    Pointer ordered = new Pointer();
    check(cudaMallocAsync(ordered, BYTES, first));
    join(second, first);
    check(cudaMemsetAsync(ordered, 1, BYTES, second));
  }

  void usedAfterItsFree() {
    Pointer ordered = new Pointer();
    check(cudaMallocAsync(ordered, BYTES, first));
    check(cudaMemsetAsync(ordered, 0, BYTES, first));
    if (!right) {
      check(cudaFreeAsync(ordered, first));
    }
    check(add(ordered, first));
    if (right) {
      check(cudaFreeAsync(ordered, first));
    }
  }

  void graphBesideAKernel() {
    check(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    check(add(first));
    CUgraph_st graph = new CUgraph_st();
    check(cudaStreamEndCapture(first, graph));
    CUgraphExec_st exec = new CUgraphExec_st();
    check(cudaGraphInstantiate(exec, graph, 0));
    check(cudaGraphLaunch(exec, first));
    join(second, first);
    check(add(second));
  }

  void forkInACapture() {
    CUevent_st fork = event();
    check(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    check(cudaEventRecord(fork, first));
    check(cudaStreamWaitEvent(second, fork, 0));
    check(add(first));
    join(second, first);
    check(add(second));
    CUevent_st joined = event();
    check(cudaEventRecord(joined, second));
    check(cudaStreamWaitEvent(first, joined, 0));
    CUgraph_st graph = new CUgraph_st();
    check(cudaStreamEndCapture(first, graph));
    CUgraphExec_st exec = new CUgraphExec_st();
    check(cudaGraphInstantiate(exec, graph, 0));
    check(cudaGraphLaunch(exec, first));
  }

  void waitForAnUnrecordedEvent() {
    CUevent_st event = event();
    check(add(first));
    if (right) {
      check(cudaEventRecord(event, first));
    }
    check(cudaStreamWaitEvent(second, event, 0));
    check(add(second));
  }

  void hostFunctionWritesWhatIsCopied() {
    CUhostFn write =
        new CUhostFn() {
          @Override
          public void call(Pointer data) {
            host.put(0, 7);
          }
        };
    check(cudaMemcpyAsync(memory, host, BYTES, cudaMemcpyHostToDevice, first));
    join(second, first);
    check(cuLaunchHostFunc(second, write, null));
    check(cudaStreamSynchronize(second));
    check(cudaMemcpyAsync(memory, host, BYTES, cudaMemcpyHostToDevice, first));
  }

  void blockingStreamsAreNotOrderedByEachOther() {
    CUstream_st one = stream(cudaStreamDefault);
    CUstream_st other = stream(cudaStreamDefault);
    check(add(one));
    if (right) {
      check(add(null));
    }
    check(add(other));
  }
}
