package org.vramkit.sim.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

@DisplayName("A recorded race beside atomic operations happens again, if the same launch has")
class RecordedAtomicsTest {
  private static final String ADD =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry add(.param .u64 to)
      {
        .reg .b64 %rd<2>;
        .reg .b32 %r<4>;
        .reg .pred %p<2>;
        ld.param.u64 %rd1, [to];
        ld.global.u32 %r1, [%rd1+512];
        setp.eq.u32 %p1, %r1, 0;
        @%p1 bra ATOMIC;
        ld.global.u32 %r2, [%rd1];
        add.u32 %r2, %r2, 1;
        st.global.u32 [%rd1], %r2;
        ret;
      ATOMIC:
        atom.global.add.u32 %r3, [%rd1], 1;
        ret;
      }
      """;

  private final SimBackend backend =
      SimBackend.builder().device(DeviceProfile.SMALL_8GIB).recorder(new ProgramRecorder()).build();
  private final SimDevice device = backend.getDevice(0);
  private final SimStream one = device.createStream();
  private final SimStream other = device.createStream();
  private final long memory = device.getMemory().allocate(4096);

  private void racesAgain() {
    device.synchronize();
    assertFalse(backend.getHazards().isEmpty());
    ProgramRun again = ProgramRunner.run(Program.of(backend));
    assertEquals(
        backend.getHazards().stream().map(each -> each.code()).toList(),
        again.hazards().stream().map(each -> each.code()).toList());
    device.getMemory().free(memory);
    one.close();
    other.close();
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  @Test
  @DisplayName("atomic operations on other bytes")
  void besideOthers() {
    one.fill(memory, (byte) 0, 4096);
    device.synchronize();
    SimKernel kernel =
        SimKernel.named("sum")
            .reads(memory, 64)
            .writes(memory, 64)
            .atomics(memory + 512, 4)
            .build();
    one.launch(kernel);
    other.launch(kernel);
    racesAgain();
  }

  @Test
  @DisplayName("had atomic operations on the same bytes in an earlier launch of its graph")
  void inOneLaunchOfAGraph() {
    KernelModule module = device.loadModule(ADD.getBytes(StandardCharsets.US_ASCII));
    Kernel add = module.getKernel("add");
    one.fill(memory, (byte) 0, 4096);
    device.synchronize();
    device.getGraphs().beginCapture(one);
    one.launch(add, LaunchConfig.of(1, 1), memory);
    Graph graph = device.getGraphs().endCapture(one);
    graph.launch(one);
    one.fill(memory + 512, (byte) 1, 4);
    graph.launch(one);
    other.launch(SimKernel.named("count").atomics(memory, 4).build());
    device.synchronize();
    graph.close();
    module.close();
    racesAgain();
  }
}
