package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.ACCESS_NOT_MAPPED;
import static org.vramkit.sim.hazard.HazardCode.FREE_BEFORE_ALLOC;
import static org.vramkit.sim.hazard.HazardCode.FREE_IN_FLIGHT;
import static org.vramkit.sim.hazard.HazardCode.FREE_RACE;
import static org.vramkit.sim.hazard.HazardCode.ILLEGAL_ADDRESS;
import static org.vramkit.sim.hazard.HazardCode.OUT_OF_BOUNDS;
import static org.vramkit.sim.hazard.HazardCode.PEER_NOT_ENABLED;
import static org.vramkit.sim.hazard.HazardCode.SUSPENDED_ACCESS;
import static org.vramkit.sim.hazard.HazardCode.UNMAP_UNDER_WORK;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;
import static org.vramkit.sim.hazard.HazardCode.USE_BEFORE_ALLOC;

import java.util.List;
import org.vramkit.api.device.VirtualMemory;

/** The driver's own memory: scenarios 8, 12 to 14, 16, 17, 23, and mapping. */
final class DriverMemoryScenarios {
  private DriverMemoryScenarios() {}

  static List<Scenario> all() {
    return List.of(
        freeInFlight(),
        useBeforeAllocation(),
        freeRace(),
        useAfterStreamFree(),
        useAfterPlainFree(),
        freeBeforeAllocation(),
        freeBesideGatedAllocation(),
        outOfBounds(),
        illegalAddress(),
        otherDevice(),
        notAccessible(),
        suspended(),
        unmapUnderWork(),
        accessUnderWork());
  }

  private static long allocate(Scene scene) {
    return scene.device.getStreamOrderedMemory().allocate(SIZE, scene.s1);
  }

  private static void free(Scene scene, long address, SimStream stream) {
    scene.device.getStreamOrderedMemory().free(address, stream);
  }

  private static Scenario freeInFlight() {
    return Scenario.of(
            "8",
            "plain memory freed under queued work",
            scene -> {
              scene.write(scene.s1);
              scene.device.getMemory().free(scene.block);
            },
            FREE_IN_FLIGHT)
        .twin(
            "freed after the stream was waited for",
            scene -> {
              scene.write(scene.s1);
              scene.s1.synchronize();
              scene.device.getMemory().free(scene.block);
            })
        .twin(
            "freed while other memory is worked on",
            scene -> {
              long other = scene.device.getMemory().allocate(SIZE);
              scene.write(scene.s1, other, SIZE);
              scene.device.getMemory().free(scene.block);
            });
  }

  private static Scenario useBeforeAllocation() {
    return Scenario.of(
            "12",
            "memory allocated in stream order, first used on another stream without an edge",
            scene -> scene.write(scene.s2, allocate(scene), SIZE),
            USE_BEFORE_ALLOC)
        .twin(
            "with the allocating stream synchronised by the host first",
            scene -> {
              long address = allocate(scene);
              scene.s1.synchronize();
              scene.write(scene.s2, address, SIZE);
            })
        .twin(
            "with the allocating stream waited for",
            scene -> {
              long address = allocate(scene);
              scene.order(scene.s1, scene.s2);
              scene.write(scene.s2, address, SIZE);
            });
  }

  private static Scenario freeRace() {
    return Scenario.of(
            "13",
            "a free in stream order that does not come after a use",
            scene -> {
              long address = allocate(scene);
              scene.order(scene.s1, scene.s2);
              scene.write(scene.s1, address, SIZE);
              free(scene, address, scene.s2);
            },
            FREE_RACE)
        .twin(
            "a free that waits for the stream that used the memory",
            scene -> {
              long address = allocate(scene);
              scene.write(scene.s1, address, SIZE);
              scene.order(scene.s1, scene.s2);
              free(scene, address, scene.s2);
            });
  }

  private static Scenario useAfterStreamFree() {
    return Scenario.of(
            "13",
            "work submitted after the free in stream order has returned",
            scene -> {
              long address = allocate(scene);
              scene.write(scene.s1, address, SIZE);
              free(scene, address, scene.s1);
              scene.write(scene.s1, address, SIZE);
            },
            USE_AFTER_FREE)
        .twin(
            "memory freed and allocated again on one stream",
            scene -> {
              free(scene, allocate(scene), scene.s1);
              scene.write(scene.s1, allocate(scene), SIZE);
            });
  }

  private static Scenario useAfterPlainFree() {
    return Scenario.of(
        "13",
        "plain memory used after its free",
        scene -> {
          scene.device.getMemory().free(scene.block);
          scene.write(scene.s1);
        },
        USE_AFTER_FREE);
  }

  private static Scenario freeBeforeAllocation() {
    return Scenario.of(
            "14",
            "a free on another stream that does not even come after the allocation",
            scene -> free(scene, allocate(scene), scene.s2),
            FREE_BEFORE_ALLOC)
        .twin(
            "a free on a stream that waits for the allocating one",
            scene -> {
              long address = allocate(scene);
              scene.order(scene.s1, scene.s2);
              free(scene, address, scene.s2);
            });
  }

  private static Scenario freeBesideGatedAllocation() {
    return Scenario.of(
            "14",
            "a free on another stream, beside an allocation behind a gate",
            scene -> {
              SimGate gate = scene.backend.createGate("start");
              scene.device.synchronize();
              scene.s1.waitFor(gate);
              free(scene, allocate(scene), scene.s2);
              gate.open();
            },
            FREE_BEFORE_ALLOC)
        .twin(
            "the host waits for the allocation before the free",
            scene -> {
              SimGate gate = scene.backend.createGate("start");
              scene.s1.waitFor(gate);
              long address = allocate(scene);
              gate.open();
              scene.s1.synchronize();
              free(scene, address, scene.s2);
            });
  }

