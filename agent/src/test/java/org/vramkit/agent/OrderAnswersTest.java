package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;
import static org.vramkit.agent.DevicePrograms.inHostFunction;
import static org.vramkit.agent.RefusalAnswersTest.withOption;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("As on an H200: the first of several wrong arguments, and values at their ends:")
class OrderAnswersTest {
  @ParameterizedTest(name = "{0}")
  @MethodSource({"orders", "values", "calls"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  static Stream<Answer> orders() {
    return Stream.of(
        of(
            "a null function and no blocks; no module and no name; no library's kernel, device 9",
            "400; 400; 400",
            () -> {
              cudaFree(null);
              return say(
                  cuLaunchCooperativeKernel(null, -1, 1, 1, 1, 1, 1, 0, null, (Pointer) null),
                  cuModuleGetFunction(null, null, (BytePointer) null),
                  cuKernelGetAttribute(new int[1], 0, null, 9));
            }),
        of(
            "the name of a null function; its module; a name in the runtime",
            "1; 1; 98",
            () -> {
              cudaFree(null);
              PointerPointer<?> name = new PointerPointer<>(1);
              return say(
                  cuFuncGetName(name, null),
                  cuFuncGetModule(new CUmod_st(), null),
                  cudaFuncGetName(name, null));
            }),
        of(
            "occupancy of a null function into null; of unknown flags, in the driver",
            "98; 1",
            () -> {
              cudaFree(null);
              return say(
                  cudaOccupancyMaxActiveBlocksPerMultiprocessor((int[]) null, null, 32, 0),
                  cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(new int[1], null, 32, 0, 7));
            }),
        of(
            "a peer that there is not, with flags; a copy of nothing to a device that there is not",
            "101; 0",
            () -> {
              Pointer d = device(64);
              return say(cudaDeviceEnablePeerAccess(9, 1), cudaMemcpyPeer(d, 9, plus(d, 8), 0, 0));
            }),
        of(
            "an address of a variable of no module: its place stays",
            "400 -7",
            () -> {
              cudaFree(null);
              long[] address = {-7};
              return cuModuleGetGlobal(address, null, null, "arr") + " " + address[0];
            }));
  }

  static Stream<Answer> values() {
    return Stream.of(
        of(
            "any mode of captures: 7; 0; what was before each",
            "0 0; 0 7",
            () -> {
              int[] mode = {7};
              String first = cudaThreadExchangeStreamCaptureMode(mode) + " " + mode[0];
              mode[0] = 0;
              return say(first, cudaThreadExchangeStreamCaptureMode(mode) + " " + mode[0]);
            }),
        of(
            "advice for places 0 to 5; for device -1",
            "1 0 0 0 0 1; 1",
            () -> {
              Pointer managed = managed(64);
              return say(
                  IntStream.rangeClosed(0, 5)
                      .mapToObj(each -> "" + DevicePrograms.advise(managed, each))
                      .collect(Collectors.joining(" ")),
                  cudaMemAdvise(managed, 64, cudaMemAdviseSetPreferredLocation, on(-1)));
            }),
        of(
            "slices of more rows than they have",
            "1",
            () -> {
              Pointer d = device(4096);
              return cudaMemset3D(make_cudaPitchedPtr(d, 16, 16, 1), 1, make_cudaExtent(8, 2, 2));
            }),
        of(
            "places on the bus: a long domain; none; no function either; another function",
            "0; 0; 1; 101",
            () -> {
              byte[] id = new byte[13];
              cudaDeviceGetPCIBusId(id, 13, 0);
              String place = new String(id, 0, 12, java.nio.charset.StandardCharsets.US_ASCII);
              int[] device = new int[1];
              return say(
                  cudaDeviceGetByPCIBusId(device, "0000" + place),
                  cudaDeviceGetByPCIBusId(device, place.substring(5)),
                  cudaDeviceGetByPCIBusId(device, place.substring(5, 10)),
                  cudaDeviceGetByPCIBusId(device, place.replace(".0", ".1")));
            }),
        of(
            "options of the compiler: level 4; level 90; 90 blocks of a multiprocessor",
            "0 218 218",
            () -> withOption(7, 4) + " " + withOption(7, 90) + " " + withOption(31, 90)),
        of(
            "texts of statuses that no call returns any more",
            "profiler already started; invalid host pointer",
            () -> say(cudaGetErrorString(7).getString(), cudaGetErrorString(16).getString())));
  }

  static Stream<Answer> calls() {
    return Stream.of(
        of(
            "advice beside a capture; the capture",
            "900 901",
            () -> {
              Pointer managed = managed(64);
              CUstream_st stream = stream();
              cudaStreamBeginCapture(stream, 0);
              int advised = cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, on(0));
              return advised + " " + cudaStreamEndCapture(stream, new CUgraph_st());
            }),
        of(
            "in a host function: a wait for an event that is past; its time",
            "SUCCESS; SUCCESS; SUCCESS; SUCCESS; SUCCESS; SUCCESS",
            () -> {
              CUevent_st event = event();
              cudaEventRecord(event, null);
              cudaDeviceSynchronize();
              return inHostFunction(() -> cudaEventSynchronize(event))
                  + "; "
                  + inHostFunction(() -> cudaEventElapsedTime(new float[1], event, event));
            }));
  }
}
