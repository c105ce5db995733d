package org.vramkit.sim.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.replay.RandomProgram.Fault;
import org.vramkit.sim.schedule.ChoiceException;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Shrinking a program")
class ProgramShrinkerTest {
  private static final ProgramShrinker SHRINKER = new ProgramShrinker();

  private static final List<Fault> FAULTS =
      List.of(Fault.MISSING_WAIT, Fault.EARLY_FREE, Fault.LATE_USE, Fault.OVERRUN);

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 20 * Integer.getInteger("vramkit.effort", 1));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @DisplayName("leaves at most 8 steps of a random program with one fault")
  void short8(long seed) {
    Fault fault = FAULTS.get((int) (seed % FAULTS.size()));
    Program program = RandomProgram.of(seed, fault);
    List<ReportSignature> before = ProgramRunner.run(program).getSignatures();
    assertEquals(1, before.size(), () -> "seed " + seed + ", " + fault + ": " + before);
    ShrunkProgram shrunk = SHRINKER.shrink(program);
    String told = "seed " + seed + ", " + fault + ":\n" + shrunk.program();
    assertEquals(before, ProgramRunner.run(shrunk.program()).getSignatures(), told);
    assertTrue(shrunk.program().steps().size() <= 8, told);
    assertTrue(shrunk.minimal(), told);
    assertEquals(shrunk.program(), SHRINKER.shrink(shrunk.program()).program(), told);
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  @DisplayName("does the same every time")
  void deterministic(Fault fault) {
    Program program = RandomProgram.of(7, fault == Fault.NONE ? Fault.OVERRUN : fault);
    assertEquals(SHRINKER.shrink(program), SHRINKER.shrink(program));
  }

  @Test
  @DisplayName("leaves no step out that the report needs")
  void minimal() {
    Program shrunk = SHRINKER.shrink(RandomProgram.of(3, Fault.LATE_USE)).program();
    for (int i = 0; i < shrunk.steps().size(); i++) {
      int without = i;
      Program less =
          shrunk.with(
              shrunk.steps().stream()
                  .filter(step -> step.number() != shrunk.steps().get(without).number())
                  .toList());
      assertTrue(
          ProgramRunner.run(less).hazards().isEmpty(), () -> shrunk + "without its " + without);
    }
  }

  @Test
  @DisplayName("drops the choices of a chosen schedule, which fit the whole program alone")
  void chosen() {
    Program timed = RandomProgram.of(3, Fault.LATE_USE);
    Program chosen = timed.on(timed.setup().withSchedule(Schedule.chosen(List.of(0, 99))));
    assertThrows(ChoiceException.class, () -> ProgramRunner.run(chosen));
    assertEquals(
        SHRINKER.shrink(timed).program().steps(), SHRINKER.shrink(chosen).program().steps());
  }

  @Test
  @DisplayName("refuses a program without a report")
  void correct() {
    Program program = RandomProgram.of(5, Fault.NONE);
    InvalidArgumentException refusal =
        assertThrows(InvalidArgumentException.class, () -> SHRINKER.shrink(program));
    assertTrue(String.valueOf(refusal.getMessage()).contains("no report"));
  }

  @Test
  @DisplayName("keeps the edges without which other reports would come")
  void oneReport() {
    Sketch sketch = new Sketch();
    int owner = sketch.stream();
    int reader = sketch.stream();
    int segment = sketch.allocate(8192);
    ByteRange block = new ByteRange(segment, 1024, 2048);
    int idle = sketch.event();
    sketch.tell(StepKind.TELL_ALLOCATED, owner, block);
    sketch.launch(owner, "fill", List.of(), List.of(block));
    sketch.record(idle, owner);
    sketch.waitFor(reader, idle);
    sketch.launch(reader, "sum", List.of(block), List.of());
    sketch.tell(StepKind.TELL_FREED, owner, block);
    sketch.tell(StepKind.TELL_ALLOCATED, owner, block);
    ShrunkProgram shrunk = SHRINKER.shrink(sketch.program(1));
    assertEquals(HazardCode.EARLY_REUSE.name(), shrunk.signature().code());
    assertEquals(1, shrunk.reports(), () -> shrunk.program().toString());
  }

  @Test
  @DisplayName("keeps the owner who gave the memory back too early")
  void firstOwner() {
    Sketch sketch = new Sketch();
    int owner = sketch.stream();
    int reader = sketch.stream();
    ByteRange block = new ByteRange(sketch.allocate(8192), 1024, 2048);
    sketch.tell(StepKind.TELL_ALLOCATED, owner, block);
    sketch.launch(owner, "fill", List.of(), List.of(block));
    sketch.synchronize(owner);
    sketch.launch(reader, "train", List.of(block), List.of());
    sketch.tell(StepKind.TELL_USED, reader, block);
    sketch.tell(StepKind.TELL_FREED, owner, block);
    sketch.tell(StepKind.TELL_ALLOCATED, owner, block);
    ShrunkProgram shrunk = SHRINKER.shrink(sketch.program(1));
    assertEquals(
        List.of(
            StepKind.TELL_ALLOCATED,
            StepKind.TELL_USED,
            StepKind.TELL_FREED,
            StepKind.TELL_ALLOCATED),
        shrunk.program().steps().stream().skip(3).map(Step::kind).toList(),
        () -> shrunk.program().toString());
    assertTrue(shrunk.report().contains("previous block"), shrunk.report());
  }

  @Test
  @DisplayName("loses other reports on the way")
  void otherReports() {
    Sketch sketch = new Sketch();
    int first = sketch.stream();
    int second = sketch.stream();
    int one = sketch.allocate(512);
    int two = sketch.allocate(512);
    sketch.launch(first, "a", List.of(), List.of(new ByteRange(one, 0, 512)));
    sketch.launch(second, "b", List.of(new ByteRange(one, 0, 512)), List.of());
    sketch.launch(first, "c", List.of(), List.of(new ByteRange(two, 0, 512)));
    sketch.launch(second, "d", List.of(), List.of(new ByteRange(two, 0, 512)));
    Program program = sketch.program(1);
    ReportSignature wanted = ProgramRunner.run(program).getSignatures().get(1);
    ShrunkProgram shrunk = SHRINKER.shrink(program, wanted);
    assertEquals(wanted, shrunk.signature());
    assertEquals(1, shrunk.reports());
    assertEquals(5, shrunk.program().steps().size(), () -> shrunk.program().toString());
  }

  @Test
  @DisplayName("merges threads if they do not matter")
  void threads() {
    Sketch sketch = new Sketch();
    int first = sketch.stream();
    int second = sketch.by("worker 1").stream();
    int memory = sketch.by("worker 2").allocate(512);
    List<ByteRange> all = List.of(new ByteRange(memory, 0, 512));
    sketch.by("worker 1").launch(first, "a", List.of(), all);
    sketch.by("worker 2").launch(second, "b", List.of(), all);
    ShrunkProgram shrunk = SHRINKER.shrink(sketch.program(1));
    assertEquals(List.of(ProgramThread.named("main")), shrunk.program().threads());
  }

  @Test
  @DisplayName("makes ranges and memory as small as the report allows")
  void ranges() {
    Sketch sketch = new Sketch();
    int first = sketch.stream();
    int second = sketch.stream();
    int memory = sketch.allocate(1 << 20);
    int other = sketch.allocate(1 << 20);
    ByteRange large = new ByteRange(memory, 4096, 1 << 16);
    ByteRange beside = new ByteRange(other, 4096, 1 << 16);
    sketch.launch(first, "fill", List.of(), List.of(beside));
    sketch.synchronizeDevice();
    sketch.launch(first, "a", List.of(beside), List.of(large));
    sketch.launch(second, "b", List.of(beside, large), List.of());
    Program shrunk = SHRINKER.shrink(sketch.program(1)).program();
    assertEquals(5, shrunk.steps().size(), shrunk::toString);
    ByteRange written = shrunk.steps().get(3).writes().get(0);
    assertEquals(new ByteRange(memory, 0, 1), written, shrunk::toString);
    assertEquals(1, shrunk.steps().get(2).value(), shrunk::toString);
  }

  @Test
  @DisplayName(
      "replaces a pool's reservations by plain allocations, if the report concerns its blocks")
  void plainMemory() {
    Sketch sketch = new Sketch();
    int owner = sketch.stream();
    ByteRange block = new ByteRange(sketch.mapped(1 << 21), 1 << 20, 512);
    sketch.tell(StepKind.TELL_ALLOCATED, owner, block);
    sketch.tell(StepKind.TELL_FREED, owner, block);
    sketch.launch(owner, "late", List.of(), List.of(block));
    Program shrunk = SHRINKER.shrink(sketch.program(1)).program();
    assertEquals(
        List.of(
            StepKind.CREATE_STREAM,
            StepKind.ALLOCATE,
            StepKind.TELL_ALLOCATED,
            StepKind.TELL_FREED,
            StepKind.LAUNCH),
        shrunk.steps().stream().map(Step::kind).toList(),
        shrunk::toString);
    assertEquals(1, shrunk.steps().get(1).value(), shrunk::toString);
  }

  @Test
  @DisplayName("stops when its runs are used up, and says so")
  void bounded() {
    ShrunkProgram shrunk = new ProgramShrinker(10).shrink(RandomProgram.of(1, Fault.OVERRUN));
    assertFalse(shrunk.minimal());
    assertTrue(shrunk.runs() <= 10, () -> shrunk.runs() + " runs");
  }
}
