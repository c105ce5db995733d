package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.OrderOracle.Node;
import org.vramkit.sim.OrderOracle.Race;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

@DisplayName(
    "Random programs of kernels, functions, events, gates, waits and stream-ordered memory")
class RandomOrderTest {
  private static final int PROGRAMS = 200;
  private static final int BYTES = 64;

  /** Streams of their own, then one that follows the default stream, then that itself. */
  private static final int STREAMS = 5;

  private static final int BLOCKING = 3;
  private static final int DEFAULT = 4;

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("are reported just where an oracle knows a race, and of two kernels just those")
  void asTheOracle(Schedule schedule) {
    int racy = 0;
    for (long seed = 0; seed < PROGRAMS; seed++) {
      try (Program program = new Program(seed, schedule)) {
        program.run();
        List<Race> races = program.oracle.races();
        List<HazardReport> reports = program.backend.getHazards();
        String story = "seed " + seed + ", " + program.story + ": " + races + ", " + reports;
        assertEquals(races.isEmpty(), reports.isEmpty(), story);
        reports.forEach(report -> assertRace(races, report, story));
        racy += races.isEmpty() ? 0 : 1;
      }
    }
    assertTrue(racy > PROGRAMS / 4 && racy < PROGRAMS, racy + " programs are racy");
  }

  private static void assertRace(List<Race> races, HazardReport report, String story) {
    Access earlier = Objects.requireNonNull(report.earlier(), story);
    String one = earlier.operation();
    String other = report.later().operation();
    if (one.startsWith("kernel ") && other.startsWith("kernel ")) {
      assertTrue(races.stream().anyMatch(race -> race.isOf(one, other)), story);
    }
  }

  /**
   * One program over parts of a page-locked buffer, which devices and host all reach, and over
   * blocks of the driver's pools.
   */
  private static final class Program implements AutoCloseable {
    private final SplittableRandom random;
    private final SimBackend backend;
    private final SimDevice device;
    private final OrderOracle oracle = new OrderOracle();
    private final List<String> story = new ArrayList<>();
    private final PinnedBuffer buffer;
    private final SimStream[] streams = new SimStream[STREAMS];
    private final Node[] tails = new Node[streams.length];

    /** What a wait for each stream waits for: for a blocking one, no record of an event. */
    private final Node[] observed = new Node[streams.length];

    private final SimEvent[] events = new SimEvent[2];
    private final @Nullable Node[] marks = new Node[events.length];
    private final List<SimGate> gates = new ArrayList<>();

    /** Where streams wait for gates that are closed, in the order of the gates. */
    private final List<Node> closed = new ArrayList<>();

    /** The block that was allocated and not freed, and how many there were. */
    private @Nullable Block block;

    private int blocks;
    private Node host = oracle.node("the start");

    /** Its bytes follow those of the buffer, and of all blocks before it, in the oracle. */
    private record Block(DriverPool pool, long address, long start) {}

    Program(long seed, Schedule schedule) {
      random = new SplittableRandom(seed);
      backend =
          SimBackend.builder()
              .device(DeviceProfile.SMALL_8GIB)
              .costModel(CostModel.FREE)
              .seed(seed)
              .schedule(schedule)
              .build();
      device = backend.getDevice(0);
      buffer = device.getManagedMemory().allocate(BYTES);
      for (int i = 0; i < streams.length; i++) {
        streams[i] =
            i == DEFAULT
                ? device.getDefaultStream()
                : device.createStream(
                    i == BLOCKING ? StreamKind.BLOCKING : StreamKind.NON_BLOCKING);
        tails[i] = host;
        observed[i] = host;
      }
      for (int i = 0; i < events.length; i++) {
        events[i] = device.createEvent();
      }
    }

    void run() {
      int steps = 6 + random.nextInt(12);
      for (int i = 0; i < steps; i++) {
        step(i, random.nextInt(streams.length), random.nextInt(events.length));
      }
      while (!closed.isEmpty()) {
        open();
      }
      device.synchronize();
    }

    private void step(int number, int stream, int event) {
      long start = 8L * random.nextInt(3);
      long bytes = 8L * (1 + random.nextInt(2));
      boolean writes = random.nextBoolean();
      switch (random.nextInt(16)) {
        case 0, 1, 2 -> launch("k" + number, stream, start, bytes, writes);
        case 3, 4, 5 -> call("f" + number, stream, start, bytes, writes);
        case 6 -> record(event, stream);
        case 7 -> await(event, stream);
        case 8 -> synchronize(stream);
        case 9 -> synchronizeEvent(event);
        case 10 -> touch(start, bytes, writes);
        case 11 -> synchronizeDevice();
        case 12 -> hold(stream);
        case 13, 14 -> useBlock(number, stream);
        default -> open();
      }
    }

