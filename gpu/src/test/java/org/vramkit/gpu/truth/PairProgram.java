package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.PAGE;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.GpuException;

/**
 * A random program over two devices. Work that a device may not do is refused at its call, except
 * in a graph, so that graphs contain only work with access, and end before access ends.
 */
final class PairProgram extends Program {
  /** Changes of the access to a range of which each part is a mapping. */
  private static final int CHANGES = 3;

  /** Devices that may use plain memory of the other one. */
  private final Set<Device> peers = new HashSet<>();

  /** Pools and mapped blocks that the other device may use too. */
  private final Set<Object> open = new HashSet<>();

  PairProgram(List<Stream> streams, long seed) {
    super(streams, seed, false);
  }

  @Override
  public List<String> run() {
    try {
      return super.run();
    } finally {
      devices.forEach(each -> each.getPeerAccess().disable(other(each)));
    }
  }

  private Device other(Device device) {
    return devices.get(device == devices.get(0) ? 1 : 0);
  }

  /** Returns the number of a stream of the other device. */
  private int across(int stream) {
    return (STREAMS - stream / STREAMS * STREAMS) + random.nextInt(STREAMS);
  }

  @Override
  String free() {
    int stream = random.nextInt(streams.size());
    return switch (random.nextInt(26)) {
      case 0, 1, 2 -> copyBetween();
      case 3 -> waitAcross(stream);
      case 4, 5 -> peer();
      case 6 -> pool();
      case 7 -> mapping();
      case 8 -> parts();
      case 9 -> freeThrough();
      case 10 -> refusedRecord(stream);
      case 11, 12, 13 -> memory.pool(streams.get(stream), this::initialize, stream);
      default -> super.free();
    };
  }

  @Override
  String capturing(int number) {
    return random.nextInt(4) == 0 ? join(number) : super.capturing(number);
  }

  @Override
  ProgramMemory.@Nullable Block oneToCapture(int stream) {
    Device by = streams.get(stream).getDevice();
    return memory.any(each -> each.stream() == stream && isUsable(each, by));
  }

  private boolean isUsable(ProgramMemory.Block block, Device by) {
    return block.home() == by
        || switch (block.kind()) {
          case PLAIN -> peers.contains(by);
          case POOL -> open.contains(block.owner());
          case MAPPED -> open.contains(block);
          case PINNED, MANAGED -> true;
          case ORDERED -> false;
        };
  }

  /** New memory of a pool may be closed to the device that allocates it; its own fills it then. */
  @Override
  void initialize(ProgramMemory.Block block) {
    try {
      super.initialize(block);
    } catch (GpuException e) {
      Stream stream = streams.get(block.stream());
      int number = devices.indexOf(block.home()) * STREAMS + STREAMS - 1;
      Stream owner = streams.get(number);
      noteWork(number);
      owner.waitFor(keep(stream));
      owner.fill(block.address(), (byte) 1, block.bytes());
      stream.waitFor(keep(owner));
      throw e;
    }
  }

  /** Copies from memory of one stream to that of another, before and behind their other work. */
  private String copyBetween() {
    ProgramMemory.Block from = memory.any(-1);
    ProgramMemory.Block to = memory.any(each -> from != null && each.home() != from.home());
    if (from == null || to == null) {
      return "nothing to copy between devices";
    }
    Stream source = streams.get(from.stream());
    Stream target = streams.get(to.stream());
    long count = 1 + random.nextLong(Math.min(to.bytes(), from.bytes()));
    work(from);
    work(to);
    return answer("copy " + count + " " + from, () -> target.waitFor(keep(source)))
        + answer(" to " + to, () -> target.copy(to.address(), from.address(), count))
        + answer(" and back", () -> source.waitFor(keep(target)));
  }

  private String waitAcross(int stream) {
    int waiting = across(stream);
    noteWork(waiting);
    return answer(
        "wait of " + waiting + " for " + stream,
        () -> streams.get(waiting).waitFor(keep(streams.get(stream))));
  }

  private String peer() {
    Device device = devices.get(random.nextInt(2));
    String name = "access of " + device.getOrdinal();
    if (random.nextInt(3) > 0) {
      peers.add(device);
      return answer(name, () -> device.getPeerAccess().enable(other(device)));
    }
    peers.remove(device);
    return settle()
        + answer(" end of " + name, () -> device.getPeerAccess().disable(other(device)));
  }

  /** Ends all work and graphs, which may need an access that ends. */
  private String settle() {
    return waitForAll() + " " + closeGraphs();
  }

