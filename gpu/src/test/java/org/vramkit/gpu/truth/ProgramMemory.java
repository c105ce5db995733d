package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;

/** The memory of a random program, of all kinds. */
final class ProgramMemory {
  private static final long[] SIZES = {
    1, 512, 700, 4096, 65536, MIB, PAGE - 1, PAGE, 3 * MIB, 5 * MIB, 33 * MIB, 40 * MIB
  };

  enum Kind {
    PLAIN,
    ORDERED,
    POOL,
    PINNED,
    MANAGED,
    MAPPED
  }

  /** Memory that belongs to a stream, named by its number. */
  static final class Block {
    private final int number;
    private final Kind kind;
    private final Device home;
    private final long address;
    private final long bytes;
    private final @Nullable AutoCloseable owner;
    private final long handle;
    private int stream;

    private Block(
        int number,
        Kind kind,
        Device home,
        long address,
        long bytes,
        @Nullable AutoCloseable owner,
        long handle,
        int stream) {
      this.number = number;
      this.kind = kind;
      this.home = home;
      this.address = address;
      this.bytes = bytes;
      this.owner = owner;
      this.handle = handle;
      this.stream = stream;
    }

    long address() {
      return address;
    }

    long bytes() {
      return bytes;
    }

    int stream() {
      return stream;
    }

    Kind kind() {
      return kind;
    }

    /** Returns the device whose memory it is, which may always use it. */
    Device home() {
      return home;
    }

    /** Returns the pool that the memory is of, or the buffer that it is; null for other memory. */
    @Nullable AutoCloseable owner() {
      return owner;
    }

    @Override
    public String toString() {
      return kind + "#" + number + "(" + bytes + " on " + stream + ")";
    }
  }

  private final SplittableRandom random;
  private final boolean managed;
  private final List<Block> live = new ArrayList<>();
  private final List<DriverPool> pools = new ArrayList<>();

  /** Memory of each device that no work uses. */
  private final Map<Device, Long> spare = new LinkedHashMap<>();

  private int numbers;

  ProgramMemory(List<Device> devices, SplittableRandom random, boolean managed) {
    this.random = random;
    this.managed = managed;
    devices.forEach(each -> spare.put(each, each.getMemory().allocate(4096)));
  }

  /** Returns the address of a device's memory that no work uses. */
  long spare(Device device) {
    return Objects.requireNonNull(spare.get(device));
  }

  private Device first() {
    return spare.keySet().iterator().next();
  }

  /** Returns a block, of a stream unless that is negative; null if there is none. */
  @Nullable Block any(int stream) {
    return any(each -> stream < 0 || each.stream == stream);
  }

  /** Returns a block of those that a test accepts; null if there is none. */
  @Nullable Block any(Predicate<Block> test) {
    List<Block> some = live.stream().filter(test).toList();
    return some.isEmpty() ? null : some.get(random.nextInt(some.size()));
  }

  boolean isOf(Block block, int stream) {
    return live.contains(block) && block.stream == stream;
  }

  /** Returns whether another stream may get the block: the default pool depends on time else. */
  boolean mayMove(Block block) {
    return block.kind != Kind.ORDERED;
  }

  void move(Block block, int stream) {
    block.stream = stream;
  }

  boolean needsWait(Block block) {
    return block.kind != Kind.POOL && block.kind != Kind.ORDERED;
  }

  private Block add(
      Kind kind,
      Device home,
      long address,
      long bytes,
      @Nullable AutoCloseable owner,
      long handle,
      int on) {
    Block block = new Block(numbers++, kind, home, address, bytes, owner, handle, on);
    live.add(block);
    return block;
  }

  private String made(Supply supply, Consumer<Block> then) {
    Block[] block = new Block[1];
    String made = Program.answer("", () -> block[0] = supply.make());
    if (block[0] == null) {
      return made;
    }
    String filled = Program.answer("", () -> then.accept(block[0]));
    return block[0] + " aligned " + (block[0].address % 512 == 0) + filled;
  }

  private interface Supply {
    Block make();
  }

  private long size() {
    return SIZES[random.nextInt(SIZES.length)];
  }

  /** Allocates memory of a random kind. */
  String allocate(int number, Stream stream, Consumer<Block> then) {
    long bytes = size();
    Device home = stream.getDevice();
    return switch (random.nextInt(6)) {
      case 0 -> made(() -> pinned(home, Math.min(bytes, MIB), number), then);
      case 1 -> made(() -> managedOrPinned(home, Math.min(bytes, 5 * MIB), number), then);
      case 2 -> made(() -> ordered(bytes, stream, number), then);
      default -> made(() -> plain(home, bytes, number), then);
    };
  }

  private Block plain(Device home, long bytes, int number) {
    return add(Kind.PLAIN, home, home.getMemory().allocate(bytes), bytes, null, 0, number);
  }

  private Block pinned(Device home, long bytes, int number) {
    PinnedBuffer buffer = home.getPinnedMemory().allocate(bytes);
    return add(Kind.PINNED, home, buffer.getAddress(), bytes, buffer, 0, number);
  }

  private Block managedOrPinned(Device home, long bytes, int number) {
    if (!managed) {
      return pinned(home, Math.min(bytes, MIB), number);
    }
    PinnedBuffer buffer = home.getManagedMemory().allocate(bytes);
    return add(Kind.MANAGED, home, buffer.getAddress(), bytes, buffer, 0, number);
  }