    private Node queue(String name, int stream) {
      story.add(name + " on " + stream);
      Node node = oracle.node(name).after(tails[stream]).after(tails[followed(stream)]).after(host);
      tails[stream] = node;
      observed[stream] = node;
      return node;
    }

    /** The stream that another one follows with all that it is given; itself, if there is none. */
    private static int followed(int stream) {
      return stream == DEFAULT ? BLOCKING : stream == BLOCKING ? DEFAULT : stream;
    }

    private boolean isHeld(int stream) {
      return oracle.isBehind(tails[stream], closed)
          || oracle.isBehind(tails[followed(stream)], closed);
    }

    /** Allocates a block in stream order, writes it, or frees it. */
    private void useBlock(int number, int stream) {
      Block live = block;
      if (live == null) {
        // Each of a pool of its own: where one reuses memory it lets streams wait for each other.
        DriverPool pool = device.getDriverPools().create(0);
        long start = (long) BYTES * ++blocks;
        queue("allocation", stream).touches(start, BYTES, true);
        block = new Block(pool, pool.allocate(BYTES, streams[stream]), start);
      } else if (random.nextInt(3) > 0) {
        queue("kernel b" + number, stream).touches(live.start, BYTES, true);
        streams[stream].launch(SimKernel.named("b" + number).writes(live.address, BYTES).build());
      } else {
        free(live, stream);
      }
    }

    private void free(Block live, int stream) {
      queue("free", stream).touches(live.start, BYTES, true);
      live.pool.free(live.address, streams[stream]);
      live.pool.close();
      block = null;
    }

    private void launch(String name, int stream, long start, long bytes, boolean writes) {
      queue("kernel " + name, stream).touches(start, bytes, writes);
      SimKernel.Builder kernel = SimKernel.named(name).taking(1 + random.nextInt(1000));
      long address = buffer.getAddress() + start;
      streams[stream].launch(
          (writes ? kernel.writes(address, bytes) : kernel.reads(address, bytes)).build());
    }

    private void call(String name, int stream, long start, long bytes, boolean writes) {
      queue("function " + name, stream).touches(start, bytes, writes);
      streams[stream].callHost(name, () -> touchBuffer(start, bytes, writes));
    }

    private void touchBuffer(long start, long bytes, boolean writes) {
      if (writes) {
        buffer.hostWrites(start, bytes);
      } else {
        buffer.hostReads(start, bytes);
      }
    }

    private void record(int event, int stream) {
      Node before = observed[stream];
      marks[event] = queue("record of " + event, stream);
      observed[stream] = stream == BLOCKING ? before : tails[stream];
      events[event].record(streams[stream]);
    }

    private void await(int event, int stream) {
      Node mark = marks[event];
      if (mark != null) {
        queue("wait for " + event, stream).after(mark);
        streams[stream].waitFor(events[event]);
      }
    }

    private void synchronize(int stream) {
      if (stream == DEFAULT ? !isHeld(stream) : !oracle.isBehind(observed[stream], closed)) {
        Node end = stream == DEFAULT ? queue("its end", stream) : observed[stream];
        onHost("wait for stream " + stream).after(end);
        streams[stream].synchronize();
      }
    }

    private void synchronizeEvent(int event) {
      Node mark = marks[event];
      if (mark != null && !oracle.isBehind(mark, closed)) {
        onHost("wait for event " + event).after(mark);
        events[event].synchronize();
      }
    }

    private void synchronizeDevice() {
      if (closed.isEmpty()) {
        Node wait = onHost("wait for the device");
        for (Node tail : tails) {
          wait.after(tail);
        }
        device.synchronize();
      }
    }

    private void touch(long start, long bytes, boolean writes) {
      onHost(writes ? "host write" : "host read").touches(start, bytes, writes);
      touchBuffer(start, bytes, writes);
    }

    private Node onHost(String name) {
      story.add(name);
      host = oracle.node(name).after(host);
      return host;
    }

    private void hold(int stream) {
      SimGate gate = backend.createGate("gate");
      gates.add(gate);
      closed.add(queue("wait for a gate", stream));
      streams[stream].waitFor(gate);
    }

    private void open() {
      if (!closed.isEmpty()) {
        closed.remove(0).after(onHost("open"));
        gates.remove(0).open();
      }
    }

    @Override
    public void close() {
      if (block != null) {
        free(block, 0);
      }
      buffer.close();
      backend.close();
    }
  }
}