  private String pool() {
    DriverPool pool = memory.anyPool();
    if (pool == null) {
      return "no pool to open";
    }
    boolean allowed = random.nextInt(3) > 0;
    return change(
        "access to a pool of " + pool.getDevice().getOrdinal(),
        pool,
        allowed,
        () -> pool.setAccess(other(pool.getDevice()), allowed));
  }

  private String mapping() {
    ProgramMemory.Block block = memory.any(each -> each.kind() == ProgramMemory.Kind.MAPPED);
    if (block == null) {
      return "no mapping to open";
    }
    boolean allowed = random.nextInt(3) > 0;
    Device device = other(block.home());
    VirtualMemory through = devices.get(random.nextInt(2)).getVirtualMemory();
    return change(
        "access to " + block,
        block,
        allowed,
        () -> setAccess(through, block.address(), block.bytes(), device, allowed));
  }

  private static void setAccess(
      VirtualMemory through, long address, long bytes, Device device, boolean allowed) {
    if (allowed) {
      through.setAccess(address, bytes, device);
    } else {
      through.removeAccess(address, bytes, device);
    }
  }

  private String change(String name, Object subject, boolean allowed, Runnable call) {
    if (allowed) {
      open.add(subject);
      return answer(name, call);
    }
    open.remove(subject);
    return settle() + answer(" end of " + name, call);
  }

  /** Opens parts of a range to either device, whose parts are memory of either. */
  private String parts() {
    int count = 2 + random.nextInt(5);
    VirtualMemory virtual = devices.get(random.nextInt(2)).getVirtualMemory();
    long address = virtual.reserve(count * PAGE);
    List<Long> handles = new ArrayList<>();
    StringBuilder homes = new StringBuilder();
    for (int i = 0; i < count; i++) {
      Device home = devices.get(random.nextInt(2));
      homes.append(home.getOrdinal());
      handles.add(home.getVirtualMemory().create(PAGE));
      virtual.map(address + i * PAGE, PAGE, handles.get(i));
    }
    StringBuilder found = new StringBuilder("parts of " + homes);
    for (int i = 0; i < CHANGES; i++) {
      found.append(changePart(address, count)).append(fillPart(address, count));
      devices.forEach(Device::synchronize);
    }
    return found.append(answer(" unmap", () -> virtual.unmap(address, count * PAGE)))
        + answer(" release", () -> handles.forEach(virtual::release))
        + answer(" end", () -> virtual.unreserve(address, count * PAGE));
  }

  private String changePart(long address, int count) {
    int from = random.nextInt(count);
    int pages = 1 + random.nextInt(count - from);
    Device device = devices.get(random.nextInt(2));
    VirtualMemory through = devices.get(random.nextInt(2)).getVirtualMemory();
    boolean allowed = random.nextInt(4) > 0;
    return answer(
        " access " + allowed + " of " + device.getOrdinal() + " to " + from + " " + pages,
        () -> setAccess(through, address + from * PAGE, pages * PAGE, device, allowed));
  }

  private String fillPart(long address, int count) {
    int part = random.nextInt(count);
    int stream = random.nextInt(2) * STREAMS + 2;
    return answer(
        " fill of " + part + " by " + stream / STREAMS,
        () -> streams.get(stream).fill(address + part * PAGE, (byte) 1, PAGE));
  }

  private String freeThrough() {
    ProgramMemory.Block block = memory.any(each -> each.kind() == ProgramMemory.Kind.PLAIN);
    if (block == null) {
      return "no plain memory";
    }
    return "plain free through the other of "
        + block
        + answer("", streams.get(block.stream())::synchronize)
        + memory.freeThrough(block, other(block.home()));
  }

  private String refusedRecord(int stream) {
    return answer(
        "record of the other's event on " + stream,
        () -> {
          Stream recording = streams.get(stream);
          try (var event = other(recording.getDevice()).createEvent()) {
            event.record(recording);
          }
        });
  }

  /** Lets a stream of the other device take part in a capture. */
  private String join(int number) {
    int joining = across(number);
    Stream ours = streams.get(number);
    Stream theirs = streams.get(joining);
    ProgramMemory.Block block =
        memory.any(each -> each.stream() == number && isUsable(each, theirs.getDevice()));
    String joined = answer("join of " + joining, () -> theirs.waitFor(keep(ours)));
    if (block != null && joined.endsWith("ok")) {
      work(block);
      joined +=
          answer(" fill " + block, () -> theirs.fill(block.address(), (byte) 3, block.bytes()));
    }
    return joined + answer(" back", () -> ours.waitFor(keep(theirs)));
  }
}
