package org.vramkit.pool.caching.defect;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/**
 * A random user who keeps every rule: writes a block before it is read, orders streams by events,
 * records uses or waits for them before the free. Whatever is reported under it is the allocator's
 * fault. It wants more than the device has, so that the allocator has to wait, steal and move.
 */
final class OrderlyTraffic implements AutoCloseable {
  /** What the device should have free: so little that the allocator runs out of it. */
  static final long MEMORY = 64 * ByteSize.MIB;

  private static final int STREAMS = 3;
  private static final int LARGEST_BITS = 24;
  private static final long LARGEST = 12 * ByteSize.MIB;
  private static final int LONGEST_KERNEL = 300_000;

  private record Held(Allocation allocation, SimStream stream) {}

  private final SimDevice device;
  private final Allocator allocator;
  private final SplittableRandom random;
  private final List<SimStream> streams = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();

  OrderlyTraffic(SimDevice device, Allocator allocator, long seed) {
    this.device = device;
    this.allocator = allocator;
    this.random = new SplittableRandom(seed);
    for (int i = 0; i < STREAMS; i++) {
      streams.add(device.createStream());
    }
  }

  /** One thing that a user does. */
  void step() {
    int choice = random.nextInt(100);
    if (choice < 45 || held.isEmpty()) {
      allocate();
    } else if (choice < 70) {
      held.remove(random.nextInt(held.size())).allocation.close();
    } else if (choice < 84) {
      useAndFree();
    } else if (choice < 90) {
      useAndReturn();
    } else if (choice < 96) {
      device.getBackend().advance(random.nextLong(LONGEST_KERNEL));
    } else if (choice < 98) {
      anyStream().synchronize();
    } else {
      allocator.trim(random.nextLong(MEMORY));
    }
  }

  private SimStream anyStream() {
    return streams.get(random.nextInt(streams.size()));
  }

  private void allocate() {
    SimStream stream = anyStream();
    long bytes = Math.min(LARGEST, 1 + random.nextLong(1L << random.nextInt(LARGEST_BITS + 1)));
    try {
      Held block = new Held(allocator.allocate(bytes, stream), stream);
      held.add(block);
      stream.launch(kernel("write").writes(block.allocation.getAddress(), bytes).build());
    } catch (DeviceOutOfMemoryException full) {
      // What a user does then: gives something back.
      if (!held.isEmpty()) {
        held.remove(random.nextInt(held.size())).allocation.close();
      }
    }
  }

  /** Other streams read a block, which is told to the allocator, and it is closed at once. */
  private void useAndFree() {
    Held block = held.remove(random.nextInt(held.size()));
    int users = 1 + random.nextInt(2);
    for (int i = 0; i < users; i++) {
      SimStream user = anyStream();
      read(block, user);
      block.allocation.recordUse(user);
    }
    block.allocation.close();
  }

  /** Another stream reads a block, and the block's own waits for that: nothing to tell. */
  private void useAndReturn() {
    Held block = held.get(random.nextInt(held.size()));
    SimStream user = anyStream();
    read(block, user);
    order(user, block.stream);
  }

  private void read(Held block, SimStream user) {
    order(block.stream, user);
    Allocation allocation = block.allocation;
    user.launch(kernel("read").reads(allocation.getAddress(), allocation.getSize()).build());
  }

  private SimKernel.Builder kernel(String name) {
    return SimKernel.named(name).taking(random.nextLong(LONGEST_KERNEL));
  }

  private void order(SimStream before, SimStream after) {
    try (SimEvent event = device.createEvent()) {
      event.record(before);
      after.waitFor(event);
    }
  }

  /** Closes what is open, streams included, and the allocator. */
  @Override
  public void close() {
    held.forEach(block -> block.allocation.close());
    allocator.close();
    streams.forEach(SimStream::close);
  }
}
