package org.vramkit.sim.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.hazard.HazardCode;

@DisplayName("Running a stored program")
class ProgramRunnerTest {
  private static final long BYTES = 4096;

  private final Sketch sketch = new Sketch();
  private final int first = sketch.stream();
  private final int second = sketch.stream();
  private final int memory = sketch.allocate(BYTES);
  private final List<ByteRange> all = List.of(new ByteRange(memory, 0, BYTES));

  private ProgramRun run() {
    return ProgramRunner.run(sketch.program(1));
  }

  private static void expect(ProgramRun run, HazardCode... codes) {
    assertEquals(List.of(codes), run.hazards().stream().map(report -> report.code()).toList());
  }

  @Test
  @DisplayName("gives the report that its steps deserve")
  void race() {
    sketch.launch(first, "a", List.of(), all);
    sketch.launch(second, "b", all, List.of());
    ProgramRun run = run();
    expect(run, HazardCode.RACE_RAW);
    assertEquals(
        "RACE_RAW: WRITE by kernel a, then READ by kernel b, of an allocation",
        run.getSignatures().get(0).toString());
  }

  @Test
  @DisplayName("gives none where an event orders the streams")
  void ordered() {
    sketch.launch(first, "a", List.of(), all);
    int event = sketch.event();
    sketch.record(event, first);
    sketch.waitFor(second, event);
    sketch.launch(second, "b", all, List.of());
    expect(run());
  }

  @Test
  @DisplayName("takes a question answered with yes for a wait")
  void yes() {
    sketch.launch(first, "a", List.of(), all);
    sketch.query(StepKind.QUERY_STREAM, first, true);
    sketch.launch(second, "b", all, List.of());
    expect(run());
  }

  @Test
  @DisplayName("takes a question answered with no for nothing")
  void no() {
    sketch.launch(first, "a", List.of(), all);
    sketch.query(StepKind.QUERY_STREAM, first, false);
    sketch.launch(second, "b", all, List.of());
    expect(run(), HazardCode.RACE_RAW);
  }

  @Test
  @DisplayName("skips steps whose operands were never created, and steps that depend on them")
  void skipped() {
    sketch.launch(first, "a", List.of(), all);
    Program whole = sketch.program(1);
    Program part = whole.with(whole.steps().stream().filter(s -> s.makes() != memory).toList());
    ProgramRun run = ProgramRunner.run(part);
    assertEquals(1, run.skipped());
    assertEquals(2, run.program().steps().size());
  }

  @Test
  @DisplayName("fails again where the driver refused")
  void refusedAgain() {
    StepFailure refused =
        new StepFailure(
            "DeviceOutOfMemoryException", 2, "CUDA_ERROR_OUT_OF_MEMORY", "cuMemAlloc", true);
    sketch.failed(StepKind.ALLOCATE, BYTES, refused);
    int later = sketch.allocate(BYTES);
    sketch.free(later);
    ProgramRun run = run();
    assertEquals(refused, run.program().steps().get(3).failure());
    assertEquals(StepFailure.NONE, run.program().steps().get(4).failure());
  }

  @Test
  @DisplayName("reports a failed step and continues")
  void failedNow() {
    int tooMuch = sketch.allocate(1L << 40);
    sketch.free(tooMuch);
    sketch.free(memory);
    ProgramRun run = run();
    assertEquals(2, run.program().steps().get(3).failure().code());
    assertEquals(1, run.skipped());
    assertEquals(run.program(), ProgramRunner.run(run.program()).program());
  }
}
