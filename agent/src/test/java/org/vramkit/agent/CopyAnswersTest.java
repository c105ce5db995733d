package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;

import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUmemPoolHandle_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudart.cudaMemPoolProps;
import org.bytedeco.cuda.cudart.cudaMemcpy3DParms;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("As on an H200: pools, copies, attributes of addresses:")
class CopyAnswersTest {
  @ParameterizedTest(name = "{0}")
  @MethodSource({"pools", "copies", "attributes"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  static Stream<Answer> pools() {
    return Stream.of(
        of(
            "a pool of zeroed properties; of null",
            "InvalidValue; InvalidValue",
            () ->
                names(
                    cudaMemPoolCreate(new CUmemPoolHandle_st(), new cudaMemPoolProps()),
                    cudaMemPoolCreate(new CUmemPoolHandle_st(), null))),
        of(
            "an allocation from a null pool; its trim; a null pool for a device",
            "InvalidValue; InvalidValue; InvalidValue",
            () ->
                names(
                    cudaMallocFromPoolAsync(new Pointer(), 64, null, null),
                    cudaMemPoolTrimTo(null, 0),
                    cudaDeviceSetMemPool(0, null))),
        of(
            "cudaFreeAsync of null; of the program's memory; of an interior address",
            "SUCCESS; InvalidValue; InvalidValue",
            () ->
                names(
                    cudaFreeAsync(null, null),
                    cudaFreeAsync(new BytePointer(64), null),
                    cudaFreeAsync(plus(device(64L), 8), null))),
        of(
            "cudaMallocAsync with a null result",
            "InvalidValue",
            () -> names(cudaMallocAsync((Pointer) null, 64, null))),
        of(
            "default pool: release threshold; opportunistic reuse; attribute 99",
            "SUCCESS 0; SUCCESS 1; InvalidValue",
            () -> {
              CUmemPoolHandle_st pool = new CUmemPoolHandle_st();
              cudaDeviceGetDefaultMemPool(pool, 0);
              LongPointer value = new LongPointer(new long[] {0});
              return say(
                  name(cudaMemPoolGetAttribute(pool, 4, value)) + " " + value.get(),
                  name(cudaMemPoolGetAttribute(pool, 2, value)) + " " + value.get(),
                  name(cudaMemPoolGetAttribute(pool, 99, value)));
            }),
        of(
            "a copy into a block that a busy stream allocates",
            "SUCCESS",
            () -> {
              Pointer d = new Pointer();
              CUstream_st busy = stream();
              cudaMemsetAsync(device(64L), 1, 64, busy);
              cudaMallocAsync(d, 4, busy);
              cudaStreamSynchronize(busy);
              return names(cudaMemcpy(d, new IntPointer(new int[] {1}), 4, cudaMemcpyHostToDevice));
            }),
        of(
            "the default pools of both interfaces are one",
            "true",
            () -> {
              CUmemPoolHandle_st runtime = new CUmemPoolHandle_st();
              CUmemPoolHandle_st driver = new CUmemPoolHandle_st();
              cudaDeviceGetDefaultMemPool(runtime, 0);
              cuDeviceGetDefaultMemPool(driver, 0);
              return runtime.equals(driver);
            }),
        of(
            "cudaMallocAsync of 1 PiB; last error",
            "MemoryAllocation; MemoryAllocation",
            () -> names(cudaMallocAsync(new Pointer(), PETA, null), cudaGetLastError())));
  }

  /** Copies an int of 5 over one of 7; returns the status, and whether it arrived. */
  private static String copy(Pointer to, Pointer from, int kind) {
    cudaMemcpy(from, new IntPointer(new int[] {5}), 4, cudaMemcpyDefault);
    cudaMemcpy(to, new IntPointer(new int[] {7}), 4, cudaMemcpyDefault);
    return name(cudaMemcpy(to, from, 4, kind)) + "; " + (read(to) == 5 ? "yes" : "no");
  }

  private static Pointer pageable() {
    return new BytePointer(64);
  }

  /** Copies rows of 64 bytes on the device. */
  private static int rows(long targetPitch, long sourcePitch, long height) {
    Pointer target = device(256L);
    return cudaMemcpy2D(target, targetPitch, device(256L), sourcePitch, 64, height, 3);
  }

  static Stream<Answer> copies() {
    return Stream.of(
        of(
            "two rows wider than the pitch of the target; of the source; than no pitch",
            "InvalidPitchValue; InvalidPitchValue; InvalidPitchValue",
            () -> names(rows(32, 64, 2), rows(64, 32, 2), rows(0, 64, 2))),
        of(
            "one row wider than its pitches; without pitches; of a pitch above the largest",
            "InvalidValue; SUCCESS; SUCCESS; SUCCESS",
            () -> names(rows(32, 32, 1), rows(0, 0, 1), rows(64, 0, 1), rows(1L << 31, 64, 1))),
        of(
            "sets of two rows wider than their pitch; of one; of one without a pitch",
            "InvalidValue; SUCCESS; SUCCESS",
            () ->
                names(
                    cudaMemset2D(device(256L), 32, 0, 64, 2),
                    cudaMemset2D(device(256L), 32, 0, 64, 1),
                    cudaMemset2D(device(256L), 0, 0, 64, 1))),
        of(
            "HostToDevice, both on the device",
            "SUCCESS; yes",
            () -> copy(device(4L), device(4L), 1)),
        of(
            "DeviceToHost, both on the device",
            "SUCCESS; yes",
            () -> copy(device(4L), device(4L), 2)),
        of(
            "HostToDevice, from the device to pageable memory",
            "InvalidValue; no",
            () -> copy(pageable(), device(4L), 1)),
        of(
            "DeviceToHost, from pageable memory to the device",
            "InvalidValue; no",
            () -> copy(device(4L), pageable(), 2)),
        of(
            "DeviceToHost, from page-locked to pageable memory",
            "SUCCESS; yes",
            () -> copy(pageable(), locked(4), 2)),
        of(
            "HostToDevice, from pageable to page-locked memory",
            "SUCCESS; yes",
            () -> copy(locked(4), pageable(), 1)),
        of(
            "DeviceToDevice, from the device to page-locked memory",
            "SUCCESS; yes",
            () -> copy(locked(4), device(4L), 3)),
        of(
            "DeviceToHost, between pageable memory",
            "InvalidValue; no",
            () -> copy(pageable(), pageable(), 2)),
        of(
            "HostToDevice, between pageable memory",
            "InvalidValue; no",
            () -> copy(pageable(), pageable(), 1)),
        of(
            "Default, between pageable memory",
            "SUCCESS; yes",
            () -> copy(pageable(), pageable(), 4)),
        of(
            "HostToHost, between pageable memory",
            "SUCCESS; yes",
            () -> copy(pageable(), pageable(), 0)),
        of(
            "DeviceToDevice, from pageable memory; to it",
            "InvalidValue; InvalidValue",
            () ->
                names(
                    cudaMemcpy(device(4L), pageable(), 4, 3),
                    cudaMemcpy(pageable(), device(4L), 4, 3))),
        of(
            "kinds 5; 99; -1; 99 of 0 bytes",
            "InvalidMemcpyDirection; InvalidMemcpyDirection; InvalidMemcpyDirection; SUCCESS",
            () ->
                names(
                    cudaMemcpy(device(4L), pageable(), 4, 5),
                    cudaMemcpy(device(4L), pageable(), 4, 99),
                    cudaMemcpy(device(4L), pageable(), 4, -1),
                    cudaMemcpy(device(4L), pageable(), 0, 99))),
        of(
            "0 bytes of null; to null; from null; both null; 0 bytes to freed memory",
            "SUCCESS; InvalidValue; InvalidValue; InvalidValue; SUCCESS",
            () -> {
              Pointer freed = device(4L);
              cudaFree(freed);
              return names(
                  cudaMemcpy(null, null, 0, 1),
                  cudaMemcpy(null, pageable(), 4, 1),
                  cudaMemcpy(device(4L), null, 4, 1),
                  cudaMemcpy(null, null, 4, 4),
                  cudaMemcpy(freed, pageable(), 0, 1));
            }),
        of(
            "cudaMemcpyAsync: kind 99; 0 bytes of null; between pageable memory",
            "InvalidMemcpyDirection; SUCCESS; SUCCESS",
            () ->
                names(
                    cudaMemcpyAsync(device(4L), pageable(), 4, 99, null),
                    cudaMemcpyAsync(null, null, 0, 1, null),
                    cudaMemcpyAsync(pageable(), pageable(), 4, 4, null))),
        of(
            "a copy to a symbol that is a host variable; null; its address; its size",
            "InvalidSymbol; InvalidSymbol; InvalidSymbol; InvalidSymbol",
            () ->
                names(
                    cudaMemcpyToSymbol(pageable(), pageable(), 4),
                    cudaMemcpyToSymbol(null, pageable(), 4),
                    cudaGetSymbolAddress(new Pointer(), pageable()),
                    cudaGetSymbolSize(new SizeTPointer(1), pageable()))),
        of(
            "cudaMemcpyPeer on a device; to device 9",
            "SUCCESS; InvalidDevice",
            () -> {
              Pointer d = ints(1, 2);
              return names(
                  cudaMemcpyPeer(device(4L), 0, d, 0, 4), cudaMemcpyPeer(device(4L), 9, d, 0, 4));
            }),
        of(
            "a copy that ends 1 byte behind its block: to the device; to the host; on the device",
            "InvalidValue; InvalidValue; InvalidValue",
            () ->
                names(
                    cudaMemcpy(device(64L), pageable(), 65, 1),
                    cudaMemcpy(pageable(), device(64L), 65, 2),
                    cudaMemcpy(device(64L), device(128L), 65, 3))),
        of(
            "cudaMemcpy3D: zeroed; without pointers; a source only; right; depth 0; too high",
            "SUCCESS; InvalidValue; InvalidValue; SUCCESS; SUCCESS; InvalidValue",
            () -> {
              cudaMemcpy3DParms box = new cudaMemcpy3DParms();
              int zeroed = cudaMemcpy3D(box);
              box.extent(make_cudaExtent(4, 1, 1));
              int none = cudaMemcpy3D(box);
              box.srcPtr(make_cudaPitchedPtr(pageable(), 4, 4, 1)).kind(cudaMemcpyHostToDevice);
              int source = cudaMemcpy3D(box);
              box.dstPtr(make_cudaPitchedPtr(device(64L), 4, 4, 1));
              int right = cudaMemcpy3D(box);
              box.extent().depth(0);
              int flat = cudaMemcpy3D(box);
              box.extent().depth(1).height(3);
              return names(zeroed, none, source, right, flat, cudaMemcpy3D(box));
            }),
        of(
            "42 copied to a constant's address; a variable that a kernel changes, read at once",
            "SUCCESS; 42; 8",
            () -> {
              CUmod_st module = module();
              Pointer constant = global(module, "constants");
              int status =
                  cudaMemcpy(constant, new IntPointer(new int[] {42}), 4, cudaMemcpyHostToDevice);
              Pointer variable = global(module, "variable");
              add(variable, 1, null);
              return say(name(status), read(constant), read(variable));
            }));
  }

  private static Pointer global(CUmod_st module, String name) {
    LongPointer found = new LongPointer(1);
    cuModuleGetGlobal(found, new SizeTPointer(1), module, name);
    return new PointerPointer<>(found).get(0);
  }

  static Stream<Answer> attributes() {
    String unknown = "type 0 device -2 devicePointer null hostPointer it";
    String host = "type 1 device 0 devicePointer it hostPointer it";
    return Stream.of(
        of("of the program's memory", unknown, () -> Answer.attributes(pageable())),
        of(
            "last error after that",
            "SUCCESS",
            () -> {
              Answer.attributes(pageable());
              return names(cudaGetLastError());
            }),
        of(
            "of null",
            "type 0 device -2 devicePointer null hostPointer null",
            () -> Answer.attributes(null)),
        of(
            "with a null result",
            "InvalidValue",
            () -> names(cudaPointerGetAttributes(null, device(4L)))),
        of(
            "of page-locked memory, 5 bytes inside",
            host,
            () -> Answer.attributes(plus(locked(64), 5))),
        of(
            "of freed page-locked memory",
            unknown,
            () -> {
              Pointer freed = locked(64);
              cudaFreeHost(freed);
              return Answer.attributes(freed);
            }),
        of(
            "of managed memory",
            "type 3 device 0 devicePointer it hostPointer it",
            () -> Answer.attributes(managed(64))),
        of(
            "of registered memory; unregistered again",
            host + "; " + unknown,
            () -> {
              Pointer own = pageable();
              cudaHostRegister(own, 64, 0);
              String registered = Answer.attributes(own);
              cudaHostUnregister(own);
              return say(registered, Answer.attributes(own));
            }),
        of(
            "of a device's memory",
            "type 2 device 0 devicePointer it hostPointer null",
            () -> Answer.attributes(device(4L))));
  }
}
