package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.UNIT;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;

/**
 * Random calls of two driver pools of one device or of two, whose memory no work uses. The answers
 * are the places of blocks in their pool, and what the pool says.
 */
final class PoolProgram implements RandomProgram {
  private static final long[] SIZES = {
    1,
    512,
    700,
    65536,
    MIB,
    2 * MIB - 1,
    3 * MIB,
    7 * MIB,
    16 * MIB,
    31 * MIB,
    UNIT,
    UNIT + 1,
    40 * MIB,
    64 * MIB,
    70 * MIB,
    100 * MIB
  };

  /** The most bytes of a pool; 0 for no limit. */
  private static final long[] MOST = {0, 0, 0, 64 * MIB, 100 * MIB, 161 * MIB};

  private record Block(int number, int pool, long address, long bytes) {}

  private final SplittableRandom random;
  private final List<Stream> streams;
  private final List<Device> devices;
  private final List<Long> memory;
  private final List<DriverPool> pools = new ArrayList<>();

  /** The address of the first block of each pool; 0 before. */
  private final long[] base = new long[2];

  private final List<Block> live = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private int numbers;

  /**
   * Creates a program.
   *
   * @param memory for each stream some memory of its device
   */
  PoolProgram(List<Stream> streams, List<Long> memory, long seed) {
    this.memory = memory;
    this.streams = streams;
    this.devices = streams.stream().map(Stream::getDevice).distinct().toList();
    this.random = new SplittableRandom(seed);
  }

  @Override
  public List<String> run() {
    FreeMemory before = FreeMemory.of(devices);
    for (int i = 0; i < base.length; i++) {
      long most = MOST[random.nextInt(MOST.length)];
      DriverPool pool = devices.get(i % devices.size()).getDriverPools().create(most);
      // What others may reuse would depend on time.
      pool.setReuse(DriverPoolReuse.OPPORTUNISTIC, false);
      pools.add(pool);
      answers.add("pool of at most " + most);
    }
    for (int i = 0; i < Program.CALLS; i++) {
      answers.add(i + " " + step());
    }
    live.forEach(each -> pools.get(each.pool).free(each.address, streams.get(0)));
    streams.forEach(Stream::synchronize);
    pools.forEach(each -> answers.add("at last " + Probe.peaks(each)));
    events.forEach(Event::close);
    pools.forEach(DriverPool::close);
    answers.add("left " + before.text());
    return answers;
  }

  private String step() {
    int on = random.nextInt(streams.size());
    Stream stream = streams.get(on);
    int number = random.nextInt(pools.size());
    return switch (random.nextInt(devices.size() == 1 ? 24 : 27)) {
      case 0, 1, 2, 3, 4, 5, 6, 7 -> allocate(number, on);
      case 8, 9, 10, 11, 12 -> free(on);
      case 13 -> freePlain();
      case 14 -> Program.answer("wait for " + on, stream::synchronize) + used();
      case 15 -> Program.answer("wait", stream.getDevice()::synchronize) + used();
      case 16, 17 -> order(on);
      case 18 -> record(on);
      case 19 -> await();
      case 20 -> trim(number, size());
      case 21 -> threshold(number, random.nextInt(4) == 0 ? Long.MAX_VALUE : size());
      case 22 -> policy(number);
      case 24 -> grant(number);
      case 25 -> wait(devices.get(random.nextInt(devices.size())).getDefaultStream());
      case 26 -> freeThroughOther(on);
      default -> waiting(on);
    };
  }

  private long size() {
    return SIZES[random.nextInt(SIZES.length)];
  }

  private String used() {
    return "; " + Probe.used(pools.get(0)) + "; " + Probe.used(pools.get(1));
  }

