package org.vramkit.sim.replay;

import java.util.Set;
import java.util.TreeSet;
import org.vramkit.api.device.Capability;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.program.OperandKind;
import org.vramkit.sim.program.Program;
import org.vramkit.sim.program.Step;

/** What a printed program imports: just what it names. */
final class Imports {
  private static final String API = "org.vramkit.api.device.";
  private static final String SIM = "org.vramkit.sim.";

  private Imports() {}

  static Set<String> of(Program program) {
    Set<String> names = new TreeSet<>();
    names.add(SIM + "DeviceProfile");
    names.add(SIM + "SimBackend");
    names.add(SIM + "schedule.Schedule");
    if (!program.setup().checker().equals(CheckerOptions.DEFAULT)) {
      names.add(SIM + "hazard.CheckerOptions");
    }
    for (int thread : ProgramPrinter.threads(program)) {
      names.add("java.util.concurrent.ExecutorService");
      names.add(
          program.threads().get(thread).worker()
              ? "java.util.concurrent.Executors"
              : SIM + "replay.SingleThread");
    }
    for (Step step : program.steps()) {
      add(step, names);
    }
    if (program.setup().devices().stream()
        .anyMatch(device -> device.capabilities().size() < Capability.values().length)) {
      names.add(API + "Capability");
    }
    return names;
  }

  private static void add(Step step, Set<String> names) {
    if (Statements.namesDevice(step) || step.kind().isAboutTwoDevices()) {
      names.add(SIM + "SimDevice");
    }
    if (step.makes() != 0 && step.kind().getMade() == OperandKind.STREAM) {
      names.add(SIM + "SimStream");
    }
    switch (step.kind()) {
      case CREATE_STREAM -> names.add(API + "StreamKind");
      case CREATE_EVENT -> names.add(SIM + "SimEvent");
      case CREATE_GATE -> names.add(SIM + "SimGate");
      case END_CAPTURE -> names.add(API + "Graph");
      case RELAX_CAPTURE -> names.add(API + "Graphs");
      case BIND -> names.add(API + "DeviceBinding");
      case CREATE_POOL -> names.add(API + "DriverPool");
      case DEFAULT_POOL -> names.add(API + "StreamOrderedMemory");
      case ALLOCATE_PINNED, ALLOCATE_MANAGED -> names.add(API + "PinnedBuffer");
      case REGISTER_PINNED -> {
        names.add(API + "PinnedBuffer");
        names.add("java.nio.ByteBuffer");
      }
      case SET_POOL_REUSE -> names.add(API + "DriverPoolReuse");
      case CREATE_HAND_OFF -> names.add(SIM + "HandOff");
      case END_THREAD -> names.add("java.util.concurrent.TimeUnit");
      case LAUNCH, LAUNCH_ATOMIC -> names.add(SIM + "SimKernel");
      case COPY_FROM_HOST, COPY_TO_HOST -> names.add("java.nio.ByteBuffer");
      default -> {}
    }
    if (step.changedByHost().isPresent()) {
      names.add("java.nio.ByteBuffer");
    }
    if (step.failure().isFailed()) {
      names.add(
          step.failure().type().equals("ClosedException")
              ? "org.vramkit.api.error.ClosedException"
              : "org.vramkit.api.error.GpuException");
    }
    if (Statements.isRefused(step)) {
      names.add(SIM + "driver.CallSelector");
      names.add(SIM + "driver.Fault");
      names.add(SIM + "driver.FaultPlan");
    }
    if (step.fault().isAny()) {
      names.add(SIM + "driver.FaultPlan");
      names.add(SIM + "driver.WorkSelector");
    }
  }
}
