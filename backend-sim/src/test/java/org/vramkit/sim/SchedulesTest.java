package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.schedule.ChoiceException;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.sim.schedule.ScheduleSearch;

@DisplayName("Schedules: in which order queued work runs")
class SchedulesTest {
  private static final int STREAMS = 3;
  private static final int SEEDS = 20;

  static Stream<Schedule> schedules() {
    return Stream.concat(
        Schedule.all().stream(), Stream.of(Schedule.chosen(List.of()), Schedule.priorities(1)));
  }

  private static SimBackend backend(Schedule schedule, long seed) {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .costModel(CostModel.FREE)
        .schedule(schedule)
        .seed(seed)
        .build();
  }

  /** Streams add their numbers to one byte each, then one joins them all. */
  private static byte[] forkAndJoin(SimBackend gpu) {
    SimDevice device = gpu.getDevice(0);
    long block = device.getMemory().allocate(512);
    List<SimStream> streams = Stream.generate(device::createStream).limit(STREAMS).toList();
    streams.get(0).fill(block, (byte) 1, 8);
    try (SimEvent filled = device.createEvent()) {
      filled.record(streams.get(0));
      streams.forEach(stream -> stream.waitFor(filled));
    }
    for (int i = 0; i < 3 * STREAMS; i++) {
      int lane = i % STREAMS;
      long at = block + lane;
      byte add = (byte) (lane + 1);
      streams
          .get(lane)
          .launch(
              SimKernel.named("add")
                  .reads(at, 1)
                  .writes(at, 1)
                  .taking(1000L * add)
                  .body(bytes -> bytes.write(at, new byte[] {(byte) (bytes.read(at, 1)[0] + add)}))
                  .build());
    }
    for (SimStream stream : streams) {
      try (SimEvent done = device.createEvent()) {
        done.record(stream);
        streams.get(0).waitFor(done);
      }
    }
    ByteBuffer result = ByteBuffer.allocate(STREAMS);
    streams.get(0).copyToHost(result, block);
    device.synchronize();
    device.getMemory().free(block);
    streams.forEach(SimStream::close);
    assertEquals(List.of(), gpu.getHazards());
    assertEquals(List.of(), gpu.getLeaks());
    return result.array();
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A program that is in order gives the same bytes on every schedule and seed")
  void ordered(Schedule schedule) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      try (SimBackend gpu = backend(schedule, seed)) {
        assertArrayEquals(new byte[] {4, 7, 10}, forkAndJoin(gpu), "seed " + seed);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A schedule and a seed repeat a run exactly")
  void repeats(Schedule schedule) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      assertEquals(hash(schedule, seed), hash(schedule, seed), "seed " + seed);
    }
  }

  private static long hash(Schedule schedule, long seed) {
    try (SimBackend gpu = backend(schedule, seed)) {
      forkAndJoin(gpu);
      return gpu.getTraceHash();
    }
  }

