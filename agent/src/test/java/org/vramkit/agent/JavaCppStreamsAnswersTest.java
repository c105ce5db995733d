package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUgraphExec_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.cuda.cudart.CUmemPoolHandle_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudart.cudaMemPoolProps;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@SimulatedCuda
@DisplayName("JavaCPP's streams answer as on an H200:")
class JavaCppStreamsAnswersTest {
  @Test
  @DisplayName("streams, events, captured graphs, pools")
  void streams() {
    CUstream_st stream = new CUstream_st();
    CUevent_st start = new CUevent_st();
    CUevent_st end = new CUevent_st();
    assertEquals(0, cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    int[] device = {-1};
    assertEquals(0, cudaStreamGetDevice(stream, device));
    assertEquals(0, device[0]);
    assertEquals(0, cudaEventCreate(start));
    assertEquals(0, cudaEventCreate(end));
    Pointer memory = new Pointer();
    assertEquals(0, cudaMallocAsync(memory, 1 << 20, stream));
    assertEquals(0, cudaEventRecord(start, stream));
    assertEquals(0, cudaMemsetAsync(memory, 1, 1 << 20, stream));
    assertEquals(0, cudaEventRecord(end, stream));
    float[] millis = {-5};
    assertEquals(400, cudaEventElapsedTime(millis, start, null));
    assertEquals(-5f, millis[0]);
    assertEquals(0, cudaEventSynchronize(end));
    assertEquals(0, cudaEventElapsedTime(millis, start, end));
    assertTrue(millis[0] > 0);
    assertEquals(0, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assertEquals(0, cudaMemsetAsync(memory, 2, 4, stream));
    CUgraph_st graph = new CUgraph_st();
    assertEquals(0, cudaStreamEndCapture(stream, graph));
    CUgraphExec_st executable = new CUgraphExec_st();
    assertEquals(0, cudaGraphInstantiate(executable, graph, 0));
    assertEquals(0, cudaGraphLaunch(executable, stream));
    assertEquals(0, cudaStreamSynchronize(stream));
    IntPointer host = new IntPointer(1);
    assertEquals(0, cudaMemcpy(host, memory, 4, cudaMemcpyDeviceToHost));
    assertEquals(0x02020202, host.get());
    assertEquals(0, cudaGraphExecDestroy(executable));
    assertFalse(executable.isNull());
    assertEquals(1, cudaGraphLaunch(executable, stream));
    assertEquals(0, cudaGraphDestroy(graph));
    assertEquals(0, cudaFreeAsync(memory, stream));
    assertEquals(0, cudaFreeAsync(null, stream));
    assertEquals(0, cudaStreamDestroy(stream));
  }

  @Test
  @DisplayName("pools")
  void pools() {
    CUmemPoolHandle_st first = new CUmemPoolHandle_st();
    CUmemPoolHandle_st current = new CUmemPoolHandle_st();
    assertEquals(0, cudaDeviceGetDefaultMemPool(first, 0));
    assertEquals(0, cudaDeviceGetMemPool(current, 0));
    assertEquals(first, current);
    CUmemPoolHandle_st made = new CUmemPoolHandle_st();
    cudaMemPoolProps properties = new cudaMemPoolProps();
    assertEquals(1, cudaMemPoolCreate(made, properties));
    assertEquals(1, cudaMemPoolCreate(made, null));
    properties.allocType(1).location().type(1).id(0);
    assertEquals(0, cudaMemPoolCreate(made, properties));
    assertEquals(1, cudaDeviceSetMemPool(0, null));
    assertEquals(0, cudaDeviceSetMemPool(0, made));
    Pointer memory = new Pointer();
    assertEquals(0, cudaMallocAsync(memory, 4096, null));
    LongPointer used = new LongPointer(1);
    assertEquals(0, cudaMemPoolGetAttribute(made, cudaMemPoolAttrUsedMemCurrent, used));
    assertEquals(4096, used.get());
    assertEquals(0, cudaMemPoolGetAttribute(made, cudaMemPoolAttrReleaseThreshold, used));
    assertEquals(0, used.get());
    assertEquals(1, cudaMemPoolGetAttribute(made, 99, used));
    assertEquals(0, cudaFreeAsync(memory, null));
    assertEquals(0, cudaStreamSynchronize(null));
    assertEquals(0, cudaMemPoolTrimTo(made, 0));
    assertEquals(1, cudaMemPoolTrimTo(null, 0));
    assertEquals(0, cudaMemPoolDestroy(made));
    assertEquals(0, cudaDeviceGetMemPool(current, 0));
    assertEquals(first, current);
  }
}
