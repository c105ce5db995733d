package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.DEADLOCK;
import static org.vramkit.sim.hazard.HazardCode.DOUBLE_FREE;
import static org.vramkit.sim.hazard.HazardCode.ILLEGAL_ADDRESS;
import static org.vramkit.sim.hazard.HazardCode.INVALID_FREE;
import static org.vramkit.sim.hazard.HazardCode.NOT_PERMITTED;

import java.time.Duration;
import java.util.List;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.LeakKind;

/** Frees that are refused, leaks, fatal errors, the host: scenarios 15, 16, 24 and 25. */
final class LifeScenarios {
  private LifeScenarios() {}

  static List<Scenario> all() {
    return List.of(doubleFree(), invalidFree(), leaks(), fatal(), hostFunction(), deadlock());
  }

  private static void refusedFree(Scene scene, long address) {
    assertThrows(InvalidArgumentException.class, () -> scene.device.getMemory().free(address));
  }

  private static Scenario doubleFree() {
    return Scenario.of(
            "15",
            "plain memory freed twice",
            scene -> {
              scene.device.getMemory().free(scene.block);
              refusedFree(scene, scene.block);
            },
            DOUBLE_FREE)
        .twin("freed once", scene -> scene.device.getMemory().free(scene.block));
  }

  private static Scenario invalidFree() {
    return Scenario.of(
            "16",
            "addresses inside a block, of another device, and of nobody freed",
            scene -> {
              refusedFree(scene, scene.block + 512);
              refusedFree(scene, scene.other.getMemory().allocate(SIZE));
              refusedFree(scene, 0x1234);
            },
            INVALID_FREE,
            INVALID_FREE,
            INVALID_FREE)
        .twin(
            "each device frees its own",
            scene -> {
              long foreign = scene.other.getMemory().allocate(SIZE);
              scene.other.getMemory().free(foreign);
              scene.device.getMemory().free(scene.block);
            });
  }

  private static Scenario leaks() {
    return Scenario.leaving(
            "24",
            "a stream, an event and memory that nobody gives back",
            scene -> {
              scene.device.createStream();
              scene.device.createEvent();
              scene.device.getMemory().allocate(SIZE);
            },
            LeakKind.STREAM,
            LeakKind.EVENT,
            LeakKind.ALLOCATION)
        .twinLeavingNothing(
            "all of them closed, the stream before its work is done",
            scene -> {
              SimStream stream = scene.device.createStream();
              SimEvent event = scene.device.createEvent();
              long memory = scene.device.getMemory().allocate(SIZE);
              scene.write(stream, memory, SIZE);
              event.record(stream);
              stream.close();
              event.synchronize();
              event.close();
              scene.device.getMemory().free(memory);
            });
  }

  private static Scenario fatal() {
    return Scenario.of(
            "25",
            "a kernel on an illegal address; what fails after it is no new hazard",
            scene -> {
              scene.write(scene.s1, 0x1000, 16);
              assertThrows(FatalDeviceException.class, scene.s2::synchronize);
              assertThrows(FatalDeviceException.class, () -> scene.write(scene.s2));
              assertThrows(
                  FatalDeviceException.class, () -> scene.device.getMemory().free(scene.block));
              scene.s1.close();
            },
            ILLEGAL_ADDRESS)
        .twin(
            "an injected lack of memory leaves everything usable",
            scene -> {
              scene.backend.getFaults().failNext("cuMemAlloc", Fault.OUT_OF_MEMORY);
              assertThrows(
                  DeviceOutOfMemoryException.class, () -> scene.device.getMemory().allocate(SIZE));
              scene.write(scene.s1);
              scene.s1.synchronize();
              scene.device.getMemory().free(scene.block);
            })
        .with(builder -> builder.checker(CheckerOptions.DEFAULT.withFatalIllegalAccess(true)));
  }

  private static Scenario hostFunction() {
    return Scenario.of(
            "Host function:",
            "one that calls the driver",
            scene -> {
              scene.s1.callHost("careless", () -> scene.device.getMemory().allocate(SIZE));
              assertThrows(DriverException.class, scene.s1::synchronize);
            },
            NOT_PERMITTED)
        .twin(
            "one that does not, and the driver called after it",
            scene -> {
              scene.s1.callHost("careful", () -> {});
              scene.s1.synchronize();
              scene.device.getMemory().allocate(SIZE);
            });
  }

  private static Scenario deadlock() {
    return Scenario.of(
            "Deadlock:",
            "a host that waits for what only it can let go",
            scene -> {
              scene.s1.waitFor(scene.backend.createGate("start"));
              assertThrows(FatalDeviceException.class, scene.s1::synchronize);
            },
            DEADLOCK)
        .twin(
            "a host that opens the gate first",
            scene -> {
              SimGate gate = scene.backend.createGate("start");
              scene.s1.waitFor(gate);
              gate.open();
              scene.s1.synchronize();
            })
        .with(builder -> builder.patience(Duration.ofMillis(20)));
  }
}
