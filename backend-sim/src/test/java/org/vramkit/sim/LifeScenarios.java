package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.DEADLOCK;
import static org.vramkit.sim.hazard.HazardCode.DOUBLE_FREE;
import static org.vramkit.sim.hazard.HazardCode.ILLEGAL_ADDRESS;
import static org.vramkit.sim.hazard.HazardCode.INVALID_FREE;
import static org.vramkit.sim.hazard.HazardCode.NOT_PERMITTED;
import static org.vramkit.sim.hazard.HazardCode.STALE_HANDLE;

import java.time.Duration;
import java.util.List;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.device.VirtualMemory;
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
    return List.of(
        doubleFree(),
        staleHandle(),
        staleChunk(),
        invalidFree(),
        leaks(),
        leftMappings(),
        leftBlock(),
        fatal(),
        hostFunction(),
        deadlock());
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

  private static Scenario staleHandle() {
    return Scenario.of(
            "15",
            "plain memory freed again after it went to a new owner",
            scene -> {
              scene.device.getMemory().free(scene.block);
              long next = scene.device.getMemory().allocate(SIZE);
              refusedFree(scene, scene.block);
              scene.write(scene.s1, next, SIZE);
            },
            STALE_HANDLE)
        .twin(
            "freed, and the new owner's freed too",
            scene -> {
              scene.device.getMemory().free(scene.block);
              scene.device.getMemory().free(scene.device.getMemory().allocate(SIZE));
            });
  }

  private static Scenario staleChunk() {
    return Scenario.of(
            "15",
            "a chunk freed again that a driver pool has handed to a new owner",
            scene -> {
              StreamOrderedMemory memory = scene.device.getStreamOrderedMemory();
              long first = memory.allocate(SIZE, scene.s1);
              memory.free(first, scene.s1);
              memory.allocate(SIZE, scene.s1);
              assertThrows(InvalidArgumentException.class, () -> memory.free(first, scene.s1));
            },
            STALE_HANDLE)
        .twin(
            "each owner frees its own",
            scene -> {
              StreamOrderedMemory memory = scene.device.getStreamOrderedMemory();
              memory.free(memory.allocate(SIZE, scene.s1), scene.s1);
              memory.free(memory.allocate(SIZE, scene.s1), scene.s1);
            });
  }

  private static Scenario invalidFree() {
    return Scenario.of(
            "16",
            "addresses inside a block, and of nobody freed",
            scene -> {
              refusedFree(scene, scene.block + 512);
              refusedFree(scene, 0x1234);
            },
            INVALID_FREE,
            INVALID_FREE)
        .twin(
            "a device frees its own memory, and that of another one",
            scene -> {
              scene.device.getMemory().free(scene.other.getMemory().allocate(SIZE));
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

  private static Scenario leftMappings() {
    return Scenario.leaving(
            "24",
            "a page that stays mapped, and its addresses",
            scene -> {
              VirtualMemory memory = scene.device.getVirtualMemory();
              long page = memory.getGranularity();
              long range = memory.reserve(page);
              long handle = memory.create(page);
              memory.map(range, page, handle);
              memory.release(handle);
            },
            LeakKind.RESERVATION,
            LeakKind.MAPPING)
        .twinLeavingNothing(
            "unmapped and given back",
            scene -> {
              VirtualMemory memory = scene.device.getVirtualMemory();
              long page = memory.getGranularity();
              long range = memory.reserve(page);
              long handle = memory.create(page);
              memory.map(range, page, handle);
              memory.release(handle);
              memory.unmap(range, page);
              memory.unreserve(range, page);
            });
  }

  private static Scenario leftBlock() {
    return Scenario.leaving(
            "24",
            "a block of a pool that its user never closes",
            scene -> {
              long segment = scene.device.getMemory().allocate(SIZE);
              scene.handOut(segment, 512, scene.device.getDefaultStream());
            },
            LeakKind.ALLOCATION,
            LeakKind.BLOCK)
        .twinLeavingNothing(
            "closed, and its segment given back",
            scene -> {
              long segment = scene.device.getMemory().allocate(SIZE);
              scene.handOut(segment, 512, scene.device.getDefaultStream());
              scene.takeBack(segment, scene.device.getDefaultStream());
              scene.device.getDefaultStream().synchronize();
              scene.device.getMemory().free(segment);
            });
  }

  private static Scenario fatal() {
    return Scenario.of(
            "25",
            "a kernel on an illegal address; what fails after it is no new hazard",
            scene -> {
              scene.write(scene.s1, 0x1000, 16);
              assertThrows(FatalDeviceException.class, scene.s1::synchronize);
              assertThrows(FatalDeviceException.class, () -> scene.write(scene.s2));
              scene.device.getMemory().free(scene.block);
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