  /** A default pool reuses what has just ended, so that one stream alone allocates from it. */
  private Block ordered(long bytes, Stream stream, int number) {
    Device home = stream.getDevice();
    if (number % Program.STREAMS != 2) {
      return plain(home, bytes, number);
    }
    long address = home.getStreamOrderedMemory().allocate(bytes, stream);
    return add(Kind.ORDERED, home, address, bytes, null, 0, number);
  }

  /** Does something with a pool, of which there are at most two for a device. */
  String pool(Stream stream, Consumer<Block> then, int number) {
    if (pools.size() < 2 * spare.size() && random.nextInt(3) == 0) {
      return Program.answer("pool", () -> newPool(stream.getDevice()));
    }
    DriverPool pool = anyPool();
    if (pool == null) {
      return "no pool";
    }
    long bytes = size();
    return switch (random.nextInt(6)) {
      case 0 -> Program.answer("trim", () -> pool.trim(bytes));
      case 1 -> Program.answer("threshold", () -> pool.setReleaseThreshold(bytes * 4));
      case 2 -> Program.answer("pool", () -> Probe.peaks(pool));
      default ->
          made(() -> pooled(pool, bytes, stream, number), then)
              + Program.answer(" pool", () -> Probe.used(pool));
    };
  }

  /** Returns a pool, or null if there is none. */
  @Nullable DriverPool anyPool() {
    return pools.isEmpty() ? null : pools.get(random.nextInt(pools.size()));
  }

  private Block pooled(DriverPool pool, long bytes, Stream stream, int number) {
    long address = pool.allocate(bytes, stream);
    return add(Kind.POOL, pool.getDevice(), address, bytes, pool, 0, number);
  }

  private void newPool(Device home) {
    DriverPool pool = home.getDriverPools().create(0);
    pools.add(pool);
    pool.setReuse(DriverPoolReuse.OPPORTUNISTIC, false);
  }

  /** Maps new memory. */
  String map(int number, Device home, Consumer<Block> then) {
    long bytes = (1 + random.nextInt(4)) * PAGE;
    return made(
        () -> {
          var virtual = home.getVirtualMemory();
          long address = virtual.reserve(bytes);
          long handle = virtual.create(bytes);
          virtual.map(address, bytes, handle);
          virtual.setAccess(address, bytes, home);
          return add(Kind.MAPPED, home, address, bytes, null, handle, number);
        },
        then);
  }

  /** Makes a call that is refused and has no effect. */
  String refused() {
    Block block = any(-1);
    if (block == null) {
      return Program.answer("alloc of 0", () -> first().getMemory().allocate(0));
    }
    DeviceMemory memory = block.home.getMemory();
    return switch (random.nextInt(4)) {
      case 0 -> Program.answer("interior free of " + block, () -> memory.free(block.address + 1));
      case 1 -> Program.answer("alloc of -1", () -> memory.allocate(-1));
      case 2 -> Program.answer("free of 1 << 40", () -> memory.free(1L << 40));
      default -> refusedMapping(block);
    };
  }

  private String refusedMapping(Block block) {
    VirtualMemory virtual = block.home.getVirtualMemory();
    if (block.kind != Kind.MAPPED) {
      return Program.answer("unmap of " + block, () -> virtual.unmap(1L << 40, PAGE));
    }
    return switch (random.nextInt(3)) {
      case 0 ->
          Program.answer(
              "map over " + block, () -> virtual.map(block.address, block.bytes, block.handle));
      case 1 ->
          Program.answer(
              "end of the reservation of " + block,
              () -> virtual.unreserve(block.address, block.bytes));
      default ->
          Program.answer("free of " + block, () -> block.home.getMemory().free(block.address));
    };
  }

  /** Frees a block, whose work is complete unless it is freed in stream order. */
  String free(Block block, Stream stream) {
    live.remove(block);
    return Program.answer(" freed", () -> release(block, stream));
  }

  private void release(Block block, Stream stream) {
    switch (block.kind) {
      case PLAIN -> block.home.getMemory().free(block.address);
      case ORDERED -> block.home.getStreamOrderedMemory().free(block.address, stream);
      case POOL -> poolOf(block).free(block.address, stream);
      case PINNED, MANAGED -> bufferOf(block).close();
      case MAPPED -> {
        var virtual = block.home.getVirtualMemory();
        virtual.unmap(block.address, block.bytes);
        virtual.release(block.handle);
        virtual.unreserve(block.address, block.bytes);
      }
    }
  }

  private static DriverPool poolOf(Block block) {
    return (DriverPool) Objects.requireNonNull(block.owner);
  }

  private static PinnedBuffer bufferOf(Block block) {
    return (PinnedBuffer) Objects.requireNonNull(block.owner);
  }

  /** Frees plain memory through any device, on which nothing uses it. */
  String freeThrough(Block block, Device device) {
    live.remove(block);
    return Program.answer("freed", () -> device.getMemory().free(block.address));
  }

  /** Frees all memory. */
  String end(List<Stream> streams) {
    return Program.answer(
        "end",
        () -> {
          for (Block each : live) {
            release(each, streams.get(each.stream));
          }
          spare.keySet().forEach(Device::synchronize);
          pools.forEach(DriverPool::close);
          spare.forEach((device, address) -> device.getMemory().free(address));
        });
  }
}
