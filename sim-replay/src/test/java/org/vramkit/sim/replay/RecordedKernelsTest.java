package org.vramkit.sim.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("A recorded program with kernels of PTX")
class RecordedKernelsTest {
  private static final long BYTES = 4096;
  private static final long PAGE = 2 << 20;

  private static final String STORE =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry store(.param .u64 to)
      {
        .reg .b64 %rd<2>;
        ld.param.u64 %rd1, [to];
        st.global.u32 [%rd1], 7;
        ret;
      }
      """;

  private final SimBackend backend =
      SimBackend.builder().device(DeviceProfile.SMALL_8GIB).recorder(new ProgramRecorder()).build();
  private final SimDevice device = backend.getDevice(0);

  @AfterEach
  void nothingIsLeft() {
    assertEquals(List.of(), backend.getHazards());
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  @Test
  @DisplayName("has what captured ones access, once, but for memory that is newer than the capture")
  void capturedKernel() {
    KernelModule module = device.loadModule(STORE.getBytes(StandardCharsets.US_ASCII));
    SimStream stream = device.createStream();
    long first = device.getMemory().allocate(PAGE);
    long coming = first + PAGE;
    Graph older = captured(stream, module.getKernel("store"), coming);
    assertEquals(coming, device.getMemory().allocate(BYTES));
    Graph newer = captured(stream, module.getKernel("store"), coming);
    for (Graph each : List.of(older, newer, older, newer)) {
      each.launch(stream);
    }
    stream.synchronize();
    older.close();
    newer.close();
    module.close();
    stream.close();
    device.getMemory().free(first);
    device.getMemory().free(coming);
    Program program = Program.of(backend);
    List<Step> launches =
        program.steps().stream().filter(step -> step.kind() == StepKind.LAUNCH).toList();
    int memory =
        program.steps().stream()
            .filter(step -> step.kind() == StepKind.ALLOCATE)
            .mapToInt(Step::makes)
            .max()
            .orElseThrow();
    assertEquals(
        List.of(List.of(), List.of(new ByteRange(memory, 0, 4))),
        launches.stream().map(Step::writes).toList());
    ProgramRun again = ProgramRunner.run(program);
    assertEquals(List.of(), again.hazards());
    assertEquals(0, again.skipped());
  }

  private Graph captured(SimStream stream, Kernel kernel, long to) {
    device.getGraphs().beginCapture(stream);
    stream.launch(kernel, LaunchConfig.of(1, 1), to);
    return device.getGraphs().endCapture(stream);
  }
}
