package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAR;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;
import static org.vramkit.sim.hazard.HazardCode.USE_BEFORE_ALLOC;

import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Accesses that the history keeps when its ranges are cut or reused")
class KeptAccessesTest {
  private static final long PART = SIZE / 4;

  private static void launch(SimStream stream, AccessKind kind, long address, long bytes) {
    SimKernel.Builder kernel = SimKernel.named(kind.name().toLowerCase(Locale.ROOT));
    stream.launch(
        switch (kind) {
          case READ -> kernel.reads(address, bytes).build();
          case ATOMIC -> kernel.atomics(address, bytes).build();
          default -> kernel.writes(address, bytes).build();
        });
  }

  private static HazardCode raceWithWrite(AccessKind earlier) {
    return earlier == AccessKind.READ ? RACE_WAR : RACE_WAW;
  }

  @ParameterizedTest
  @DisplayName("7 an access to a whole range counts in the parts that a later write cuts off")
  @EnumSource(names = {"READ", "WRITE", "ATOMIC"})
  void cut(AccessKind earlier) {
    try (Scene scene = new Scene()) {
      scene.s1.fill(scene.block, (byte) 1, SIZE);
      scene.order(scene.s1, scene.s2);
      launch(scene.s1, earlier, scene.block, SIZE);
      scene.write(scene.s1, scene.block + PART, PART);
      scene.order(scene.s1, scene.s3);
      scene.write(scene.s3, scene.block, SIZE - PART);
      scene.write(scene.s2, scene.block + SIZE - PART, PART);
      scene.expect(raceWithWrite(earlier));
    }
  }

  @Test
  @DisplayName("7, twin: the parts are in order where the later stream waits for the access")
  void cutInOrder() {
    try (Scene scene = new Scene()) {
      scene.s1.fill(scene.block, (byte) 1, SIZE);
      scene.read(scene.s1);
      scene.write(scene.s1, scene.block + PART, PART);
      scene.order(scene.s1, scene.s2);
      scene.write(scene.s2, scene.block + SIZE - PART, PART);
      scene.expect();
    }
  }

  @Test
  @DisplayName("7 a race with one stream orders nothing with another")
  void twoReaders() {
    try (Scene scene = new Scene()) {
      long more = scene.device.getMemory().allocate(SIZE);
      scene.s2.fill(scene.block, (byte) 1, SIZE);
      scene.s2.fill(more, (byte) 1, SIZE);
      scene.order(scene.s2, scene.s1);
      scene.order(scene.s2, scene.s3);
      scene.read(scene.s3, more, SIZE);
      scene.read(scene.s1);
      scene.read(scene.s3);
      scene.write(scene.s2);
      scene.write(scene.s2, more, SIZE);
      scene.expect(RACE_WAR, RACE_WAR);
    }
  }

