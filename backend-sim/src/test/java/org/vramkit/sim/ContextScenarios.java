package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.sim.hazard.HazardCode.INVALID_HANDLE;
import static org.vramkit.sim.hazard.HazardCode.INVALID_VALUE;
import static org.vramkit.sim.hazard.HazardCode.NO_CONTEXT;
import static org.vramkit.sim.hazard.HazardCode.WRONG_DEVICE;

import java.util.List;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.CheckerOptions;

/** Contexts and handles: what is left of scenario 23, and arguments that the driver refuses. */
final class ContextScenarios {
  private ContextScenarios() {}

  static List<Scenario> all() {
    return List.of(noContext(), otherContext(), eventOfOtherDevice(), closedHandle(), brokenRule());
  }

  private static SimBackend.Builder requiringContext(SimBackend.Builder builder) {
    return builder.checker(CheckerOptions.DEFAULT.withRequireContext(true));
  }

  @SuppressWarnings("try") // the binding is held, not used
  private static void writeUnder(Scene scene, SimDevice current) {
    try (DeviceBinding binding = current.bind()) {
      scene.write(scene.s1);
    }
  }

  private static Scenario noContext() {
    return Scenario.of(
            "23", "a launch without a current context", scene -> scene.write(scene.s1), NO_CONTEXT)
        .twin("with the device's own current", scene -> writeUnder(scene, scene.device))
        .with(ContextScenarios::requiringContext);
  }

  private static Scenario otherContext() {
    return Scenario.of(
            "23",
            "a launch with another device's context current",
            scene -> writeUnder(scene, scene.other),
            WRONG_DEVICE)
        .twin(
            "each binding for its own device, one after the other",
            scene -> {
              scene.other.bind().close();
              writeUnder(scene, scene.device);
            })
        .with(ContextScenarios::requiringContext);
  }

  private static Scenario eventOfOtherDevice() {
    return Scenario.of(
            "23",
            "an event recorded on a stream of another device",
            scene -> {
              try (SimEvent event = scene.other.createEvent()) {
                assertThrows(InvalidArgumentException.class, () -> event.record(scene.s1));
              }
            },
            WRONG_DEVICE)
        .twin(
            "an event of another device that a stream waits for",
            scene -> {
              try (SimEvent event = scene.other.createEvent()) {
                event.record(scene.other.createStream());
                scene.s1.waitFor(event);
              }
            });
  }

  private static Scenario closedHandle() {
    return Scenario.of(
            "Handle:",
            "work on a closed stream",
            scene -> {
              scene.s1.close();
              assertThrows(ClosedException.class, () -> scene.write(scene.s1));
            },
            INVALID_HANDLE)
        .twin(
            "a stream closed twice, with work queued",
            scene -> {
              scene.write(scene.s1);
              scene.s1.close();
              scene.s1.close();
            });
  }

  private static Scenario brokenRule() {
    return Scenario.of(
            "Mapping:",
            "less than a page reserved",
            scene ->
                assertThrows(
                    InvalidArgumentException.class,
                    () -> scene.device.getVirtualMemory().reserve(4096)),
            INVALID_VALUE)
        .twin(
            "a page reserved and given back",
            scene -> {
              VirtualMemory memory = scene.device.getVirtualMemory();
              long page = memory.getGranularity();
              memory.unreserve(memory.reserve(page), page);
            });
  }
}
