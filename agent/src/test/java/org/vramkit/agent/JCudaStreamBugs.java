package org.vramkit.agent;

import static jcuda.driver.JCudaDriver.*;

import java.nio.charset.StandardCharsets;
import jcuda.Pointer;
import jcuda.driver.CUDA_MEMSET_NODE_PARAMS;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUgraphNode;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;

/** Programs of JCuda with a bug between streams, or without it if they are told to be right. */
final class JCudaStreamBugs {
  private static final long BYTES = 4096;

  private final boolean right;
  private final CUstream first = stream();
  private final CUstream second = stream();
  private final CUfunction add;
  private final CUdeviceptr memory = new CUdeviceptr();
  private final Pointer host = new Pointer();

  static {
    setExceptionsEnabled(true);
  }

  JCudaStreamBugs(boolean right) {
    this.right = right;
    CUmodule module = new CUmodule();
    cuModuleLoadData(module, (Answer.ptx() + "\0").getBytes(StandardCharsets.US_ASCII));
    this.add = new CUfunction();
    cuModuleGetFunction(add, module, "add");
    cuMemAlloc(memory, BYTES);
    cuMemsetD8(memory, (byte) 0, BYTES);
    cuMemAllocHost(host, BYTES);
    host.getByteBuffer().put(new byte[(int) BYTES]);
    cuCtxSynchronize();
  }

  static JCudaStreamBugs start(boolean right) {
    cuInit(0);
    CUdevice device = new CUdevice();
    cuDeviceGet(device, 0);
    cuCtxCreate(new CUcontext(), 0, device);
    return new JCudaStreamBugs(right);
  }

  private static CUstream stream() {
    CUstream stream = new CUstream();
    cuStreamCreate(stream, 1);
    return stream;
  }

  private static CUevent event() {
    CUevent event = new CUevent();
    cuEventCreate(event, 2);
    return event;
  }

  /** Lets a stream wait for another one, in right programs. */
  private void join(CUstream waiting, CUstream other) {
    if (right) {
      CUevent event = event();
      cuEventRecord(event, other);
      cuStreamWaitEvent(waiting, event, 0);
    }
  }

  private Pointer parameters() {
    return Pointer.to(Pointer.to(memory), Pointer.to(new int[] {1}));
  }

  void kernelBeforeCopyIsDone() {
    cuMemcpyHtoDAsync(memory, host, BYTES, first);
    join(second, first);
    cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, second, parameters(), null);
  }

  void resultOverwrittenWhileItIsCopied() {
    cuMemcpyDtoHAsync(host, memory, BYTES, first);
    join(second, first);
    cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, second, parameters(), null);
  }

  void twoKernelsWriteTheSame() {
    cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, first, parameters(), null);
    join(second, first);
    cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, second, parameters(), null);
  }

  void freedOnAnotherStream() {
    cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, first, parameters(), null);
    join(second, first);
    cuMemFreeAsync(memory, second);
  }

  void eventRecordedTooEarly() {
    CUevent done = event();
    if (!right) {
      cuEventRecord(done, first);
    }
    cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, first, parameters(), null);
    if (right) {
      cuEventRecord(done, first);
    }
    cuStreamWaitEvent(second, done, 0);
    cuMemcpyDtoHAsync(host, memory, BYTES, second);
  }

  void wrongStreamWaits() {
    cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, first, parameters(), null);
    CUevent done = event();
    cuEventRecord(done, first);
    cuStreamWaitEvent(right ? second : first, done, 0);
    cuMemcpyDtoHAsync(host, memory, BYTES, second);
  }

  void defaultStreamOrdersNothing() {
    cuMemsetD8Async(memory, (byte) 1, BYTES, new CUstream());
    join(first, new CUstream());
    cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, first, parameters(), null);
  }

  void pageLockedBufferReused() {
    cuMemcpyHtoDAsync(memory, host, BYTES, first);
    if (right) {
      cuStreamSynchronize(first);
    }
    host.getByteBuffer().putInt(0, 7);
    cuMemcpyHtoDAsync(memory, host, BYTES, first);
  }

  void twoExecutablesOfOneGraph() {
    CUgraph graph = new CUgraph();
    cuGraphCreate(graph, 0);
    cuGraphAddMemsetNode(new CUgraphNode(), graph, null, 0, memset(), context());
    CUgraphExec one = new CUgraphExec();
    CUgraphExec two = new CUgraphExec();
    cuGraphInstantiate(one, graph, 0);
    cuGraphInstantiate(two, graph, 0);
    cuGraphLaunch(one, first);
    join(second, first);
    cuGraphLaunch(two, second);
  }

  private static CUcontext context() {
    CUcontext context = new CUcontext();
    cuCtxGetCurrent(context);
    return context;
  }

  private CUDA_MEMSET_NODE_PARAMS memset() {
    CUDA_MEMSET_NODE_PARAMS parameters = new CUDA_MEMSET_NODE_PARAMS();
    parameters.dst = memory;
    parameters.elementSize = 4;
    parameters.width = 4;
    parameters.height = 1;
    return parameters;
  }

  void nodesWithoutAnEdge() {
    CUgraph graph = new CUgraph();
    cuGraphCreate(graph, 0);
    CUgraphNode set = new CUgraphNode();
    cuGraphAddMemsetNode(set, graph, null, 0, memset(), context());
    CUgraphNode[] before = right ? new CUgraphNode[] {set} : new CUgraphNode[0];
    cuGraphAddMemsetNode(new CUgraphNode(), graph, before, before.length, memset(), context());
    CUgraphExec exec = new CUgraphExec();
    cuGraphInstantiate(exec, graph, 0);
    cuGraphLaunch(exec, first);
  }
}
