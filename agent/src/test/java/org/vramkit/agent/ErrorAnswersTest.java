package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.PointerPointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("As on an H200: names, texts and the last error:")
class ErrorAnswersTest {
  private static final String TEXTS =
      "0 no error; 1 invalid argument; 2 out of memory; 3 initialization error; 4 "
          + "driver shutting down; 9 invalid configuration argument; 12 invalid pitch "
          + "argument; 13 invalid device symbol; 20 invalid channel descriptor; 21 invalid "
          + "copy direction for memcpy; 34 CUDA driver is a stub library; 35 CUDA driver "
          + "version is insufficient for CUDA runtime version; 36 API call is not supported "
          + "in the installed CUDA driver; 46 CUDA-capable device(s) is/are busy or "
          + "unavailable; 98 invalid device function; 100 no CUDA-capable device is "
          + "detected; 101 invalid device ordinal; 200 device kernel image is invalid; 201 "
          + "invalid device context; 209 no kernel image is available for execution on the "
          + "device; 215 limit is not supported on this architecture; 217 peer access is not "
          + "supported between these two devices; 218 a PTX JIT compilation failed; 221 PTX "
          + "JIT compiler library not found; 222 the provided PTX was compiled with an "
          + "unsupported toolchain.; 300 device kernel image is invalid; 301 file not found; "
          + "304 OS call failed or operation not supported on this OS; 400 invalid resource "
          + "handle; 401 the operation cannot be performed in the present state; 500 named "
          + "symbol not found; 600 device not ready; 700 an illegal memory access was "
          + "encountered; 701 too many resources requested for launch; 702 the launch timed "
          + "out and was terminated; 704 peer access is already enabled; 705 peer access has "
          + "not been enabled; 708 cannot set while device is active in this process; 709 "
          + "context is destroyed; 710 device-side assert triggered; 712 part or all of the "
          + "requested memory range is already mapped; 713 pointer does not correspond to a "
          + "registered memory region; 714 hardware stack error; 715 an illegal instruction "
          + "was encountered; 716 misaligned address; 717 operation not supported on "
          + "global/shared address space; 718 invalid program counter; 719 unspecified "
          + "launch failure; 720 too many blocks in cooperative launch; 800 operation not "
          + "permitted; 801 operation not supported; 900 operation not permitted when stream "
          + "is capturing; 901 operation failed due to a previous error during capture; 902 "
          + "operation would result in a merge of separate capture sequences; 903 capture "
          + "was not ended in the same stream as it began; 904 capturing stream has unjoined "
          + "work; 905 dependency created on uncaptured work in another stream; 906 "
          + "operation would make the legacy stream depend on a capturing blocking stream; "
          + "907 operation not permitted on an event last recorded in a capturing stream; "
          + "908 attempt to terminate a thread-local capture sequence from another thread; "
          + "910 the graph update was not performed because it included changes which "
          + "violated constraints specific to instantiated graph update; 912 a kernel launch "
          + "error has occurred due to cluster misconfiguration; 913 the function handle is "
          + "not loaded when calling an API that requires a loaded function; 999 unknown "
          + "error";

  @ParameterizedTest(name = "{0}")
  @MethodSource({"texts", "errors"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  private static List<Integer> codes(boolean ofDriver) {
    PointerPointer<BytePointer> name = new PointerPointer<>(1);
    List<Integer> known = new ArrayList<>();
    for (int code = 0; code < 10_100; code++) {
      boolean isKnown =
          ofDriver
              ? cuGetErrorName(code, name) == 0
              : !cudaGetErrorName(code).getString().startsWith("unrec");
      if (isKnown) {
        known.add(code);
      }
    }
    return known;
  }

  private static String ofDriver(int code) {
    PointerPointer<BytePointer> text = new PointerPointer<>(1);
    return cuGetErrorString(code, text) == 0 ? text.get(BytePointer.class, 0).getString() : "none";
  }

  static Stream<Answer> texts() {
    return Stream.of(
        of(
            "codes that the runtime names; the driver; only the runtime",
            "134; 101; 35",
            () -> {
              List<Integer> runtime = codes(false);
              List<Integer> driver = codes(true);
              int both = runtime.size();
              runtime.removeAll(driver);
              return say(both, driver.size(), runtime.size());
            }),
        of(
            "codes of the driver whose texts of both interfaces are equal; different",
            "99; [202, 916]",
            () -> {
              List<Integer> codes = codes(true);
              List<Integer> different =
                  codes.stream()
                      .filter(code -> !cudaGetErrorString(code).getString().equals(ofDriver(code)))
                      .toList();
              return say(codes.size() - different.size(), different);
            }),
        of(
            "the driver's name of 9999: status; pointer",
            "1; null",
            () -> {
              PointerPointer<BytePointer> name = new PointerPointer<>(1);
              name.put(0, new BytePointer("before"));
              return say(cuGetErrorName(9999, name), name.get(BytePointer.class, 0));
            }),
        of(
            "texts",
            TEXTS,
            () ->
                Stream.of(TEXTS.split("; ", -1))
                    .map(each -> Integer.parseInt(each.split(" ", 2)[0]))
                    .map(code -> code + " " + cudaGetErrorString(code).getString())
                    .collect(Collectors.joining("; "))),
        of(
            "texts of the driver, of the codes that it knows",
            "true",
            () -> {
              List<Integer> known = codes(true);
              return Stream.of(TEXTS.split("; ", -1))
                  .map(each -> each.split(" ", 2))
                  .filter(each -> known.contains(Integer.valueOf(each[0])))
                  .allMatch(each -> each[1].equals(ofDriver(Integer.parseInt(each[0]))));
            }));
  }

  static Stream<Answer> errors() {
    return Stream.of(
        of(
            "an event that is not ready, a good launch, the last error",
            "NotReady; SUCCESS; SUCCESS",
            () -> {
              CUstream_st stream = stream();
              CUevent_st event = event();
              cudaMemsetAsync(device(64L), 1, 64, stream);
              cudaEventRecord(event, stream);
              return names(
                  cudaEventQuery(event), launch(function("tiny"), 1, 1, 0), cudaGetLastError());
            }),
        of(
            "the last error after five refused launches of the driver",
            "InvalidValue; SUCCESS",
            () -> {
              int status = 0;
              for (int i = 0; i < 5; i++) {
                status = cuLaunchKernel(function("tiny"), 0, 1, 1, 1, 1, 1, 0, null, null, null);
              }
              return names(status, cudaGetLastError());
            }),
        of(
            "launches of 64 x 64 threads; 65536 blocks in y; in z; 2^31 in x; 65 threads in z",
            "InvalidValue; InvalidValue; InvalidValue; InvalidValue; InvalidValue",
            () ->
                names(
                    shape(1, 1, 1, 64, 64, 1),
                    shape(1, 65_536, 1, 1, 1, 1),
                    shape(1, 1, 65_536, 1, 1, 1),
                    shape(Integer.MIN_VALUE, 1, 1, 1, 1, 1),
                    shape(1, 1, 1, 1, 1, 65))));
  }

  private static int shape(int gridX, int gridY, int gridZ, int x, int y, int z) {
    return cuLaunchKernel(function("tiny"), gridX, gridY, gridZ, x, y, z, 0, null, null, null);
  }
}
