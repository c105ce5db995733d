package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;

import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudart.cudaPitchedPtr;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("As on an H200: errors and memory:")
class MemoryAnswersTest {
  @ParameterizedTest(name = "{0}")
  @MethodSource({"errors", "memory"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  private static int refused() {
    return cudaMalloc(new Pointer(), PETA);
  }

  static Stream<Answer> errors() {
    return Stream.of(
        of(
            "an allocation of 1 PiB; peek; query of an idle stream; peek; get; get",
            "MemoryAllocation; MemoryAllocation; SUCCESS; MemoryAllocation; MemoryAllocation;"
                + " SUCCESS",
            () ->
                names(
                    refused(),
                    cudaPeekAtLastError(),
                    cudaStreamQuery(null),
                    cudaPeekAtLastError(),
                    cudaGetLastError(),
                    cudaGetLastError())),
        of(
            "cudaMalloc with a null result; last error",
            "InvalidValue; InvalidValue",
            () -> names(cudaMalloc((Pointer) null, 4), cudaGetLastError())),
        of(
            "an error on this thread: peek on another; here",
            "SUCCESS; MemoryAllocation",
            () -> {
              refused();
              return names(
                  CompletableFuture.supplyAsync(() -> cudaPeekAtLastError()).get(),
                  cudaPeekAtLastError());
            }),
        of(
            "two errors: get; get",
            "InvalidDevice; SUCCESS",
            () -> {
              refused();
              cudaSetDevice(99);
              return names(cudaGetLastError(), cudaGetLastError());
            }),
        of(
            "a launch of 0 blocks; 0 threads; 1025 threads; block.z 65; grid.y 65536; 2^31 blocks",
            "InvalidValue; InvalidValue; InvalidValue; InvalidValue; InvalidValue; InvalidValue",
            () ->
                names(
                    launch(function("tiny"), 0, 1, 0),
                    launch(function("tiny"), 1, 0, 0),
                    launch(function("tiny"), 1, 1025, 0),
                    shape(1, 1, 65),
                    shape(65_536, 1, 1),
                    launch(function("tiny"), Integer.MIN_VALUE, 1, 0))),
        of(
            "a launch with 1 MiB of dynamic shared memory; 49153 bytes; 49152 bytes",
            "InvalidValue; InvalidValue; SUCCESS",
            () ->
                names(
                    launch(function("tiny"), 1, 1, 1 << 20),
                    launch(function("tiny"), 1, 1, 49_153),
                    launch(function("tiny"), 1, 1, 49_152))),
        of(
            "a refused launch, then cudaDeviceSynchronize; the last error; a good launch",
            "SUCCESS; InvalidValue; SUCCESS",
            () -> {
              launch(function("tiny"), 0, 1, 0);
              return names(
                  cudaDeviceSynchronize(), cudaGetLastError(), launch(function("tiny"), 1, 1, 0));
            }),
        of(
            "names of 9999, -1, 201, 219; text of 9999",
            "unrecognized error code; unrecognized error code; cudaErrorDeviceUninitialized;"
                + " cudaErrorInvalidGraphicsContext; unrecognized error code",
            () ->
                say(
                    cudaGetErrorName(9999).getString(),
                    cudaGetErrorName(-1).getString(),
                    cudaGetErrorName(201).getString(),
                    cudaGetErrorName(219).getString(),
                    cudaGetErrorString(9999).getString())),
        of(
            "codes up to 10099 that the runtime names; the driver names",
            "134; 101",
            () -> {
              int runtime = 0;
              int driver = 0;
              PointerPointer<BytePointer> name = new PointerPointer<>(1);
              for (int code = 0; code < 10_100; code++) {
                runtime += cudaGetErrorName(code).getString().startsWith("unrec") ? 0 : 1;
                driver += cuGetErrorName(code, name) == 0 ? 1 : 0;
              }
              return say(runtime, driver);
            }),
        of(
            "texts of 9, 35, 98, 218, 600, 700, 906",
            "invalid configuration argument; CUDA driver version is insufficient for CUDA runtime"
                + " version; invalid device function; a PTX JIT compilation failed; device not"
                + " ready; an illegal memory access was encountered; operation would make the"
                + " legacy stream depend on a capturing blocking stream",
            () ->
                say(
                    Stream.of(9, 35, 98, 218, 600, 700, 906)
                        .map(code -> cudaGetErrorString(code).getString())
                        .toArray())),
        of(
            "query of a pending event; last error; of a busy stream; last error",
            "NotReady; SUCCESS; NotReady; SUCCESS",
            () -> {
              CUstream_st stream = stream();
              CUevent_st event = event();
              cudaMemsetAsync(device(64L), 1, 64, stream);
              cudaEventRecord(event, stream);
              return names(
                  cudaEventQuery(event),
                  cudaGetLastError(),
                  cudaStreamQuery(stream),
                  cudaGetLastError());
            }),
        of(
            "time to a pending event; last error; the float",
            "NotReady; SUCCESS; -1.0",
            () -> {
              CUstream_st stream = stream();
              CUevent_st start = new CUevent_st();
              CUevent_st end = new CUevent_st();
              cudaEventCreate(start);
              cudaEventCreate(end);
              cudaEventRecord(start, stream);
              cudaMemsetAsync(device(64L), 1, 64, stream);
              cudaEventRecord(end, stream);
              float[] millis = {-1};
              int status = cudaEventElapsedTime(millis, start, end);
              return say(name(status), name(cudaGetLastError()), millis[0]);
            }),
        of(
            "cuMemFree of an unknown address; last error of the runtime",
            "InvalidValue; SUCCESS",
            () -> {
              cudaFree(null);
              return names(cuMemFree(0x1000), cudaGetLastError());
            }));
  }

  private static int shape(int gridY, int x, int z) {
    return cuLaunchKernel(function("tiny"), 1, gridY, 1, x, 1, z, 0, null, null, null);
  }

  static Stream<Answer> memory() {
    return Stream.of(
        of("cudaFree of null", "SUCCESS", () -> names(cudaFree(null))),
        of(
            "cudaFree of the program's memory",
            "InvalidValue",
            () -> names(cudaFree(new BytePointer(64)))),
        of(
            "cudaFree of an interior address; of the base; again",
            "InvalidValue; SUCCESS; InvalidValue",
            () -> {
              Pointer d = device(64L);
              return names(cudaFree(plus(d, 8)), cudaFree(d), cudaFree(d));
            }),
        of(
            "page-locked memory: cudaFree; cudaFreeHost; again",
            "InvalidValue; SUCCESS; InvalidValue",
            () -> {
              Pointer host = locked(64);
              return names(cudaFree(host), cudaFreeHost(host), cudaFreeHost(host));
            }),
        of(
            "cudaFreeHost of a device's memory; of the program's; of null",
            "InvalidValue; InvalidValue; SUCCESS",
            () ->
                names(
                    cudaFreeHost(device(64L)),
                    cudaFreeHost(new BytePointer(64)),
                    cudaFreeHost(null))),
        of(
            "registered memory: cudaFreeHost; cudaHostUnregister",
            "InvalidValue; SUCCESS",
            () -> {
              Pointer own = new BytePointer(4096);
              cudaHostRegister(own, 4096, 0);
              return names(cudaFreeHost(own), cudaHostUnregister(own));
            }),
        of(
            "cudaHostUnregister of page-locked memory; again",
            "InvalidValue; InvalidValue",
            () -> {
              Pointer host = locked(64);
              return names(cudaHostUnregister(host), cudaHostUnregister(host));
            }),
        of(
            "cudaFree of memory in stream order",
            "SUCCESS",
            () -> {
              Pointer d = new Pointer();
              cudaMallocAsync(d, 64, null);
              cudaStreamSynchronize(null);
              return names(cudaFree(d));
            }),
        of(
            "managed memory: cudaFreeHost; cudaFree",
            "InvalidValue; SUCCESS",
            () -> {
              Pointer m = managed(64);
              return names(cudaFreeHost(m), cudaFree(m));
            }),
        of(
            "pitches of widths 1, 512, 513, 1000, 4097",
            "512; 512; 1024; 1024; 4608",
            () -> {
              SizeTPointer pitch = new SizeTPointer(1);
              return say(
                  Stream.of(1, 512, 513, 1000, 4097)
                      .map(
                          width -> {
                            cudaMallocPitch(new Pointer(), pitch, width, 4);
                            return pitch.get();
                          })
                      .toArray());
            }),
        of(
            "cudaMalloc3D of 100, 4, 3",
            "SUCCESS 512 100 4",
            () -> {
              cudaPitchedPtr box = new cudaPitchedPtr();
              int status = cudaMalloc3D(box, make_cudaExtent(100, 4, 3));
              return name(status) + " " + box.pitch() + " " + box.xsize() + " " + box.ysize();
            }),
        of(
            "cuMemAllocPitch with elements of 4 bytes; 3 bytes; of width 0; the pitch afterwards",
            "SUCCESS; InvalidValue; InvalidValue; 0",
            () -> {
              cudaFree(null);
              long[] d = new long[1];
              SizeTPointer pitch = new SizeTPointer(1);
              return names(
                      cuMemAllocPitch(d, pitch, 100, 4, 4),
                      cuMemAllocPitch(d, pitch, 100, 4, 3),
                      cuMemAllocPitch(d, pitch, 0, 4, 4))
                  + "; "
                  + pitch.get();
            }),
        of(
            "two blocks of 1 byte: distance; address mod 512",
            "512; 0",
            () -> {
              Pointer one = device(1L);
              return say(device(1L).address() - one.address(), one.address() % 512);
            }),
        of(
            "cudaHostRegister of null; with flags 0x80",
            "InvalidValue; InvalidValue",
            () ->
                names(
                    cudaHostRegister(null, 4096, 0),
                    cudaHostRegister(new BytePointer(4096), 4096, 0x80))),
        of(
            "cudaHostRegister; again; cudaHostUnregister; again",
            "SUCCESS; HostMemoryAlreadyRegistered; SUCCESS; HostMemoryNotRegistered",
            () -> {
              Pointer own = new BytePointer(4096);
              return names(
                  cudaHostRegister(own, 4096, 0),
                  cudaHostRegister(own, 4096, 0),
                  cudaHostUnregister(own),
                  cudaHostUnregister(own));
            }),
        of(
            "100 bytes off a page: register; device's pointer, the same; unregister",
            "SUCCESS; SUCCESS; true; SUCCESS",
            () -> {
              Pointer own = plus(new BytePointer(8192), 13);
              Pointer mapped = new Pointer();
              return names(cudaHostRegister(own, 100, 0), cudaHostGetDevicePointer(mapped, own, 0))
                  + "; "
                  + (mapped.address() == own.address())
                  + "; "
                  + names(cudaHostUnregister(own));
            }),
        of(
            "cudaHostGetDevicePointer of the program's memory; with flags 1",
            "InvalidValue; InvalidValue",
            () ->
                names(
                    cudaHostGetDevicePointer(new Pointer(), new BytePointer(64), 0),
                    cudaHostGetDevicePointer(new Pointer(), locked(64), 1))),
        of(
            "cudaHostAlloc with flags 0x80",
            "InvalidValue",
            () -> names(cudaHostAlloc(new Pointer(), 64, 0x80))),
        of(
            "flags of cudaHostAlloc with 7; with 0; of cudaMallocHost; 8 bytes inside",
            "7; 2; 2; 7",
            () -> {
              Pointer all = new Pointer();
              Pointer none = new Pointer();
              cudaHostAlloc(all, 64, 7);
              cudaHostAlloc(none, 64, 0);
              return say(flags(all), flags(none), flags(locked(64)), flags(plus(all, 8)));
            }),
        of(
            "cudaHostGetFlags of the program's memory",
            "InvalidValue",
            () -> names(cudaHostGetFlags(new int[1], new BytePointer(64)))),
        of(
            "cudaMallocManaged with flags 0; 8",
            "InvalidValue; InvalidValue",
            () ->
                names(
                    cudaMallocManaged(new Pointer(), 64, 0),
                    cudaMallocManaged(new Pointer(), 64, 8))),
        of(
            "prefetch of a device's memory; advice on it; on managed memory; prefetch to device 9",
            "InvalidValue; InvalidValue; SUCCESS; InvalidDevice",
            () ->
                names(
                    cudaMemPrefetchAsync(device(64L), 64, on(0), 0, null),
                    cudaMemAdvise(device(64L), 64, 1, on(0)),
                    cudaMemAdvise(managed(64), 64, 1, on(0)),
                    cudaMemPrefetchAsync(managed(64), 64, on(9), 0, null))),
        of(
            "cudaStreamAttachMemAsync of a device's memory; of managed memory; of stream 0",
            "InvalidValue; SUCCESS; InvalidValue",
            () ->
                names(
                    cudaStreamAttachMemAsync(stream(), device(64L), 0, 4),
                    cudaStreamAttachMemAsync(stream(), managed(64), 0, 4),
                    cudaStreamAttachMemAsync(null, managed(64), 0, 4))),
        of(
            "a managed int of 5, to which a kernel adds 1",
            "6",
            () -> {
              IntPointer m = new IntPointer(managed(4));
              m.put(0, 5);
              add(m, 1, null);
              cudaStreamSynchronize(null);
              return m.get(0);
            }));
  }

  private static int flags(Pointer host) {
    int[] flags = new int[1];
    return cudaHostGetFlags(flags, host) == 0 ? flags[0] : -1;
  }
}
