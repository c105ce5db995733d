package org.vramkit.sim.mutation;

import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;
import static org.vramkit.sim.hazard.HazardCode.USE_BEFORE_ALLOC;
import static org.vramkit.sim.mutation.Lines.await;
import static org.vramkit.sim.mutation.Lines.giveBack;
import static org.vramkit.sim.mutation.Lines.read;
import static org.vramkit.sim.mutation.Lines.record;
import static org.vramkit.sim.mutation.Lines.recordUse;
import static org.vramkit.sim.mutation.Lines.synchronize;
import static org.vramkit.sim.mutation.Lines.take;
import static org.vramkit.sim.mutation.Lines.tellAllocated;
import static org.vramkit.sim.mutation.Lines.tellFreed;
import static org.vramkit.sim.mutation.Lines.write;

import java.util.List;

/** Users of a pool, and pools. */
final class PoolPrograms {
  private PoolPrograms() {}

  static List<CorrectProgram> all() {
    return List.of(
        recordedUse(),
        twoRecordedUses(),
        joinedBeforeFree(),
        hostWaitsBeforeFree(),
        recordedUseAndOtherOwner(),
        poolHandsOver(),
        poolMerges(),
        poolPassesThroughHost());
  }

  private static CorrectProgram recordedUse() {
    return CorrectProgram.of(
        "a block read on another stream, with the use recorded",
        take("x", "a"),
        write("a", "x"),
        record("written", "a", USE_BEFORE_ALLOC),
        await("b", "written", USE_BEFORE_ALLOC),
        read("b", "x"),
        recordUse("x", "b", EARLY_REUSE),
        giveBack("x"),
        take("y", "a"),
        write("a", "y"));
  }

  private static CorrectProgram twoRecordedUses() {
    return CorrectProgram.of(
        "a block read on two other streams, with both uses recorded",
        take("x", "a"),
        write("a", "x"),
        record("toB", "a", USE_BEFORE_ALLOC),
        record("toC", "a", USE_BEFORE_ALLOC),
        await("b", "toB", USE_BEFORE_ALLOC),
        await("c", "toC", USE_BEFORE_ALLOC),
        read("b", "x"),
        read("c", "x"),
        recordUse("x", "b", EARLY_REUSE),
        recordUse("x", "c", EARLY_REUSE),
        giveBack("x"),
        take("y", "a"),
        write("a", "y"));
  }

  private static CorrectProgram joinedBeforeFree() {
    return CorrectProgram.of(
        "a block whose stream waits for the reader before it is given back",
        take("x", "a"),
        write("a", "x"),
        record("written", "a", USE_BEFORE_ALLOC),
        await("b", "written", USE_BEFORE_ALLOC),
        read("b", "x"),
        record("read", "b", EARLY_REUSE),
        await("a", "read", EARLY_REUSE),
        giveBack("x"),
        take("y", "a"),
        write("a", "y"));
  }

  private static CorrectProgram hostWaitsBeforeFree() {
    return CorrectProgram.of(
        "a block whose reader the host waits for before it is given back",
        take("x", "a"),
        write("a", "x"),
        record("written", "a", USE_BEFORE_ALLOC),
        await("b", "written", USE_BEFORE_ALLOC),
        read("b", "x"),
        synchronize("b", EARLY_REUSE),
        giveBack("x"),
        take("y", "c"),
        write("c", "y"));
  }

  private static CorrectProgram recordedUseAndOtherOwner() {
    return CorrectProgram.of(
        "a block that goes to a third stream after a recorded use",
        take("x", "a"),
        write("a", "x"),
        record("written", "a", USE_BEFORE_ALLOC),
        await("b", "written", USE_BEFORE_ALLOC),
        read("b", "x"),
        recordUse("x", "b", EARLY_REUSE),
        giveBack("x"),
        take("y", "c"),
        write("c", "y"),
        giveBack("y"),
        take("z", "a"),
        write("a", "z"));
  }

  private static CorrectProgram poolHandsOver() {
    return CorrectProgram.of(
        "a pool that gives one stream's block to another",
        tellAllocated("x", 0, 1, "a"),
        write("a", "x"),
        tellFreed("x", 0, 1, "a"),
        record("freed", "a", EARLY_REUSE),
        await("b", "freed", EARLY_REUSE),
        tellAllocated("x", 0, 1, "b"),
        write("b", "x"));
  }

  private static CorrectProgram poolMerges() {
    return CorrectProgram.of(
        "a pool that merges blocks of two streams for a third",
        tellAllocated("x", 0, 2, "a"),
        tellAllocated("x", 1, 2, "b"),
        Lines.writePart("a", "x", 0, 2),
        Lines.writePart("b", "x", 1, 2),
        tellFreed("x", 0, 2, "a"),
        tellFreed("x", 1, 2, "b"),
        record("freedByA", "a", EARLY_REUSE),
        record("freedByB", "b", EARLY_REUSE),
        await("c", "freedByA", EARLY_REUSE),
        await("c", "freedByB", EARLY_REUSE),
        tellAllocated("x", 0, 1, "c"),
        write("c", "x"));
  }

  private static CorrectProgram poolPassesThroughHost() {
    return CorrectProgram.of(
        "a pool that waits on the host before it gives a block to another stream",
        tellAllocated("x", 0, 1, "a"),
        write("a", "x"),
        tellFreed("x", 0, 1, "a"),
        synchronize("a", EARLY_REUSE),
        tellAllocated("x", 0, 1, "b"),
        write("b", "x"));
  }
}
