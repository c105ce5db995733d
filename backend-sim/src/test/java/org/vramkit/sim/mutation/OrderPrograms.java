package org.vramkit.sim.mutation;

import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAR;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;
import static org.vramkit.sim.mutation.Lines.await;
import static org.vramkit.sim.mutation.Lines.copy;
import static org.vramkit.sim.mutation.Lines.fill;
import static org.vramkit.sim.mutation.Lines.read;
import static org.vramkit.sim.mutation.Lines.readPart;
import static org.vramkit.sim.mutation.Lines.record;
import static org.vramkit.sim.mutation.Lines.write;
import static org.vramkit.sim.mutation.Lines.writePart;

import java.util.List;

/** Streams that hand memory to each other by events. */
final class OrderPrograms {
  private OrderPrograms() {}

  static List<CorrectProgram> all() {
    return List.of(
        handOver(),
        pipeline(),
        forkJoin(),
        doubleBuffering(),
        chunks(),
        halves(),
        ring(),
        readersAndWriter(),
        transitive(),
        diamond(),
        haloExchange(),
        gather(),
        eventReuse(),
        recordedAgainAfterTheWait(),
        accumulation(),
        inPlaceCopies());
  }

  private static CorrectProgram handOver() {
    return CorrectProgram.of(
        "a hand-over",
        write("a", "x"),
        record("written", "a", RACE_RAW),
        await("b", "written", RACE_RAW),
        read("b", "x"));
  }

  private static CorrectProgram pipeline() {
    return CorrectProgram.of(
        "a pipeline of three stages",
        write("load", "x"),
        record("loaded", "load", RACE_RAW),
        await("compute", "loaded", RACE_RAW),
        copy("compute", "y", "x"),
        record("computed", "compute", RACE_RAW),
        await("store", "computed", RACE_RAW),
        read("store", "y"));
  }

  private static CorrectProgram forkJoin() {
    return CorrectProgram.of(
        "fork and join",
        write("main", "x"),
        write("main", "y"),
        record("toLeft", "main", RACE_RAW),
        record("toRight", "main", RACE_RAW),
        await("left", "toLeft", RACE_RAW),
        copy("left", "leftResult", "x"),
        await("right", "toRight", RACE_RAW),
        copy("right", "rightResult", "y"),
        record("leftDone", "left", RACE_RAW),
        record("rightDone", "right", RACE_RAW),
        await("main", "leftDone", RACE_RAW),
        await("main", "rightDone", RACE_RAW),
        read("main", "leftResult"),
        read("main", "rightResult"));
  }

  private static CorrectProgram doubleBuffering() {
    return CorrectProgram.of(
        "double buffering, two rounds",
        write("fill", "even"),
        record("even1", "fill", RACE_RAW),
        await("drain", "even1", RACE_RAW),
        read("drain", "even"),
        record("evenFree", "drain", RACE_WAR),
        write("fill", "odd"),
        record("odd1", "fill", RACE_RAW),
        await("drain", "odd1", RACE_RAW),
        read("drain", "odd"),
        record("oddFree", "drain", RACE_WAR),
        await("fill", "evenFree", RACE_WAR),
        write("fill", "even"),
        record("even2", "fill", RACE_RAW),
        await("drain", "even2", RACE_RAW),
        read("drain", "even"),
        await("fill", "oddFree", RACE_WAR),
        write("fill", "odd"),
        record("odd2", "fill", RACE_RAW),
        await("drain", "odd2", RACE_RAW),
        read("drain", "odd"));
  }

  private static CorrectProgram chunks() {
    return CorrectProgram.of(
        "a consumer that follows a producer chunk by chunk",
        writePart("produce", "x", 0, 3),
        record("first", "produce", RACE_RAW),
        writePart("produce", "x", 1, 3),
        record("second", "produce", RACE_RAW),
        writePart("produce", "x", 2, 3),
        record("third", "produce", RACE_RAW),
        await("consume", "first", RACE_RAW),
        readPart("consume", "x", 0, 3),
        await("consume", "second", RACE_RAW),
        readPart("consume", "x", 1, 3),
        await("consume", "third", RACE_RAW),
        readPart("consume", "x", 2, 3));
  }

  private static CorrectProgram halves() {
    return CorrectProgram.of(
        "two halves written side by side, read as a whole",
        writePart("a", "x", 0, 2),
        writePart("b", "x", 1, 2),
        record("lower", "a", RACE_RAW),
        record("upper", "b", RACE_RAW),
        await("c", "lower", RACE_RAW),
        await("c", "upper", RACE_RAW),
        read("c", "x"));
  }

  private static CorrectProgram ring() {
    return CorrectProgram.of(
        "a ring of three streams that overwrite one buffer",
        write("a", "x"),
        record("fromA", "a", RACE_WAW),
        await("b", "fromA", RACE_WAW),
        write("b", "x"),
        record("fromB", "b", RACE_WAW),
        await("c", "fromB", RACE_WAW),
        write("c", "x"),
        record("fromC", "c", RACE_WAW),
        await("a", "fromC", RACE_WAW),
        write("a", "x"));
  }

