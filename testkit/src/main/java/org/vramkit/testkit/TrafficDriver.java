package org.vramkit.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;

/**
 * Uses an allocator at random from one thread with two streams. Fills every block with a distinct
 * value, sometimes reads it on the second stream, and checks it before the close.
 */
final class TrafficDriver implements AutoCloseable {

  private static final int MAX_LIVE = 48;
  private static final long MAX_BYTES = 4 * ByteSize.MIB;

  private final Allocator allocator;
  private final RandomGenerator random;
  private final Stream own;
  private final Stream side;
  private final Event written;
  private final Allocation scratch;
  private final List<Block> live = new ArrayList<>();
  private byte nextValue;

  TrafficDriver(Allocator allocator, RandomGenerator random) {
    this.allocator = allocator;
    this.random = random;
    own = allocator.getDevice().createStream();
    side = allocator.getDevice().createStream();
    written = allocator.getDevice().createEvent();
    scratch = allocator.allocate(MAX_BYTES, side);
  }

  void step() {
    int dice = random.nextInt(100);
    if (dice < 1) {
      allocator.trim(random.nextLong(64 * ByteSize.MIB));
    } else if (live.isEmpty() || (dice < 55 && live.size() < MAX_LIVE)) {
      live.add(allocate());
    } else {
      Block block = live.remove(random.nextInt(live.size()));
      if (dice < 80) {
        block.check(own);
        block.allocation.close();
      } else {
        closeUnderRead(block);
      }
    }
  }

  private Block allocate() {
    // Sizes are uniform on a logarithmic scale.
    long bytes = random.nextLong(1L << random.nextInt(1, 22)) + 1;
    Allocation allocation = allocator.allocate(Math.min(bytes, MAX_BYTES), own);
    Block block = new Block(allocation, nextValue++);
    own.fill(allocation.getAddress(), block.value, allocation.getSize());
    return block;
  }

  /** Closes a block while the other stream still copies it. */
  private void closeUnderRead(Block block) {
    long bytes = block.allocation.getSize();
    written.record(own);
    side.waitFor(written);
    side.copy(scratch.getAddress(), block.allocation.getAddress(), bytes);
    block.allocation.recordUse(side);
    block.allocation.close();
    live.add(allocate());
    DeviceBytes.assertFilled(side, scratch.getAddress(), bytes, block.value, "copy of a block");
  }

  @Override
  public void close() {
    for (Block block : live) {
      block.check(own);
      block.allocation.close();
    }
    scratch.close();
    written.close();
    own.close();
    side.close();
  }

  private record Block(Allocation allocation, byte value) {
    void check(Stream stream) {
      DeviceBytes.assertFilled(
          stream, allocation.getAddress(), allocation.getSize(), value, "block of " + value);
    }
  }
}