  @Test
  @DisplayName("1 a racing read of memory that is unwritten in part gives one report")
  void racingReadOfUnwrittenMemory() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1, scene.block, PART);
      scene.read(scene.s2);
      scene.expect(RACE_RAW);
    }
  }

  /** Lets a pool use a block on a second stream, take it back, and hand it out behind that work. */
  private static void reuseAfter(Scene scene, AccessKind use) {
    MemoryObserver pool = scene.device.getMemoryObserver();
    scene.handOut(scene.block, SIZE, scene.s1);
    scene.s1.fill(scene.block, (byte) 1, SIZE);
    scene.order(scene.s1, scene.s2);
    scene.order(scene.s1, scene.s3);
    pool.enterPool();
    launch(scene.s2, use, scene.block, SIZE);
    scene.takeBack(scene.block, scene.s1);
    scene.order(scene.s2, scene.s1);
    scene.handOut(scene.block, SIZE, scene.s1);
    pool.leavePool();
  }

  @ParameterizedTest
  @DisplayName(
      "12 a stream that knows an allocation must come after what the pool waited for, once")
  @EnumSource(names = {"READ", "WRITE", "ATOMIC"})
  void reused(AccessKind use) {
    try (Scene scene = new Scene()) {
      reuseAfter(scene, use);
      scene.write(scene.s3);
      scene.read(scene.s3);
      scene.expect(USE_BEFORE_ALLOC);
    }
  }

  @ParameterizedTest
  @DisplayName("12, twin: the stream of the pool's work may use the block at once")
  @EnumSource(names = {"READ", "WRITE", "ATOMIC"})
  void reusedInOrder(AccessKind use) {
    try (Scene scene = new Scene()) {
      reuseAfter(scene, use);
      scene.order(scene.s2, scene.s3);
      scene.write(scene.s3);
      scene.expect();
    }
  }

  /** A scene where a gate on a third stream keeps the order open, so that accesses are retained. */
  private static Scene gated() {
    Scene scene = new Scene();
    scene.s1.fill(scene.block, (byte) 1, SIZE);
    scene.order(scene.s1, scene.s2);
    scene.s3.waitFor(scene.backend.createGate("open order"));
    scene.write(scene.s3, scene.device.getMemory().allocate(SIZE), SIZE);
    return scene;
  }

  @Test
  @DisplayName("7 reads of two streams both count while a gate is closed elsewhere")
  void readsOfTwoStreams() {
    try (Scene scene = gated()) {
      scene.read(scene.s1);
      scene.read(scene.s2);
      scene.write(scene.s2);
      scene.expect(RACE_WAR);
    }
  }

  @ParameterizedTest
  @DisplayName(
      "1 a write counts behind a later read of its stream while a gate is closed elsewhere")
  @EnumSource(names = {"WRITE", "ATOMIC"})
  void writeBehindRead(AccessKind write) {
    try (Scene scene = gated()) {
      launch(scene.s1, write, scene.block, SIZE);
      scene.read(scene.s1);
      scene.read(scene.s2);
      scene.expect(RACE_RAW);
    }
  }

  @Test
  @DisplayName("3 the later of two writes counts while a gate is closed elsewhere")
  void laterWrite() {
    try (Scene scene = gated()) {
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.write(scene.s1);
      scene.write(scene.s2);
      scene.expect(RACE_WAW);
    }
  }

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  /** Hands the block to s1 and, after its work, to s2, while something on s2 leaves order open. */
  private static void passOn(
      Schedule schedule, BiConsumer<Scene, SimGate> open, HazardCode... expected) {
    passOn(schedule, open, scene -> {}, expected);
  }

  private static void passOn(
      Schedule schedule,
      BiConsumer<Scene, SimGate> open,
      Consumer<Scene> since,
      HazardCode... expected) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      MemoryObserver pool = scene.device.getMemoryObserver();
      SimGate gate = scene.backend.createGate("open order");
      open.accept(scene, gate);
      for (int round = 0; round < 3; round++) {
        SimStream owner = round % 2 == 0 ? scene.s1 : scene.s2;
        SimStream next = round % 2 == 0 ? scene.s2 : scene.s1;
        scene.handOut(scene.block, SIZE, owner);
        scene.write(owner);
        since.accept(scene);
        scene.takeBack(scene.block, owner);
        pool.enterPool();
        scene.order(owner, next);
        pool.leavePool();
      }
      // Hazards that were kept for the opening are reported by the end of this call.
      gate.open();
      scene.backend.finish();
      scene.expect(expected);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.5 a pool may pass a block to a stream on which a host function is queued")
  void passedToAStreamWithAFunction(Schedule schedule) {
    passOn(schedule, (scene, gate) -> scene.s2.callHost("unrelated", () -> {}));
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.5 a pool may pass a block to a stream that waits for a closed gate")
  void passedToAStreamBehindAGate(Schedule schedule) {
    passOn(schedule, (scene, gate) -> scene.s2.waitFor(gate));
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.5 a pool may pass on a block of a stream that waits for a closed gate")
  void passedFromAStreamBehindAGate(Schedule schedule) {
    passOn(schedule, (scene, gate) -> scene.s1.waitFor(gate));
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.5, racy: the next owner does not come after a use that was not recorded")
  void passedOnWithAnUnrecordedUse(Schedule schedule) {
    passOn(
        schedule,
        (scene, gate) -> scene.s2.callHost("unrelated", () -> {}),
        scene -> {
          if (scene.backend.getHazards().isEmpty()) {
            scene.order(scene.s1, scene.s3);
            scene.read(scene.s3);
          }
        },
        EARLY_REUSE);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.5, racy: a stream that knows neither the old owner nor the new one writes")
  void passedOnAndWrittenBesideIt(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      scene.s2.callHost("unrelated", () -> {});
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.write(scene.s2);
      scene.write(scene.s3);
      scene.backend.finish();
      scene.expect(RACE_WAW);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.5, racy: a write that a held write replaced still races with a write before it")
  void besideTheReplacedWrite(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      SimGate gate = scene.backend.createGate("order");
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.s2.waitFor(gate);
      scene.write(scene.s2);
      scene.write(scene.s3);
      scene.s3.synchronize();
      gate.open();
      scene.backend.finish();
      scene.expect(RACE_WAW);
    }
  }

  /** Starts that leave no order open, or keep some of it open during the program. */
  static Stream<Arguments> openOrders() {
    List<Consumer<Scene>> starts =
        List.of(
            scene -> {},
            scene -> scene.s2.callHost("unrelated", () -> {}),
            scene -> scene.other.createStream().callHost("unrelated", () -> {}),
            scene -> scene.other.createStream().waitFor(scene.backend.createGate("unrelated")));
    return Schedule.all().stream()
        .flatMap(schedule -> starts.stream().map(start -> Arguments.of(schedule, start)));
  }

  /**
   * Hands a block that s1 has written to s2, which does not use it, and on to s3. The pool makes s2
   * wait for s1; s3 knows only what s2 did before.
   */
  private static void passOnUnused(
      Schedule schedule,
      Consumer<Scene> start,
      int owners,
      Consumer<Scene> beforeTheLast,
      HazardCode... expected) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      MemoryObserver pool = scene.device.getMemoryObserver();
      long other = scene.device.getMemory().allocate(SIZE);
      start.accept(scene);
      scene.write(scene.s2, other, SIZE);
      scene.order(scene.s2, scene.s3);
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      scene.takeBack(scene.block, scene.s1);
      pool.enterPool();
      scene.order(scene.s1, scene.s2);
      for (int owner = 0; owner < owners; owner++) {
        scene.handOut(scene.block, SIZE, scene.s2);
        scene.takeBack(scene.block, scene.s2);
      }
      beforeTheLast.accept(scene);
      scene.handOut(scene.block, PART, scene.s3);
      pool.leavePool();
      scene.write(scene.s3, scene.block, PART);
      scene.takeBack(scene.block, scene.s3);
      scene.backend.finish();
      scene.expect(expected);
    }
  }

  @ParameterizedTest
  @MethodSource("openOrders")
  @DisplayName("43.5, racy: an owner without work does not hide the work before it from the next")
  void passedOnUnused(Schedule schedule, Consumer<Scene> start) {
    passOnUnused(schedule, start, 1, scene -> {}, EARLY_REUSE);
  }

  @ParameterizedTest
  @MethodSource("openOrders")
  @DisplayName("43.5, racy: nor do several such owners")
  void passedOnUnusedAgain(Schedule schedule, Consumer<Scene> start) {
    passOnUnused(schedule, start, 3, scene -> {}, EARLY_REUSE);
  }

  @ParameterizedTest
  @MethodSource("openOrders")
  @DisplayName(
      "43.5, twin: the next owner comes after that work, by the stream between or directly")
  void passedOnUnusedInOrder(Schedule schedule, Consumer<Scene> start) {
    passOnUnused(schedule, start, 2, scene -> scene.order(scene.s2, scene.s3));
    passOnUnused(schedule, start, 2, scene -> scene.order(scene.s1, scene.s3));
    passOnUnused(schedule, start, 2, scene -> scene.s1.synchronize());
  }
}
