package org.vramkit.bench.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.ptx.Launch;
import org.vramkit.ptx.LaunchResult;
import org.vramkit.ptx.PtxModule;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.Dim3;

@DisplayName("58.6 The measured kernels")
class KernelLaunchesTest {
  private static final long BASE = 1L << 40;

  @ParameterizedTest
  @EnumSource
  @DisplayName("execute as many instructions as their rate is computed from")
  void instructions(KernelLaunches launch) {
    byte[] memory = new byte[3 * 4 * KernelLaunches.N];
    ByteBuffer parameters = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
    PtxModule module = PtxModule.parse("speed.ptx", KernelLaunches.ptx());
    int operands = launch == KernelLaunches.SAXPY || launch == KernelLaunches.REDUCTION ? 2 : 3;
    for (int i = 0; i < operands; i++) {
      parameters.putLong(BASE + 4L * KernelLaunches.N * i);
    }
    if (launch == KernelLaunches.SAXPY) {
      parameters.putFloat(2);
    }
    if (launch != KernelLaunches.REDUCTION) {
      parameters.putInt(launch == KernelLaunches.MATMUL ? KernelLaunches.SIDE : KernelLaunches.N);
    }
    byte[] bytes = Arrays.copyOf(parameters.array(), parameters.position());
    LaunchResult result =
        module
            .load(variable -> 0)
            .launch(
                Launch.of(
                        launch.getKernel(),
                        of(launch.getConfig().grid()),
                        of(launch.getConfig().block()))
                    .parameters(bytes),
                at -> new MemoryPiece(memory, 0, BASE, memory.length));
    assertTrue(result.completed(), () -> result.findings().toString());
    assertEquals(launch.getInstructions(), result.instructions());
  }

  private static Dim3 of(org.vramkit.api.device.Dim3 size) {
    return new Dim3(size.x(), size.y(), size.z());
  }
}
