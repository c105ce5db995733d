package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.UnwrittenReadPolicy;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Random users of a pool that hands out one block again and again")
class RandomPoolTest {
  private static final int PROGRAMS = 400;
  private static final int BYTES = 64;

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("are reported where nothing orders two kernels, and not where all rules are kept")
  void asTheOracle(Schedule schedule) {
    int racy = 0;
    int right = 0;
    for (long seed = 0; seed < PROGRAMS; seed++) {
      try (Program program = new Program(seed, schedule)) {
        program.run();
        List<HazardReport> reports = program.backend.getHazards();
        String story = "seed " + seed + ", " + program.story + ": " + reports;
        if (program.isRacy()) {
          assertFalse(reports.isEmpty(), story);
          racy++;
        } else if (program.broken == null) {
          assertEquals(List.of(), reports, story);
          right++;
        }
      }
    }
    assertTrue(
        racy > PROGRAMS / 4 && right > PROGRAMS / 8, racy + " are racy, " + right + " right");
  }

  /**
   * What comes before a point: all that does by the program's own doing, and all that does in fact,
   * because a pool made streams wait as well.
   */
  private record Before(BitSet program, BitSet all) {
    static Before nothing() {
      return new Before(new BitSet(), new BitSet());
    }

    Before copy() {
      Before copy = nothing();
      copy.join(this);
      return copy;
    }

    void join(Before other) {
      program.or(other.program);
      all.or(other.all);
    }

    void join(int number) {
      program.set(number);
      all.set(number);
    }
  }

  /** A kernel on the block, which one of its owners started. */
  private record Use(int number, int stream, int owner, boolean writes, Before before) {
    boolean isInConflict(Use other) {
      return writes || other.writes;
    }
  }

  private static final class Program implements AutoCloseable {
    private final SplittableRandom random;
    private final SimBackend backend;
    private final MemoryObserver observer;
    private final List<String> story = new ArrayList<>();
    private final List<Use> uses = new ArrayList<>();
    private final long block;
    private final SimStream[] streams = new SimStream[3];
    private final Before[] tails = new Before[streams.length];
    private final SimEvent[] events = new SimEvent[2];
    private final @Nullable Before[] marks = new Before[events.length];
    private final Before host = Before.nothing();

    /** What the pool has to wait for before it hands the block out again, and where that is. */
    private final Before given = Before.nothing();

    private final Set<Integer> givenBy = new TreeSet<>();
    private final List<SimEvent> givenAt = new ArrayList<>();

    /** Streams whose use of the block was recorded, with its own. */
    private final Set<Integer> told = new TreeSet<>();

    private int numbers;
    private int owner;
    private boolean live;
    private int stream;
    private int allocation;

    /** The first rule that the program has not kept; null while it keeps all. */
    private @Nullable String broken;

    Program(long seed, Schedule schedule) {
      random = new SplittableRandom(seed);
      CheckerOptions options =
          CheckerOptions.DEFAULT.withUnwrittenReads(UnwrittenReadPolicy.IGNORE);
      backend =
          SimBackend.builder()
              .device(DeviceProfile.SMALL_8GIB)
              .costModel(CostModel.FREE)
              .checker(options)
              .seed(seed)
              .schedule(schedule)
              .build();
      SimDevice device = backend.getDevice(0);
      observer = device.getMemoryObserver();
      block = device.getMemory().allocate(BYTES);
      for (int i = 0; i < streams.length; i++) {
        streams[i] = device.createStream();
        tails[i] = Before.nothing();
      }
      for (int i = 0; i < events.length; i++) {
        events[i] = device.createEvent();
      }
      if (random.nextBoolean()) {
        // Some of the order stays open, so that the history retains accesses.
        device.createStream().callHost("unrelated", () -> {});
      }
    }

    /** Returns whether two kernels in conflict are in no order, not even by the pool's doing. */
    boolean isRacy() {
      return uses.stream()
          .anyMatch(
              later ->
                  uses.stream()
                      .limit(uses.indexOf(later))
                      .filter(later::isInConflict)
                      .anyMatch(earlier -> !later.before.all.get(earlier.number)));
    }

