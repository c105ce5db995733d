package org.vramkit.sim.mutation;

import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAR;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;
import static org.vramkit.sim.mutation.Lines.await;
import static org.vramkit.sim.mutation.Lines.barrier;
import static org.vramkit.sim.mutation.Lines.blocking;
import static org.vramkit.sim.mutation.Lines.close;
import static org.vramkit.sim.mutation.Lines.legacy;
import static org.vramkit.sim.mutation.Lines.pollEvent;
import static org.vramkit.sim.mutation.Lines.pollStream;
import static org.vramkit.sim.mutation.Lines.read;
import static org.vramkit.sim.mutation.Lines.record;
import static org.vramkit.sim.mutation.Lines.synchronize;
import static org.vramkit.sim.mutation.Lines.synchronizeDevice;
import static org.vramkit.sim.mutation.Lines.synchronizeEvent;
import static org.vramkit.sim.mutation.Lines.write;

import java.util.List;

/** Order through the host, and through the legacy default stream. */
final class HostPrograms {
  private HostPrograms() {}

  static List<CorrectProgram> all() {
    return List.of(
        streamSynchronized(),
        eventSynchronized(),
        deviceSynchronized(),
        eventAsked(),
        streamAsked(),
        hostRounds(),
        closedStream(),
        defaultStreamBetween(),
        defaultStreamLast(),
        defaultStreamAndNonBlocking());
  }

  private static CorrectProgram streamSynchronized() {
    return CorrectProgram.of(
        "a host that waits for a stream",
        write("a", "x"),
        synchronize("a", RACE_RAW),
        read("b", "x"));
  }

  private static CorrectProgram eventSynchronized() {
    return CorrectProgram.of(
        "a host that waits for an event",
        write("a", "x"),
        record("written", "a", RACE_RAW),
        synchronizeEvent("written", RACE_RAW),
        read("b", "x"));
  }

  private static CorrectProgram deviceSynchronized() {
    return CorrectProgram.of(
        "a host that waits for the device",
        write("a", "x"),
        synchronizeDevice(0, RACE_WAW),
        write("b", "x"));
  }

  private static CorrectProgram eventAsked() {
    return CorrectProgram.of(
        "a host that asks an event",
        write("a", "x"),
        record("written", "a", RACE_RAW),
        pollEvent("written", RACE_RAW),
        read("b", "x"));
  }

  private static CorrectProgram streamAsked() {
    return CorrectProgram.of(
        "a host that asks a stream", write("a", "x"), pollStream("a", RACE_WAW), write("b", "x"));
  }

  private static CorrectProgram hostRounds() {
    return CorrectProgram.of(
        "rounds in which the host waits in between",
        write("a", "x"),
        synchronize("a", RACE_RAW),
        read("b", "x"),
        synchronize("b", RACE_WAR),
        write("a", "x"),
        synchronize("a", RACE_WAW),
        write("c", "x"));
  }

  private static CorrectProgram closedStream() {
    return CorrectProgram.of(
        "a stream that is closed while its work goes on",
        write("a", "x"),
        record("written", "a", RACE_RAW),
        close("a"),
        await("b", "written", RACE_RAW),
        read("b", "x"));
  }

  private static CorrectProgram defaultStreamBetween() {
    return CorrectProgram.of(
        "the legacy default stream between two blocking streams",
        blocking("a"),
        blocking("b"),
        legacy("default"),
        write("a", "x"),
        barrier("default", "y", RACE_RAW),
        read("b", "x"));
  }

  private static CorrectProgram defaultStreamLast() {
    return CorrectProgram.of(
        "a host that waits for the legacy default stream, which waits for blocking ones",
        blocking("a"),
        legacy("default"),
        write("a", "x"),
        synchronize("default", RACE_RAW),
        read("c", "x"));
  }

  private static CorrectProgram defaultStreamAndNonBlocking() {
    return CorrectProgram.of(
        "the legacy default stream and one that does not wait for it",
        legacy("default"),
        write("default", "x"),
        record("written", "default", RACE_RAW),
        await("b", "written", RACE_RAW),
        read("b", "x"),
        record("read", "b", RACE_WAR),
        await("default", "read", RACE_WAR),
        write("default", "x"));
  }
}
