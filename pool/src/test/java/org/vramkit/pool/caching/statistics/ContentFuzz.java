package org.vramkit.pool.caching.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.sim.DeviceBytes;
import org.vramkit.sim.SimKernel;

/**
 * A random program that fills every block with a number of its own and looks, in stream order right
 * before the free, whether it is still there. Nothing waits for the look, so blocks are freed while
 * the device still works on them.
 */
final class ContentFuzz {
  private static final long CAP = 102 * MIB;

  /** Bytes between looks: less than any block, and what the simulator stores in one piece. */
  private static final int STRIDE = 1 << 16;

  private static final int GLANCE = 32;

  private record Filled(Allocation allocation, byte id) {}

  private final Sandbox box;
  private final SplittableRandom random;
  private final List<Filled> held = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private long live;
  private int ids;
  private int looks;
  private int emptied;

  ContentFuzz(Sandbox box, long seed) {
    this.box = box;
    this.random = new SplittableRandom(seed);
  }

  /** Allocates, frees and empties the cache as 1 : 1 : 0.1. */
  void step() {
    int choice = random.nextInt(21);
    if (choice < 10) {
      allocate();
    } else if (choice < 20) {
      free();
    } else {
      box.allocator.emptyCache();
      emptied++;
    }
    assertEquals(List.of(), wrong, "blocks with foreign contents");
  }

  private void allocate() {
    long bytes = random.nextLong(2 * MIB, 20 * MIB + 1);
    if (live + bytes > CAP) {
      return;
    }
    Filled block = new Filled(box.allocator.allocate(bytes, box.stream), (byte) ++ids);
    box.stream.fill(block.allocation.getAddress(), block.id, bytes);
    held.add(block);
    live += bytes;
  }

  private void free() {
    if (held.isEmpty()) {
      return;
    }
    Filled block = held.remove(random.nextInt(held.size()));
    long address = block.allocation.getAddress();
    long size = block.allocation.getSize();
    box.stream.launch(
        SimKernel.named("look")
            .reads(address, size)
            .taking(random.nextLong(200_000))
            .body(bytes -> look(bytes, address, size, block.id))
            .build());
    block.allocation.close();
    live -= size;
  }

  private void look(DeviceBytes bytes, long address, long size, byte id) {
    looks++;
    for (long at = 0; at < size; at += STRIDE) {
      look(bytes, address + Math.min(at, size - GLANCE), id);
    }
    look(bytes, address + size - GLANCE, id);
  }

  private void look(DeviceBytes bytes, long address, byte id) {
    for (byte found : bytes.read(address, GLANCE)) {
      if (found != id) {
        wrong.add("0x" + Long.toHexString(address) + " holds " + found + " instead of " + id);
        return;
      }
    }
  }

  /** Frees and looks at all that is left. */
  void finish() {
    while (!held.isEmpty()) {
      free();
    }
    box.stream.synchronize();
    assertEquals(List.of(), wrong, "blocks with foreign contents");
  }

  /** How many blocks were looked at. */
  int getLooks() {
    return looks;
  }

  /** How often the cache was emptied. */
  int getEmptied() {
    return emptied;
  }
}