    void run() {
      int steps = 6 + random.nextInt(18);
      for (int i = 0; i < steps; i++) {
        int on = random.nextInt(streams.length);
        int event = random.nextInt(events.length);
        switch (random.nextInt(14)) {
          case 0, 1, 2, 3 -> useOrHandOut(on);
          case 4, 5 -> record(event, on);
          case 6, 7, 8 -> await(event, on);
          case 9 -> synchronize(on);
          case 10 -> tell(on);
          case 11, 12 -> takeBack();
          default -> otherWork(on);
        }
      }
      backend.finish();
    }

    private void keep(boolean rule, String otherwise) {
      if (!rule && broken == null) {
        broken = otherwise;
      }
    }

    private Before before(int on) {
      tails[on].join(host);
      return tails[on];
    }

    private int queue(String name, int on) {
      story.add(numbers + " " + name + " on " + on);
      before(on).join(numbers);
      return numbers++;
    }

    private void otherWork(int on) {
      queue("other work", on);
      streams[on].launch(SimKernel.named("other").build());
    }

    private void useOrHandOut(int on) {
      if (!live) {
        handOut(on, random.nextInt(5) > 0);
        return;
      }
      boolean writes = random.nextInt(3) > 0;
      Before before = before(on).copy();
      int number = queue(writes ? "write" : "read", on);
      Use use = new Use(number, on, owner, writes, before);
      keep(before.program.get(allocation), "use before allocation");
      uses.stream()
          .filter(other -> other.owner == owner && other.isInConflict(use))
          .forEach(other -> keep(before.program.get(other.number), "race"));
      uses.add(use);
      SimKernel.Builder kernel = SimKernel.named("k" + number);
      streams[on].launch(
          (writes ? kernel.writes(block, BYTES) : kernel.reads(block, BYTES)).build());
    }

    private void record(int event, int on) {
      story.add("record " + event + " on " + on);
      marks[event] = before(on).copy();
      events[event].record(streams[on]);
    }

    private void await(int event, int on) {
      Before mark = marks[event];
      if (mark != null) {
        story.add("wait for " + event + " on " + on);
        tails[on].join(mark);
        streams[on].waitFor(events[event]);
      }
    }

    private void synchronize(int on) {
      story.add("wait of the host for " + on);
      host.join(tails[on]);
      streams[on].synchronize();
    }

    private void tell(int on) {
      if (live) {
        story.add("recorded use of " + on);
        told.add(on);
        observer.used(block, streams[on]);
      }
    }

    private void inPool(Consumer<MemoryObserver> calls) {
      observer.enterPool();
      calls.accept(observer);
      observer.leavePool();
    }

    private void takeBack() {
      if (!live) {
        return;
      }
      live = false;
      Before before = before(stream);
      uses.stream()
          .filter(use -> use.owner == owner && !told.contains(use.stream))
          .forEach(use -> keep(before.program.get(use.number), "use that is not recorded"));
      queue("close", stream);
      for (int on : told) {
        given.join(tails[on]);
        givenBy.add(on);
      }
      inPool(
          pool -> {
            pool.freed(block, streams[stream]);
            for (int on : told) {
              SimEvent mark = backend.getDevice(0).createEvent();
              mark.record(streams[on]);
              givenAt.add(mark);
            }
          });
    }

    private void handOut(int on, boolean waits) {
      keep(waits || Set.of(on).containsAll(givenBy), "reuse without a wait");
      inPool(
          pool -> {
            if (waits) {
              tails[on].all.or(given.all);
              givenAt.forEach(streams[on]::waitFor);
            }
            pool.allocated(block, BYTES, streams[on]);
          });
      allocation = queue(waits ? "allocation that waits" : "allocation", on);
      live = true;
      owner++;
      stream = on;
      told.clear();
      told.add(on);
    }

    @Override
    public void close() {
      backend.close();
    }
  }
}
