package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAR;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;
import static org.vramkit.sim.hazard.HazardCode.WAIT_ON_UNRECORDED_EVENT;

import java.util.List;
import org.vramkit.api.device.StreamKind;

/** Order between streams: scenarios 1 to 7, and 22 as far as it is about order. */
final class OrderScenarios {
  private OrderScenarios() {}

  static List<Scenario> all() {
    return List.of(
        noEdge(),
        longWayRound(),
        recordedTooEarly(),
        neverRecorded(),
        recordedAgain(),
        overlap(),
        writeAfterRead(),
        defaultStream(),
        gatedWrite());
  }

  private static Scenario noEdge() {
    return Scenario.of(
            "1",
            "a read on another stream without an edge",
            scene -> {
              scene.write(scene.s1);
              scene.read(scene.s2);
            },
            RACE_RAW)
        .twin(
            "the same on one stream",
            scene -> {
              scene.write(scene.s1);
              scene.read(scene.s1);
            })
        .twin(
            "a read before the write, waited for",
            scene -> {
              scene.write(scene.s2);
              scene.read(scene.s2);
              scene.order(scene.s2, scene.s1);
              scene.write(scene.s1);
            });
  }

  private static Scenario longWayRound() {
    return Scenario.of(
            "2",
            "an edge to a third stream only",
            scene -> {
              scene.write(scene.s1);
              scene.order(scene.s1, scene.s3);
              scene.read(scene.s2);
            },
            RACE_RAW)
        .twin(
            "an event recorded after the write and waited for",
            scene -> {
              scene.write(scene.s1);
              scene.order(scene.s1, scene.s2);
              scene.read(scene.s2);
            })
        .twin(
            "a host that waits for the stream",
            scene -> {
              scene.write(scene.s1);
              scene.s1.synchronize();
              scene.read(scene.s2);
            })
        .twin(
            "a host that waits for the device",
            scene -> {
              scene.write(scene.s1);
              scene.device.synchronize();
              scene.read(scene.s2);
            })
        .twin(
            "a host that asks until the stream is idle",
            scene -> {
              scene.write(scene.s1);
              scene.askUntilIdle(scene.s1);
              scene.write(scene.s3);
            })
        .twin(
            "order that passes from stream to stream to stream",
            scene -> {
              scene.write(scene.s1);
              scene.order(scene.s1, scene.s2);
              scene.order(scene.s2, scene.s3);
              scene.write(scene.s3);
            });
  }

  private static Scenario recordedTooEarly() {
    return Scenario.of(
            "3",
            "an event recorded one operation too early",
            scene -> {
              try (SimEvent event = scene.device.createEvent()) {
                event.record(scene.s1);
                scene.write(scene.s1);
                scene.s2.waitFor(event);
                scene.read(scene.s2);
              }
            },
            RACE_RAW)
        .twin(
            "one that is recorded between the write and unrelated work",
            scene -> {
              try (SimEvent event = scene.device.createEvent()) {
                long unrelated = scene.device.getMemory().allocate(SIZE);
                scene.write(scene.s1);
                event.record(scene.s1);
                scene.write(scene.s1, unrelated, SIZE);
                scene.s2.waitFor(event);
                scene.read(scene.s2);
              }
            });
  }

  private static Scenario neverRecorded() {
    return Scenario.of(
            "4",
            "a wait for an event that was never recorded",
            scene -> {
              try (SimEvent event = scene.device.createEvent()) {
                scene.write(scene.s1);
                scene.s2.waitFor(event);
                scene.read(scene.s2);
              }
            },
            RACE_RAW,
            WAIT_ON_UNRECORDED_EVENT)
        .twin(
            "recorded on a stream without work, by a program that needs no order",
            scene -> {
              try (SimEvent event = scene.device.createEvent()) {
                event.record(scene.s1);
                scene.s2.waitFor(event);
                scene.write(scene.s2);
              }
            });
  }

