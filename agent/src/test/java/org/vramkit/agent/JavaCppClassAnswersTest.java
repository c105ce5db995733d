package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;
import static org.vramkit.agent.JavaCppClassPrograms.*;

import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("JavaCPP's classes answer as with its native library:")
class JavaCppClassAnswersTest {
  private static final String DEALLOCATOR =
      "org.bytedeco.javacpp.Pointer$NativeDeallocator[ownerAddress=0x..,deallocatorAddress=0x..]";

  @ParameterizedTest(name = "{0}")
  @MethodSource({"structs", "pointers"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  static Stream<Answer> structs() {
    return Stream.of(
        of(
            "sizes of structs and handles",
            "1008; 88; 160; 128; 200; 32; 88; 12; 144; 56; 72; 8; 8; 8",
            () -> sizes()),
        of("are structs zeroed, on used memory", "true", () -> zeroed()),
        of(
            "an array of three: limits; its second: distance, limits; as text",
            "position 0 limit 3 capacity 3; 128; position 0 limit 2 capacity 2;"
                + " org.bytedeco.cuda.cudart.CUDA_MEMCPY2D_v2[address=0x..,position=0,limit=3,"
                + "capacity=3,deallocator="
                + DEALLOCATOR
                + "]",
            () -> array()),
        of(
            "extents: given; none; limits of an array",
            "5 6 7; 1 1 1; position 0 limit 8 capacity 8",
            () -> extents()),
        of(
            "nested: width read again; a setter returns this; owns; a copied pitch",
            "4; true; false; 7",
            () -> nested()),
        of("are 14 functions set; one more after a close", "true; true", () -> functions()),
        of("rows of a struct from position 1", "0; 0.0; 5.831554E-39", () -> rows()),
        of(
            "properties: status; name; its class and limits; memory",
            "0; NVIDIA H200; BytePointer position 0 limit 0 capacity 0; 150109880320",
            () -> properties()),
        of(
            "null handles: as text; equal to that of another class",
            "org.bytedeco.cuda.cudart.CUevent_st[address=0x..,position=0,limit=0,capacity=0,"
                + "deallocator=null]; false",
            () -> say(masked(new CUevent_st()), new CUstream_st().equals(new CUevent_st()))));
  }

  static Stream<Answer> pointers() {
    return Stream.of(
        of(
            "cudaMalloc of a null FloatPointer: status; limits; text",
            "0; position 0 limit 0 capacity 0; org.bytedeco.javacpp.FloatPointer[address=0x..,"
                + "position=0,limit=0,capacity=0,deallocator=null]",
            () -> {
              FloatPointer pointer = new FloatPointer((Pointer) null);
              return say(cudaMalloc(pointer, 64), limits(pointer), masked(pointer));
            }),
        of(
            "of one at position 2: limits; address mod 512; with the position in bytes",
            "position 2 limit 0 capacity 0; 510; 6",
            () -> {
              FloatPointer pointer = new FloatPointer((Pointer) null).position(2);
              cudaMalloc(pointer, 64);
              return say(
                  limits(pointer),
                  pointer.address() % 512,
                  (pointer.address() + 4 * pointer.position()) % 512);
            }),
        of(
            "of a list at position 1: the pointer in its slot",
            "Pointer position 0 limit 0 capacity 0",
            () -> {
              PointerPointer<Pointer> list = new PointerPointer<>(3);
              list.put(0, null).put(1, null).put(2, null);
              cudaMalloc(list.position(1), 64);
              Pointer read = list.position(0).get(1);
              return read.getClass().getSimpleName() + " " + limits(read);
            }),
        of(
            "last error after 1 PiB; after -1 bytes",
            "2 2; 2 2",
            () ->
                say(
                    cudaMalloc(new Pointer(), PETA) + " " + cudaGetLastError(),
                    cudaMalloc(new Pointer(), -1) + " " + cudaGetLastError())),
        of(
            "a copy from null; a new pointer; a null one",
            "1; 1; 1",
            () -> {
              Pointer d = device(4L);
              return say(
                  cudaMemcpy(d, null, 4, 1),
                  cudaMemcpy(d, new FloatPointer(), 4, 1),
                  cudaMemcpy(d, new FloatPointer((Pointer) null), 4, 1));
            }),
        of(
            "a plain pointer of one at position 4: status and the float",
            "0 1.0",
            () -> {
              FloatPointer counting = new FloatPointer(0, 1, 2, 3);
              Pointer d = device(4L);
              int status = cudaMemcpy(d, new Pointer(counting).position(4), 4, 1);
              FloatPointer read = new FloatPointer(1);
              cudaMemcpy(read, d, 4, 2);
              return status + " " + read.get();
            }),
        of(
            "a copy of the driver from an address 8 bytes further",
            "0 2.0",
            () -> {
              Pointer d = device(16L);
              cudaMemcpy(d, new FloatPointer(0, 1, 2, 3), 16, 1);
              FloatPointer read = new FloatPointer(1);
              int status = cuMemcpyDtoH(read, d.address() + 8, 4);
              return status + " " + read.get();
            }));
  }
}
