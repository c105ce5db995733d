package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;

/**
 * Random changes of access between two devices, and fills and copies that need some. Each call
 * waits for its work, so that access may end after it.
 */
final class AccessProgram implements RandomProgram {
  private static final int FIRST = 10;
  private static final int BYTES = 4096;

  private enum Kind {
    PLAIN,
    SMALL,
    POOL,
    MAPPED,
    PINNED,
    MANAGED
  }

  private record Block(
      int number, Kind kind, int home, long address, long handle, @Nullable AutoCloseable owner) {
    @Override
    public String toString() {
      return kind + "#" + number + " of " + home;
    }
  }

  private final SplittableRandom random;
  private final List<Stream> streams;
  private final List<Device> devices;
  private final List<DriverPool> pools = new ArrayList<>();
  private final List<Block> live = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private int numbers;

  /** Creates a program for the streams of two devices, as many of each. */
  AccessProgram(List<Stream> streams, long seed) {
    this.streams = streams;
    this.devices = streams.stream().map(Stream::getDevice).distinct().toList();
    this.random = new SplittableRandom(seed);
  }

  @Override
  public List<String> run() {
    devices.forEach(each -> pools.add(each.getDriverPools().create(0)));
    for (int i = 0; i < Program.CALLS; i++) {
      answers.add(i + " " + (i < FIRST ? allocate() : step()));
    }
    while (!live.isEmpty()) {
      answers.add("at last " + free(live.get(0).home));
    }
    for (int i = 0; i < devices.size(); i++) {
      devices.get(i).getPeerAccess().disable(devices.get(1 - i));
    }
    devices.forEach(Device::synchronize);
    pools.forEach(each -> answers.add("at last " + Probe.used(each)));
    pools.forEach(DriverPool::close);
    return answers;
  }

  private String step() {
    return switch (random.nextInt(20)) {
      case 0, 1, 2 -> allocate();
      case 3, 4 -> free(random.nextInt(devices.size()));
      case 5, 6 -> peers();
      case 7, 8 -> grant();
      case 9, 10, 11 -> mapping();
      case 12, 13, 14 -> fill();
      case 15, 16, 17 -> copy();
      case 18 -> read();
      default -> write();
    };
  }

  private Stream stream() {
    return streams.get(random.nextInt(streams.size()));
  }

  private String on(Stream stream) {
    return " on " + streams.indexOf(stream) + ":";
  }

  private String allocate() {
    int home = random.nextInt(devices.size());
    Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
    Block[] made = new Block[1];
    String outcome =
        Program.answer(
            kind + " of " + home,
            (Runnable) () -> made[0] = allocate(kind, home, devices.get(home)));
    if (made[0] != null) {
      live.add(made[0]);
    }
    return outcome;
  }

  private Block allocate(Kind kind, int home, Device device) {
    return switch (kind) {
      case PLAIN -> block(kind, home, device.getMemory().allocate(PAGE), 0, null);
      case SMALL -> block(kind, home, device.getMemory().allocate(2 * BYTES), 0, null);
      case POOL -> {
        DriverPool pool = pools.get(home);
        Stream stream = stream();
        long address = pool.allocate(random.nextBoolean() ? PAGE : 40 * MIB, stream);
        stream.synchronize();
        yield block(kind, home, address, 0, pool);
      }
      case MAPPED -> {
        VirtualMemory memory = devices.get(random.nextInt(devices.size())).getVirtualMemory();
        long address = memory.reserve(PAGE);
        long handle = device.getVirtualMemory().create(PAGE);
        memory.map(address, PAGE, handle);
        yield block(kind, home, address, handle, null);
      }
      case PINNED -> buffer(kind, home, device.getPinnedMemory().allocate(PAGE));
      case MANAGED -> buffer(kind, home, device.getManagedMemory().allocate(PAGE));
    };
  }

  private Block buffer(Kind kind, int home, PinnedBuffer buffer) {
    return block(kind, home, buffer.getAddress(), 0, buffer);
  }