  @Test
  @DisplayName("Seeds differ in what runs first")
  void seedsDiffer() {
    Set<Long> random = new HashSet<>();
    Set<Long> priorities = new HashSet<>();
    for (long seed = 1; seed <= SEEDS; seed++) {
      random.add(hash(Schedule.random(), seed));
      priorities.add(hash(Schedule.priorities(3), seed));
    }
    assertTrue(random.size() > SEEDS / 2, "different random runs: " + random.size());
    assertTrue(priorities.size() > 2, "different runs by priorities: " + priorities.size());
    assertNotEquals(hash(Schedule.eager(), 1), hash(Schedule.reverse(), 1));
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("The verdict on a race is the same on every schedule, whatever the bytes say")
  void verdict(Schedule schedule) {
    try (SimBackend gpu = backend(schedule, 1)) {
      SimDevice device = gpu.getDevice(0);
      long block = device.getMemory().allocate(512);
      SimStream first = device.createStream();
      SimStream second = device.createStream();
      first.fill(block, (byte) 1, 512);
      second.copyToHost(ByteBuffer.allocate(512), block);
      assertEquals(
          List.of(HazardCode.RACE_RAW),
          gpu.getHazards().stream().map(report -> report.code()).toList());
    }
  }

  @Test
  @DisplayName("Eager work runs when it is submitted; lazy work when a wait needs it")
  void eagerAndLazy() {
    assertEquals("[1, 2, first, second]", ran(Schedule.eager()));
    assertEquals("[0, 1, first, second]", ran(Schedule.lazy()));
    assertEquals("[0, 2, second, first]", ran(Schedule.reverse()));
  }

  /** How much has run before and after a wait for one of two streams, and all in its order. */
  private static String ran(Schedule schedule) {
    List<String> ran = new ArrayList<>();
    List<String> seen = new ArrayList<>();
    try (SimBackend gpu = backend(schedule, 1)) {
      SimDevice device = gpu.getDevice(0);
      long block = device.getMemory().allocate(1024);
      SimStream first = device.createStream();
      first.launch(adds("first", block, ran));
      SimStream second = device.createStream();
      seen.add(Integer.toString(ran.size()));
      second.launch(adds("second", block + 512, ran));
      first.synchronize();
      seen.add(Integer.toString(ran.size()));
    }
    seen.addAll(ran);
    return seen.toString();
  }

  private static SimKernel adds(String name, long address, List<String> ran) {
    return SimKernel.named(name).writes(address, 512).body(bytes -> ran.add(name)).build();
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName(
      "Queries answer the same on each schedule: yes for work that was waited"
          + " for, or queried often")
  void answers(Schedule schedule) {
    try (SimBackend gpu = backend(schedule, 1)) {
      SimDevice device = gpu.getDevice(0);
      long block = device.getMemory().allocate(512);
      SimStream stream = device.createStream();
      assertTrue(stream.isIdle());
      stream.fill(block, (byte) 1, 512);
      for (int i = 1; i < Schedule.QUESTIONS; i++) {
        assertFalse(stream.isIdle());
      }
      assertTrue(stream.isIdle());
      stream.fill(block, (byte) 1, 512);
      assertFalse(stream.isIdle());
      stream.synchronize();
      assertTrue(stream.isIdle());
      stream.fill(block, (byte) 1, 512);
      gpu.advance(1_000_000_000);
      assertTrue(stream.isIdle());
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A program that polls comes to an end")
  void polling(Schedule schedule) {
    try (SimBackend gpu = backend(schedule, 1)) {
      SimDevice device = gpu.getDevice(0);
      SimStream stream = device.createStream();
      stream.fill(device.getMemory().allocate(512), (byte) 1, 512);
      try (SimEvent event = device.createEvent()) {
        event.record(stream);
        int questions = 0;
        while (!event.isComplete()) {
          gpu.advance(1000);
          assertTrue(++questions < 1000, "still not done after " + questions + " questions");
        }
      }
      assertTrue(stream.isIdle());
    }
  }

  @Test
  @DisplayName("The search runs every order of a small program and finds the order that fails")
  void search() {
    ScheduleSearch search = new ScheduleSearch(1000);
    Set<Byte> results = new HashSet<>();
    while (search.hasNext()) {
      search.run(
          schedule -> {
            try (SimBackend gpu = backend(schedule, 1)) {
              results.add(threeWritersUnordered(gpu));
              return gpu.getChoices();
            }
          });
    }
    assertTrue(search.isComplete());
    assertEquals(Set.of((byte) 1, (byte) 2, (byte) 3), results);
    assertEquals(6, search.getRuns(), "orders of three pieces of work");
  }

  private static byte threeWritersUnordered(SimBackend gpu) {
    SimDevice device = gpu.getDevice(0);
    long block = device.getMemory().allocate(512);
    for (int i = 1; i <= 3; i++) {
      device.createStream().fill(block, (byte) i, 1);
    }
    device.synchronize();
    ByteBuffer result = ByteBuffer.allocate(1);
    device.createStream().copyToHost(result, block);
    return result.get(0);
  }

  @Test
  @DisplayName("A search that reaches its limit says that it is not complete")
  void searchLimit() {
    ScheduleSearch search = new ScheduleSearch(2);
    while (search.hasNext()) {
      search.run(
          schedule -> {
            try (SimBackend gpu = backend(schedule, 1)) {
              threeWritersUnordered(gpu);
              return gpu.getChoices();
            }
          });
    }
    assertEquals(2, search.getRuns());
    assertFalse(search.isComplete());
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A schedule is found again by its name")
  void names(Schedule schedule) {
    assertEquals(schedule, Schedule.of(schedule.getName()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "slow",
        "lazy:1",
        "timed:",
        "priorities:",
        "priorities:0",
        "priorities:257",
        "priorities:2147483647",
        "priorities:x",
        "chosen:1.x",
        "chosen:-1"
      })
  @DisplayName("Any other name is refused")
  void badNames(String name) {
    assertThrows(InvalidArgumentException.class, () -> Schedule.of(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "timed:", "slow"})
  @DisplayName("A property that names no schedule is refused by its name")
  void badProperty(String name) {
    String before = System.getProperty(Schedule.PROPERTY);
    System.setProperty(Schedule.PROPERTY, name);
    try {
      InvalidArgumentException refusal =
          assertThrows(InvalidArgumentException.class, SimBackend::builder);
      assertTrue(refusal.toString().contains(Schedule.PROPERTY), refusal.toString());
      assertTrue(refusal.toString().contains("'" + name + "'"), refusal.toString());
    } finally {
      restore(Schedule.PROPERTY, before);
    }
  }

  @Test
  @DisplayName("An empty property is no seed")
  void badSeed() {
    String before = System.getProperty(SimBackend.SEED_PROPERTY);
    System.setProperty(SimBackend.SEED_PROPERTY, "");
    try {
      InvalidArgumentException refusal =
          assertThrows(InvalidArgumentException.class, SimBackend::builder);
      assertTrue(refusal.toString().contains(SimBackend.SEED_PROPERTY), refusal.toString());
    } finally {
      restore(SimBackend.SEED_PROPERTY, before);
    }
  }

  private static void restore(String property, @Nullable String before) {
    if (before == null) {
      System.clearProperty(property);
    } else {
      System.setProperty(property, before);
    }
  }

  @Test
  @DisplayName("A choice that the program does not offer is named, and not bent to another")
  void badChoice() {
    try (SimBackend gpu = backend(Schedule.chosen(List.of(0, 7)), 1)) {
      ChoiceException refusal =
          assertThrows(ChoiceException.class, () -> threeWritersUnordered(gpu));
      assertTrue(
          refusal.toString().contains("chosen:0.7 takes possibility 7 as its choice 2"),
          refusal.toString());
    }
  }

  @Test
  @DisplayName("A search that is over gives no schedule and takes no run")
  void searchIsOver() {
    ScheduleSearch limited = new ScheduleSearch(1);
    limited.proceed(List.of(new ScheduleSearch.Choice(0, 2)));
    ScheduleSearch complete = new ScheduleSearch(9);
    complete.run(schedule -> List.of());
    for (ScheduleSearch search : List.of(limited, complete)) {
      assertFalse(search.hasNext());
      assertThrows(NoSuchElementException.class, search::getNext);
      assertThrows(NoSuchElementException.class, () -> search.proceed(List.of()));
      assertThrows(NoSuchElementException.class, () -> search.run(schedule -> List.of()));
      assertEquals(1, search.getRuns());
    }
  }

  @Test
  @DisplayName("A search notices a program that does not repeat itself")
  void searchOfFickleProgram() {
    ScheduleSearch search = new ScheduleSearch(9);
    search.proceed(List.of(new ScheduleSearch.Choice(0, 2)));
    ChoiceException missing = assertThrows(ChoiceException.class, () -> search.proceed(List.of()));
    assertTrue(missing.toString().contains("choice 1 of the run"), missing.toString());
    assertThrows(
        ChoiceException.class, () -> search.proceed(List.of(new ScheduleSearch.Choice(0, 2))));
  }
}