  private static CorrectProgram readersAndWriter() {
    return CorrectProgram.of(
        "two readers that a writer waits for",
        write("writer", "x"),
        record("toFirst", "writer", RACE_RAW),
        record("toSecond", "writer", RACE_RAW),
        await("first", "toFirst", RACE_RAW),
        await("second", "toSecond", RACE_RAW),
        read("first", "x"),
        read("second", "x"),
        record("firstDone", "first", RACE_WAR),
        record("secondDone", "second", RACE_WAR),
        await("writer", "firstDone", RACE_WAR),
        await("writer", "secondDone", RACE_WAR),
        write("writer", "x"));
  }

  private static CorrectProgram transitive() {
    return CorrectProgram.of(
        "order passed on by a stream that touches nothing of it",
        write("a", "x"),
        record("written", "a", RACE_RAW),
        await("between", "written", RACE_RAW),
        write("between", "y"),
        record("passed", "between", RACE_RAW),
        await("b", "passed", RACE_RAW),
        read("b", "x"));
  }

  private static CorrectProgram diamond() {
    return CorrectProgram.of(
        "a diamond whose corners combine",
        write("top", "x"),
        record("toLeft", "top", RACE_RAW),
        record("toRight", "top", RACE_RAW),
        await("left", "toLeft", RACE_RAW),
        await("right", "toRight", RACE_RAW),
        copy("left", "y", "x"),
        copy("right", "z", "x"),
        record("leftDone", "left", RACE_RAW),
        record("rightDone", "right", RACE_RAW),
        await("bottom", "leftDone", RACE_RAW),
        await("bottom", "rightDone", RACE_RAW),
        copy("bottom", "sum", "y"),
        read("bottom", "z"));
  }

  private static CorrectProgram haloExchange() {
    return CorrectProgram.of(
        "a stencil over two halves that exchange their edges",
        write("a", "leftEdge"),
        write("b", "rightEdge"),
        record("leftReady", "a", RACE_RAW),
        record("rightReady", "b", RACE_RAW),
        await("a", "rightReady", RACE_RAW),
        await("b", "leftReady", RACE_RAW),
        copy("a", "leftHalo", "rightEdge"),
        copy("b", "rightHalo", "leftEdge"),
        record("leftTaken", "b", RACE_WAR),
        record("rightTaken", "a", RACE_WAR),
        await("a", "leftTaken", RACE_WAR),
        await("b", "rightTaken", RACE_WAR),
        write("a", "leftEdge"),
        write("b", "rightEdge"));
  }

  private static CorrectProgram gather() {
    return CorrectProgram.of(
        "a gather from four workers",
        writePart("w0", "x", 0, 4),
        writePart("w1", "x", 1, 4),
        writePart("w2", "x", 2, 4),
        writePart("w3", "x", 3, 4),
        record("e0", "w0", RACE_RAW),
        record("e1", "w1", RACE_RAW),
        record("e2", "w2", RACE_RAW),
        record("e3", "w3", RACE_RAW),
        await("main", "e0", RACE_RAW),
        await("main", "e1", RACE_RAW),
        await("main", "e2", RACE_RAW),
        await("main", "e3", RACE_RAW),
        read("main", "x"));
  }

  private static CorrectProgram eventReuse() {
    return CorrectProgram.of(
        "one event that serves there and back",
        write("a", "x"),
        record("e", "a", RACE_RAW),
        await("b", "e", RACE_RAW),
        read("b", "x"),
        record("e", "b", RACE_WAR),
        await("a", "e", RACE_WAR),
        write("a", "x"));
  }

  private static CorrectProgram recordedAgainAfterTheWait() {
    return CorrectProgram.of(
        "an event recorded again once it was waited for",
        write("a", "x"),
        write("c", "y"),
        record("e", "a", RACE_RAW),
        await("b", "e", RACE_RAW),
        record("e", "c", RACE_RAW),
        await("d", "e", RACE_RAW),
        read("b", "x"),
        read("d", "y"));
  }

  private static CorrectProgram accumulation() {
    return CorrectProgram.of(
        "a sum that two streams add to in turn",
        fill("a", "sum"),
        record("cleared", "a", RACE_WAW),
        await("b", "cleared", RACE_WAW),
        write("b", "sum"),
        record("added", "b", RACE_RAW),
        await("a", "added", RACE_RAW),
        read("a", "sum"));
  }

  private static CorrectProgram inPlaceCopies() {
    return CorrectProgram.of(
        "copies there and back through a second buffer",
        write("a", "x"),
        record("written", "a", RACE_RAW),
        await("b", "written", RACE_RAW),
        copy("b", "y", "x"),
        record("copied", "b", RACE_RAW),
        await("a", "copied", RACE_RAW),
        copy("a", "x", "y"));
  }
}
