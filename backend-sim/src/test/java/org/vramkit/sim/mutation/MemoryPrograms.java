package org.vramkit.sim.mutation;

import static org.vramkit.sim.hazard.HazardCode.ACCESS_NOT_MAPPED;
import static org.vramkit.sim.hazard.HazardCode.FREE_BEFORE_ALLOC;
import static org.vramkit.sim.hazard.HazardCode.FREE_IN_FLIGHT;
import static org.vramkit.sim.hazard.HazardCode.FREE_RACE;
import static org.vramkit.sim.hazard.HazardCode.PEER_NOT_ENABLED;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAR;
import static org.vramkit.sim.hazard.HazardCode.UNMAP_UNDER_WORK;
import static org.vramkit.sim.hazard.HazardCode.USE_BEFORE_ALLOC;
import static org.vramkit.sim.mutation.Lines.allocate;
import static org.vramkit.sim.mutation.Lines.allowAccess;
import static org.vramkit.sim.mutation.Lines.await;
import static org.vramkit.sim.mutation.Lines.copy;
import static org.vramkit.sim.mutation.Lines.enablePeer;
import static org.vramkit.sim.mutation.Lines.free;
import static org.vramkit.sim.mutation.Lines.map;
import static org.vramkit.sim.mutation.Lines.memory;
import static org.vramkit.sim.mutation.Lines.read;
import static org.vramkit.sim.mutation.Lines.record;
import static org.vramkit.sim.mutation.Lines.reserve;
import static org.vramkit.sim.mutation.Lines.stream;
import static org.vramkit.sim.mutation.Lines.synchronize;
import static org.vramkit.sim.mutation.Lines.unmap;
import static org.vramkit.sim.mutation.Lines.write;

import java.util.List;

/** Memory that comes and goes, moves, or belongs to another device. */
final class MemoryPrograms {
  private MemoryPrograms() {}

  static List<CorrectProgram> all() {
    return List.of(
        streamOrdered(),
        streamOrderedFreedElsewhere(),
        streamOrderedThroughHost(),
        streamOrderedUsers(),
        plainFree(),
        plainFreeAfterTwo(),
        pageMoves(),
        peerRead(),
        allReduce());
  }

  private static CorrectProgram streamOrdered() {
    return CorrectProgram.of(
        "memory allocated and freed in stream order, used on another stream",
        allocate("x", "a"),
        record("allocated", "a", USE_BEFORE_ALLOC),
        await("b", "allocated", USE_BEFORE_ALLOC),
        write("b", "x"),
        record("used", "b", FREE_RACE),
        await("a", "used", FREE_RACE),
        free("x", "a"));
  }

  private static CorrectProgram streamOrderedFreedElsewhere() {
    return CorrectProgram.of(
        "memory allocated on one stream and freed on another",
        allocate("x", "a"),
        record("allocated", "a", FREE_BEFORE_ALLOC),
        await("b", "allocated", FREE_BEFORE_ALLOC),
        free("x", "b"));
  }

  private static CorrectProgram streamOrderedThroughHost() {
    return CorrectProgram.of(
        "memory in stream order whose order goes through the host",
        allocate("x", "a"),
        synchronize("a", USE_BEFORE_ALLOC),
        write("b", "x"),
        synchronize("b", FREE_RACE),
        free("x", "a"));
  }

  private static CorrectProgram streamOrderedUsers() {
    return CorrectProgram.of(
        "memory in stream order read by two streams before it is freed",
        allocate("x", "a"),
        write("a", "x"),
        synchronize("a", USE_BEFORE_ALLOC),
        read("b", "x"),
        record("readByB", "b", FREE_RACE),
        await("a", "readByB", FREE_RACE),
        free("x", "a"));
  }

  private static CorrectProgram plainFree() {
    return CorrectProgram.of(
        "plain memory freed after its last use",
        write("a", "x"),
        synchronize("a", FREE_IN_FLIGHT),
        free("x"));
  }

  private static CorrectProgram plainFreeAfterTwo() {
    return CorrectProgram.of(
        "plain memory freed after a stream that waited for the other",
        write("a", "x"),
        record("written", "a", RACE_RAW),
        await("b", "written", RACE_RAW),
        read("b", "x"),
        synchronize("b", FREE_IN_FLIGHT),
        free("x"));
  }

  private static CorrectProgram pageMoves() {
    return CorrectProgram.of(
        "a page that moves to other addresses",
        reserve("here"),
        reserve("there"),
        map("page", "here"),
        allowAccess("here", ACCESS_NOT_MAPPED),
        write("a", "here"),
        synchronize("a", UNMAP_UNDER_WORK),
        unmap("here"),
        map("page", "there"),
        allowAccess("there", ACCESS_NOT_MAPPED),
        write("b", "there"),
        synchronize("b", UNMAP_UNDER_WORK),
        unmap("there"));
  }

  private static CorrectProgram peerRead() {
    return CorrectProgram.of(
        "a device that reads another's memory",
        stream("b", 1),
        write("a", "x"),
        record("written", "a", RACE_RAW),
        await("b", "written", RACE_RAW),
        enablePeer(1, 0, PEER_NOT_ENABLED),
        read("b", "x"));
  }

  private static CorrectProgram allReduce() {
    return CorrectProgram.of(
        "an all-reduce over two devices, and the next round",
        stream("b", 1),
        memory("x1", 1),
        memory("y1", 1),
        write("a", "x0"),
        write("b", "x1"),
        record("ready0", "a", RACE_RAW),
        record("ready1", "b", RACE_RAW),
        await("a", "ready1", RACE_RAW),
        await("b", "ready0", RACE_RAW),
        copy("a", "y0", "x1"),
        copy("b", "y1", "x0"),
        record("taken1", "a", RACE_WAR),
        record("taken0", "b", RACE_WAR),
        await("a", "taken0", RACE_WAR),
        await("b", "taken1", RACE_WAR),
        write("a", "x0"),
        write("b", "x1"));
  }
}