  private String allocate(int number, int on) {
    DriverPool pool = pools.get(number);
    long bytes = size();
    long[] address = {0};
    String made = Program.answer("", () -> address[0] = pool.allocate(bytes, streams.get(on)));
    String what = "alloc of " + bytes + " from " + number + " on " + on + ": ";
    if (address[0] == 0) {
      return what + made + used();
    }
    base[number] = base[number] == 0 ? address[0] : base[number];
    live.add(new Block(numbers++, number, address[0], bytes));
    return what + "at " + (address[0] - base[number]) + used();
  }

  private String free(int on) {
    if (live.isEmpty()) {
      return "nothing to free";
    }
    Block block = live.remove(random.nextInt(live.size()));
    DriverPool pool = pools.get(block.pool);
    return Program.answer(
            "free of #" + block.number + " on " + on,
            () -> pool.free(block.address, streams.get(on)))
        + used();
  }

  private String freePlain() {
    if (live.isEmpty() || random.nextBoolean()) {
      return "no plain free";
    }
    Block block = live.remove(random.nextInt(live.size()));
    Device device = any();
    return Program.answer(
            "plain free of #" + block.number, () -> device.getMemory().free(block.address))
        + used();
  }

  private String grant(int number) {
    DriverPool pool = pools.get(number);
    Device other = devices.get(pool.getDevice() == devices.get(0) ? 1 : 0);
    boolean allowed = random.nextBoolean();
    return Program.answer(
        "access to " + number + ": " + allowed, () -> pool.setAccess(other, allowed));
  }

  private String wait(Stream main) {
    return Program.answer(
            "wait for the default stream of " + main.getDevice().getOrdinal(), main::synchronize)
        + used();
  }

  /** Frees in stream order through the other pool. */
  private String freeThroughOther(int on) {
    if (live.isEmpty()) {
      return "nothing to free";
    }
    Block block = live.remove(random.nextInt(live.size()));
    return Program.answer(
            "free of #" + block.number + " on " + on + " through " + (1 - block.pool),
            () -> pools.get(1 - block.pool).free(block.address, streams.get(on)))
        + used();
  }

  private String order(int on) {
    int other = random.nextInt(streams.size());
    return Program.answer(
        on + " waits for " + other, () -> streams.get(on).waitFor(keep(streams.get(other))));
  }

  private Event keep(Stream stream) {
    Event event = stream.getDevice().createEvent();
    event.record(stream);
    events.add(event);
    return event;
  }

  private String record(int on) {
    return Program.answer("record on " + on, (Runnable) () -> keep(streams.get(on)));
  }

  private String await() {
    if (events.isEmpty()) {
      return "no event";
    }
    int number = random.nextInt(events.size());
    return Program.answer("wait for event " + number, events.get(number)::synchronize) + used();
  }

  private String trim(int number, long keep) {
    return Program.answer("trim of " + number + " to " + keep, () -> pools.get(number).trim(keep))
        + used();
  }

  private String threshold(int number, long bytes) {
    return Program.answer(
            "threshold of " + number + ": " + bytes,
            () -> pools.get(number).setReleaseThreshold(bytes))
        + used();
  }

  private String policy(int number) {
    boolean enabled = random.nextBoolean();
    return Program.answer(
        "dependencies of " + number + ": " + enabled,
        () -> pools.get(number).setReuse(DriverPoolReuse.INTERNAL_DEPENDENCIES, enabled));
  }

  /** Makes a call that waits for a stream or the device. */
  private String waiting(int on) {
    Stream stream = streams.get(on);
    if (random.nextBoolean()) {
      return Program.answer("plain alloc and free", this::plain) + used();
    }
    return Program.answer(
            "copy to a heap buffer on " + on,
            () -> stream.copyToHost(ByteBuffer.allocate(4), memory.get(on)))
        + used();
  }

  private Device any() {
    return devices.get(devices.size() == 1 ? 0 : random.nextInt(devices.size()));
  }

  private void plain() {
    Device device = any();
    device.getMemory().free(device.getMemory().allocate(MIB));
  }
}
