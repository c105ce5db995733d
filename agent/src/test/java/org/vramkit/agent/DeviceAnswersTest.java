package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;
import static org.vramkit.agent.DevicePrograms.*;

import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("As on an H200: devices, streams, host functions:")
class DeviceAnswersTest {
  @ParameterizedTest(name = "{0}")
  @MethodSource({"devices", "streams", "hosts"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  static Stream<Answer> devices() {
    int[] n = new int[1];
    return Stream.of(
        of(
            "cudaSetDevice(1) of one; cudaGetDevice; peek; get; get",
            "InvalidDevice; SUCCESS 0; InvalidDevice; InvalidDevice; SUCCESS",
            () -> {
              int set = cudaSetDevice(1);
              String got = name(cudaGetDevice(n)) + " " + n[0];
              return say(
                  name(set),
                  got,
                  names(cudaPeekAtLastError(), cudaGetLastError(), cudaGetLastError()));
            }),
        of(
            "cudaSetDevice(-1); attribute of device 1; of -1; attributes 9999; 0",
            "InvalidDevice; InvalidDevice; InvalidDevice; InvalidValue; InvalidValue",
            () ->
                names(
                    cudaSetDevice(-1),
                    cudaDeviceGetAttribute(n, 10, 1),
                    cudaDeviceGetAttribute(n, 10, -1),
                    cudaDeviceGetAttribute(n, 9999, 0),
                    cudaDeviceGetAttribute(n, 0, 0))),
        of(
            "cudaChooseDevice of zeroed properties; cuDeviceGet(1); (-1)",
            "SUCCESS; InvalidDevice; InvalidDevice",
            () -> {
              cuInit(0);
              return names(choose(), cuDeviceGet(n, 1), cuDeviceGet(n, -1));
            }),
        of(
            "access to oneself; enabled; disabled; to device 9",
            "SUCCESS 0; PeerAccessUnsupported; PeerAccessNotEnabled; InvalidDevice",
            () -> {
              String self = name(cudaDeviceCanAccessPeer(n, 0, 0)) + " " + n[0];
              return say(
                  self,
                  names(
                      cudaDeviceEnablePeerAccess(0, 0),
                      cudaDeviceDisablePeerAccess(0),
                      cudaDeviceCanAccessPeer(n, 0, 9)));
            }),
        of(
            "attributes 1 to 160 that are refused",
            "148 149 150 151 152 153 154 155 156 157 158 159 160",
            () -> {
              StringBuilder refused = new StringBuilder();
              for (int number = 1; number <= 160; number++) {
                if (cudaDeviceGetAttribute(n, number, 0) != 0) {
                  refused.append(" ").append(number);
                }
              }
              return refused.toString().strip();
            }),
        of(
            "place on the bus in 5 bytes; of \"x\"; in 40 bytes; of it",
            "InvalidValue; InvalidValue; SUCCESS 12 06.0; SUCCESS 0",
            () -> {
              BytePointer room = new BytePointer(40);
              int small = cudaDeviceGetPCIBusId(room, 5, 0);
              int unknown = cudaDeviceGetByPCIBusId(n, "x");
              int known = cudaDeviceGetPCIBusId(room, 40, 0);
              String text = room.getString().replaceAll("(?s)\0.*", "");
              return say(
                  names(small, unknown),
                  name(known) + " " + text.length() + " " + text.substring(text.length() - 4),
                  name(cudaDeviceGetByPCIBusId(n, text)) + " " + n[0]);
            }));
  }

  static Stream<Answer> streams() {
    int[] n = new int[1];
    return Stream.of(
        of(
            "destruction of stream 0; legacy; per thread",
            "InvalidResourceHandle; InvalidResourceHandle; InvalidResourceHandle",
            () ->
                names(
                    cudaStreamDestroy(null),
                    cudaStreamDestroy(cudaStreamLegacy()),
                    cudaStreamDestroy(cudaStreamPerThread()))),
        of(
            "flags of 0; legacy; per thread; non-blocking; priority of 0",
            "0; 0; 0; 1; 0",
            () -> {
              StringBuilder flags = new StringBuilder();
              for (CUstream_st each :
                  new CUstream_st[] {null, cudaStreamLegacy(), cudaStreamPerThread(), stream()}) {
                cudaStreamGetFlags(each, n);
                flags.append(n[0]).append("; ");
              }
              cudaStreamGetPriority(null, n);
              return flags + "" + n[0];
            }),
        of(
            "a stream with work: destruction; synchronization of the device",
            "SUCCESS; SUCCESS",
            () -> {
              CUstream_st stream = stream();
              cudaMemsetAsync(device(64L), 1, 64, stream);
              return names(cudaStreamDestroy(stream), cudaDeviceSynchronize());
            }),
        of(
            "time to an unrecorded event; of a null event; with a null result; the float",
            "InvalidResourceHandle; InvalidResourceHandle; InvalidValue; -5.0",
            () -> {
              CUevent_st event = event();
              cudaEventRecord(event, null);
              float[] millis = {-5};
              return names(
                      cudaEventElapsedTime(millis, event, event()),
                      cudaEventElapsedTime(millis, event, null),
                      cudaEventElapsedTime((float[]) null, event, event))
                  + "; "
                  + millis[0];
            }),
        of(
            "time of an event to itself",
            "SUCCESS 0.0",
            () -> {
              CUevent_st event = event();
              cudaEventRecord(event, null);
              cudaEventSynchronize(event);
              float[] millis = {-5};
              return name(cudaEventElapsedTime(millis, event, event)) + " " + millis[0];
            }),
        of(
            "events with flags 0x100; interprocess; interprocess without timing",
            "InvalidValue; InvalidValue; SUCCESS",
            () ->
                names(
                    cudaEventCreateWithFlags(new CUevent_st(), 0x100),
                    cudaEventCreateWithFlags(new CUevent_st(), 4),
                    cudaEventCreateWithFlags(new CUevent_st(), 6))),
        of(
            "a null event recorded; asked; waited for; destroyed",
            "InvalidResourceHandle; InvalidResourceHandle; InvalidResourceHandle;"
                + " InvalidResourceHandle",
            () ->
                names(
                    cudaEventRecord(null, null),
                    cudaEventQuery(null),
                    cudaEventSynchronize(null),
                    cudaEventDestroy(null))),
        of(
            "an external record outside of a capture; with flags 7",
            "IllegalState; InvalidValue",
            () ->
                names(
                    cudaEventRecordWithFlags(event(), null, 1),
                    cudaEventRecordWithFlags(event(), null, 7))));
  }

  private static Answer host(String call, String status, IntSupplier asked) {
    return of(
        call + " in a host function; last error there; here",
        status + "; " + status + "; SUCCESS",
        () -> inHostFunction(asked));
  }

  static Stream<Answer> hosts() {
    String refused = "NotPermitted";
    CUstream_st other = new CUstream_st();
    return Stream.of(
        host("cudaMalloc", refused, () -> cudaMalloc(new Pointer(), 4)),
        host("a query of a stream", refused, () -> cudaStreamQuery(other)),
        host("cudaGetDevice", refused, () -> cudaGetDevice(new int[1])),
        host("cudaSetDevice", refused, () -> cudaSetDevice(0)),
        host("cudaGetDeviceCount", "SUCCESS", () -> cudaGetDeviceCount(new int[1])),
        host("cudaEventCreate", refused, () -> cudaEventCreate(new CUevent_st())),
        host("an attribute", refused, () -> cudaDeviceGetAttribute(new int[1], 10, 0)),
        host("cudaRuntimeGetVersion", "SUCCESS", () -> cudaRuntimeGetVersion(new int[1])),
        host(
            "cudaMemGetInfo",
            refused,
            () -> cudaMemGetInfo(new SizeTPointer(1), new SizeTPointer(1))),
        host("cudaFree of null", refused, () -> cudaFree(null)),
        host("a launch", refused, () -> launch(new CUfunc_st(), 1, 1, 0)),
        host("a query of a null event", "InvalidResourceHandle", () -> cudaEventQuery(null)),
        of(
            "a query of a completed event in a host function; last error there; here",
            "SUCCESS; SUCCESS; SUCCESS",
            () -> {
              CUevent_st event = event();
              cudaEventRecord(event, null);
              cudaDeviceSynchronize();
              return inHostFunction(() -> cudaEventQuery(event));
            }),
        host("a record of an event", refused, () -> cudaEventRecord(null, null)),
        host("attributes of an address", refused, () -> attributesOf(new Pointer())),
        host(
            "cudaMemcpyAsync",
            refused,
            () -> cudaMemcpyAsync(new Pointer(), new Pointer(), 4, 4, null)),
        of(
            "a callback with flags 1; null ones",
            "InvalidValue; InvalidValue; InvalidValue",
            () -> refusedCallbacks()),
        of(
            "host functions: names, daemon, group, loader, data; the same thread; null data",
            "true; true true true 77; true; true",
            () -> threads()),
        of(
            "a host function that throws: launch; synchronization; last error",
            "SUCCESS; SUCCESS; SUCCESS",
            () -> throwing()));
  }
}
