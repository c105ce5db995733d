package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.driver.WorkSelector;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.replay.ProgramRun;
import org.vramkit.sim.replay.ProgramRunner;
import org.vramkit.sim.replay.Step;
import org.vramkit.sim.replay.StepFault;
import org.vramkit.sim.replay.StepKind;

@DisplayName("Injected faults are part of the program")
class PlannedFaultsProgramTest {
  @TempDir private Path folder = Path.of("");

  private static SimBackend backend(FaultPlan plan) {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .patience(Duration.ZERO)
        .faults(plan)
        .recorder(new ProgramRecorder())
        .build();
  }

  /** The program after a file, and what it does. */
  private ProgramRun again(SimBackend gpu) {
    Path file = folder.resolve("program.json");
    Program recorded = Program.of(gpu);
    recorded.store(file);
    ProgramRun run = ProgramRunner.run(Program.load(file));
    assertEquals(recorded, run.program());
    return run;
  }

  private static Step step(ProgramRun run, StepKind kind) {
    return run.program().steps().stream()
        .filter(step -> step.kind() == kind)
        .findFirst()
        .orElseThrow(() -> new AssertionError(run.program().toString()));
  }

  @Test
  @DisplayName("work that hangs hangs again, and what follows is its consequence, no new hazard")
  void hang() {
    SimBackend gpu = backend(FaultPlan.NONE.hang(WorkSelector.any().fromNth(2)));
    SimStream stream = gpu.getDevice(0).createStream();
    long block = gpu.getDevice(0).getMemory().allocate(64);
    stream.fill(block, (byte) 0, 64);
    stream.fill(block, (byte) 1, 64);
    assertThrows(FatalDeviceException.class, stream::synchronize);
    assertThrows(FatalDeviceException.class, gpu.getDevice(0)::createEvent);
    gpu.getDevice(0).getMemory().free(block);
    ProgramRun run = again(gpu);
    assertEquals(List.of(), run.hazards());
    assertEquals(702, step(run, StepKind.SYNCHRONIZE_STREAM).failure().code());
    assertEquals(702, step(run, StepKind.CREATE_EVENT).failure().code());
    assertEquals("", step(run, StepKind.FREE).failure().type());
    assertTrue(run.program().toString().contains("by plan: hangs"), run.program().toString());
  }

  @Test
  @DisplayName("hangs end where they did")
  void endOfHangs() {
    SimBackend gpu = backend(FaultPlan.NONE.hang(WorkSelector.any()));
    SimStream stream = gpu.getDevice(0).createStream();
    stream.launch(SimKernel.named("stuck").build());
    gpu.getFaults().endHangs();
    stream.synchronize();
    assertEquals("", step(again(gpu), StepKind.SYNCHRONIZE_STREAM).failure().type());
  }

  @Test
  @DisplayName("slow work is as slow again")
  void delay() {
    SimBackend gpu = backend(FaultPlan.NONE.slow(WorkSelector.any(), 3));
    SimStream stream = gpu.getDevice(0).createStream();
    stream.launch(SimKernel.named("slow").taking(1000).build());
    assertEquals(new StepFault(2000, false), step(again(gpu), StepKind.LAUNCH).fault());
  }

  @Test
  @DisplayName("refused calls are refused again, and a fatal refusal loses the device again")
  void refusals() {
    SimBackend gpu =
        backend(
            FaultPlan.NONE
                .fail(CallSelector.of("cuMemAlloc").withNth(1), Fault.OUT_OF_MEMORY)
                .fail(CallSelector.of("cuMemGetInfo"), Fault.FATAL));
    SimDevice device = gpu.getDevice(0);
    assertThrows(DeviceOutOfMemoryException.class, () -> device.getMemory().allocate(64));
    SimStream stream = device.createStream();
    // A call that is no step loses the device, and the next step tells so.
    assertThrows(FatalDeviceException.class, device::getMemoryInfo);
    assertThrows(FatalDeviceException.class, () -> stream.fill(64, (byte) 0, 1));
    ProgramRun run = again(gpu);
    assertTrue(step(run, StepKind.ALLOCATE).failure().planned());
    assertEquals(700, step(run, StepKind.FILL).failure().code());
    assertEquals(List.of(), run.hazards());
  }

  @Test
  @DisplayName("memory that another process took by plan is taken before the call that lacks it")
  void occupation() {
    long all = DeviceProfile.SMALL_8GIB.properties().totalMemoryBytes();
    SimBackend gpu = backend(FaultPlan.NONE.occupy(0, all, 1_000_000, Long.MAX_VALUE));
    gpu.advance(2_000_000);
    assertThrows(
        DeviceOutOfMemoryException.class, () -> gpu.getDevice(0).getMemory().allocate(all / 2));
    ProgramRun run = again(gpu);
    assertEquals(all, step(run, StepKind.OCCUPY).value());
    Step refused = step(run, StepKind.ALLOCATE);
    assertEquals(2, refused.failure().code());
    assertTrue(!refused.failure().planned(), refused::toString);
  }
}