  private static Scenario recordedAgain() {
    return Scenario.of(
            "5",
            "an event recorded again elsewhere before the wait",
            scene -> {
              try (SimEvent event = scene.device.createEvent()) {
                scene.write(scene.s1);
                event.record(scene.s1);
                event.record(scene.s3);
                scene.s2.waitFor(event);
                scene.read(scene.s2);
              }
            },
            RACE_RAW)
        .twin(
            "recorded again after the wait was issued",
            scene -> {
              try (SimEvent event = scene.device.createEvent()) {
                scene.write(scene.s1);
                event.record(scene.s1);
                scene.s2.waitFor(event);
                event.record(scene.s3);
                scene.read(scene.s2);
              }
            })
        .twin(
            "recorded again on the same stream",
            scene -> {
              try (SimEvent event = scene.device.createEvent()) {
                event.record(scene.s1);
                scene.write(scene.s1);
                event.record(scene.s1);
                scene.s2.waitFor(event);
                scene.read(scene.s2);
              }
            });
  }

  private static Scenario overlap() {
    return Scenario.of(
            "6",
            "writes that overlap in one byte",
            scene -> {
              scene.write(scene.s1, scene.block, 100);
              scene.write(scene.s2, scene.block + 99, 100);
            },
            RACE_WAW)
        .twin(
            "writes of disjoint bytes of one block",
            scene -> {
              scene.write(scene.s1, scene.block, 100);
              scene.write(scene.s2, scene.block + 100, 100);
            })
        .twin(
            "a write between two that others write",
            scene -> {
              scene.write(scene.s1, scene.block, 100);
              scene.write(scene.s2, scene.block + 200, 100);
              scene.write(scene.s3, scene.block + 100, 100);
            });
  }

  private static Scenario writeAfterRead() {
    return Scenario.of(
            "7",
            "a write that does not wait for an earlier read",
            scene -> {
              scene.write(scene.s1);
              scene.s1.synchronize();
              scene.read(scene.s2);
              scene.write(scene.s1);
            },
            RACE_WAR)
        .twin(
            "with edges back from both readers",
            scene -> {
              scene.write(scene.s1);
              scene.s1.synchronize();
              scene.read(scene.s2);
              scene.read(scene.s3);
              scene.order(scene.s2, scene.s1);
              scene.order(scene.s3, scene.s1);
              scene.write(scene.s1);
            })
        .twin(
            "reads on three streams at once",
            scene -> {
              scene.write(scene.s1);
              scene.s1.synchronize();
              scene.read(scene.s1);
              scene.read(scene.s2);
              scene.read(scene.s3);
            });
  }

  private static Scenario defaultStream() {
    return Scenario.of(
            "22",
            "a non-blocking stream after work on the legacy default stream",
            scene -> {
              scene.write(scene.device.getDefaultStream());
              scene.read(scene.s1);
            },
            RACE_RAW)
        .twin(
            "the default stream between two blocking streams",
            scene -> {
              SimStream first = scene.device.createStream(StreamKind.BLOCKING);
              SimStream second = scene.device.createStream(StreamKind.BLOCKING);
              long between = scene.device.getMemory().allocate(SIZE);
              scene.write(first);
              scene.write(scene.device.getDefaultStream(), between, SIZE);
              scene.read(second);
            })
        .twin(
            "a blocking stream after the default stream",
            scene -> {
              SimStream blocking = scene.device.createStream(StreamKind.BLOCKING);
              scene.write(scene.device.getDefaultStream());
              scene.read(blocking);
            });
  }

  private static Scenario gatedWrite() {
    return Scenario.of(
            "6",
            "a write beside the first of two, of which a gate holds the second",
            scene -> {
              SimGate gate = scene.backend.createGate("gate");
              scene.write(scene.s1);
              scene.s1.waitFor(gate);
              scene.write(scene.s1);
              scene.write(scene.s2);
              scene.s2.synchronize();
              gate.open();
              scene.device.synchronize();
            },
            RACE_WAW)
        .twin(
            "behind the first",
            scene -> {
              SimGate gate = scene.backend.createGate("gate");
              scene.write(scene.s1);
              scene.order(scene.s1, scene.s2);
              scene.s1.waitFor(gate);
              scene.write(scene.s1);
              scene.write(scene.s2);
              scene.s2.synchronize();
              gate.open();
              scene.device.synchronize();
            });
  }
}