  private static Scenario outOfBounds() {
    return Scenario.of(
            "17",
            "one byte past plain memory",
            scene -> scene.write(scene.s1, scene.block + SIZE - 1, 2),
            OUT_OF_BOUNDS)
        .twin(
            "the last byte of plain memory",
            scene -> scene.write(scene.s1, scene.block + SIZE - 1, 1));
  }

  private static Scenario illegalAddress() {
    return Scenario.of(
        "17",
        "an address that nobody ever had",
        scene -> scene.write(scene.s1, 0x1000, 16),
        ILLEGAL_ADDRESS);
  }

  private static Scenario otherDevice() {
    return Scenario.of(
            "23",
            "memory of another device without peer access",
            scene -> scene.write(scene.s1, scene.other.getMemory().allocate(SIZE), SIZE),
            PEER_NOT_ENABLED)
        .twin(
            "with peer access",
            scene -> {
              scene.device.getPeerAccess().enable(scene.other);
              scene.write(scene.s1, scene.other.getMemory().allocate(SIZE), SIZE);
            })
        .twin(
            "each device on its own memory, in order by an event",
            scene -> {
              SimStream theirs = scene.other.createStream();
              scene.write(scene.s1);
              scene.order(scene.s1, theirs);
              scene.write(theirs, scene.other.getMemory().allocate(SIZE), SIZE);
            });
  }

  /** Addresses of two pages with memory beneath them, and access to the first so many. */
  private static long map(Scene scene, int accessible) {
    VirtualMemory memory = scene.device.getVirtualMemory();
    long page = memory.getGranularity();
    long range = memory.reserve(2 * page);
    for (int i = 0; i < 2; i++) {
      long handle = memory.create(page);
      memory.map(range + i * page, page, handle);
      memory.release(handle);
    }
    if (accessible > 0) {
      memory.setAccess(range, accessible * page, scene.device);
    }
    return range;
  }

  private static long page(Scene scene) {
    return scene.device.getVirtualMemory().getGranularity();
  }

  private static Scenario notAccessible() {
    return Scenario.of(
            "Mapping:",
            "virtual memory used before it is accessible",
            scene -> scene.write(scene.s1, map(scene, 1), 2 * page(scene)),
            ACCESS_NOT_MAPPED)
        .twin(
            "with access to all of it",
            scene -> scene.write(scene.s1, map(scene, 2), 2 * page(scene)))
        .twin(
            "only what is accessible", scene -> scene.write(scene.s1, map(scene, 1), page(scene)));
  }

  private static Scenario suspended() {
    return Scenario.of(
            "45.4",
            "a block of a pool whose memory is away",
            scene -> {
              long range = suspend(scene);
              scene.write(scene.s1, range, SIZE);
            },
            SUSPENDED_ACCESS)
        .twin(
            "whose memory is back, and which is closed as any other",
            scene -> {
              long range = suspend(scene);
              VirtualMemory memory = scene.device.getVirtualMemory();
              long handle = memory.create(2 * page(scene));
              memory.map(range, 2 * page(scene), handle);
              memory.release(handle);
              memory.setAccess(range, 2 * page(scene), scene.device);
              scene.write(scene.s1, range, SIZE);
              scene.takeBack(range, scene.s1);
            })
        .twin(
            "which is closed without having come back",
            scene -> scene.takeBack(suspend(scene), scene.s1));
  }

  /** Takes the memory of a block away, which is written; returns where it is. */
  private static long suspend(Scene scene) {
    long range = map(scene, 2);
    scene.handOut(range, SIZE, scene.s1);
    scene.write(scene.s1, range, SIZE);
    scene.s1.synchronize();
    scene.device.getMemoryObserver().suspended(range, 2 * page(scene));
    scene.device.getVirtualMemory().unmap(range, 2 * page(scene));
    return range;
  }

  private static Scenario unmapUnderWork() {
    return Scenario.of(
            "Mapping:",
            "pages unmapped under queued work",
            scene -> {
              long range = map(scene, 2);
              scene.write(scene.s1, range, 2 * page(scene));
              scene.device.getVirtualMemory().unmap(range, page(scene));
            },
            UNMAP_UNDER_WORK)
        .twin(
            "once the work is known to be done",
            scene -> {
              long range = map(scene, 2);
              scene.write(scene.s1, range, 2 * page(scene));
              scene.s1.synchronize();
              scene.device.getVirtualMemory().unmap(range, page(scene));
            })
        .twin(
            "pages beside those that are worked on",
            scene -> {
              long range = map(scene, 2);
              scene.write(scene.s1, range, page(scene));
              scene.device.getVirtualMemory().unmap(range + page(scene), page(scene));
            });
  }

  private static Scenario accessUnderWork() {
    return Scenario.of(
            "Mapping:",
            "access taken away under queued work",
            scene -> {
              long range = map(scene, 2);
              scene.write(scene.s1, range, 2 * page(scene));
              scene
                  .device
                  .getVirtualMemory()
                  .removeAccess(range + page(scene), page(scene), scene.device);
            },
            ACCESS_NOT_MAPPED)
        .twin(
            "once the work is known to be done",
            scene -> {
              long range = map(scene, 2);
              scene.write(scene.s1, range, 2 * page(scene));
              scene.s1.synchronize();
              scene.device.getVirtualMemory().removeAccess(range, page(scene), scene.device);
            })
        .twin(
            "from a device without work there",
            scene -> {
              long range = map(scene, 2);
              scene.device.getVirtualMemory().setAccess(range, page(scene), scene.other);
              scene.write(scene.s1, range, 2 * page(scene));
              scene.device.getVirtualMemory().removeAccess(range, page(scene), scene.other);
            });
  }
}