  private Block block(
      Kind kind, int home, long address, long handle, @Nullable AutoCloseable owner) {
    return new Block(numbers++, kind, home, address, handle, owner);
  }

  private @Nullable Block any() {
    return live.isEmpty() ? null : live.get(random.nextInt(live.size()));
  }

  /** Frees a block through a device. */
  private String free(int through) {
    Block block = any();
    if (block == null) {
      return "nothing to free";
    }
    live.remove(block);
    Device device = devices.get(through);
    Stream stream = stream();
    return Program.answer(
        "free of " + block + " through " + through + on(stream),
        () -> {
          switch (block.kind) {
            case PLAIN, SMALL -> device.getMemory().free(block.address);
            case POOL -> pools.get(through).free(block.address, stream);
            case PINNED, MANAGED -> ((PinnedBuffer) block.owner).close();
            case MAPPED -> {
              VirtualMemory memory = device.getVirtualMemory();
              memory.unmap(block.address, PAGE);
              memory.release(block.handle);
              memory.unreserve(block.address, PAGE);
            }
          }
          stream.synchronize();
        });
  }

  private String peers() {
    int of = random.nextInt(devices.size());
    var access = devices.get(of).getPeerAccess();
    Device other = devices.get(1 - of);
    return random.nextBoolean()
        ? Program.answer("access of " + of, () -> access.enable(other))
        : Program.answer("end of the access of " + of, () -> access.disable(other));
  }

  private String grant() {
    int of = random.nextInt(pools.size());
    int to = random.nextInt(4) == 0 ? of : 1 - of;
    boolean allowed = random.nextInt(3) > 0;
    return Program.answer(
        "access " + allowed + " of " + to + " to the pool of " + of,
        () -> pools.get(of).setAccess(devices.get(to), allowed));
  }

  private String mapping() {
    List<Block> mapped = live.stream().filter(each -> each.kind == Kind.MAPPED).toList();
    if (mapped.isEmpty()) {
      return "no mapping";
    }
    Block block = mapped.get(random.nextInt(mapped.size()));
    int to = random.nextInt(devices.size());
    int through = random.nextInt(devices.size());
    VirtualMemory memory = devices.get(through).getVirtualMemory();
    String what = " of " + to + " to " + block + " through " + through;
    return switch (random.nextInt(4)) {
      case 0 ->
          Program.answer(
              "end" + what, () -> memory.removeAccess(block.address, PAGE, devices.get(to)));
      case 1 ->
          Program.answer(
              "access of both" + what, () -> memory.setAccess(block.address, PAGE, devices));
      default ->
          Program.answer(
              "access" + what, () -> memory.setAccess(block.address, PAGE, devices.get(to)));
    };
  }

  private String fill() {
    Block block = any();
    if (block == null) {
      return "nothing to fill";
    }
    Stream stream = stream();
    byte value = (byte) random.nextInt(256);
    return work("fill of " + block, stream, () -> stream.fill(block.address, value, BYTES));
  }

  private String copy() {
    Block from = any();
    Block to = any();
    if (from == null || to == null) {
      return "nothing to copy";
    }
    Stream stream = stream();
    return work(
        "copy of " + from + " to " + to,
        stream,
        () -> stream.copy(to.address + BYTES, from.address, BYTES));
  }

  private String read() {
    Block block = any();
    if (block == null) {
      return "nothing to read";
    }
    Stream stream = stream();
    ByteBuffer found = ByteBuffer.allocate(1);
    return work("read of " + block, stream, () -> stream.copyToHost(found, block.address));
  }

  private String write() {
    Block block = any();
    if (block == null) {
      return "nothing to write";
    }
    Stream stream = stream();
    ByteBuffer bytes = ByteBuffer.allocate(16);
    return work("write of " + block, stream, () -> stream.copyToDevice(block.address, bytes));
  }

  private String work(String what, Stream stream, Runnable call) {
    return Program.answer(what + on(stream), call)
        + Program.answer(" wait", (Runnable) stream::synchronize);
  }
}
