package org.vramkit.pool.caching.suspend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.AdviceText;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("45.4 A resume that finds too little memory")
class ResumeAdviceTest {
  @Test
  @DisplayName("45.4 says what the whole pool lacks, not what one chunk needs")
  void figure() {
    try (Program program = new Program(0, Long.MAX_VALUE, List.of(3 * ByteSize.GIB))) {
      program.othersLeave(ByteSize.GIB);
      assertTrue(
          program
              .refusal()
              .contains(
                  "2.00 GiB of 3.00 GiB are missing, so it stays suspended; to do: free 2.00 GiB of"
                      + " the device's memory, then resume it again"),
          program::refusal);
    }
  }

  @Test
  @DisplayName("45.4 succeeds with what it asks for, and not with 1 MiB less, in 500 programs")
  void followed() {
    long first = Long.getLong("vramkit.seed", 0);
    int raised = 0;
    int freed = 0;
    for (long seed = first; raised < 250 || freed < 250; seed++) {
      Random random = new Random(seed);
      List<Long> blocks = new ArrayList<>();
      for (int i = random.nextInt(8); i >= 0; i--) {
        blocks.add(1 + random.nextLong(random.nextBoolean() ? 2 * MIB : 200 * MIB));
      }
      long limit = random.nextBoolean() ? Long.MAX_VALUE : 2 * ByteSize.GIB;
      try (Program program = new Program(seed, limit, blocks)) {
        if (limit == Long.MAX_VALUE || random.nextInt(4) == 0) {
          program.othersLeave(random.nextLong(program.suspendedBytes()));
        }
        if (limit != Long.MAX_VALUE) {
          program.lowerLimitTo(random.nextLong(program.suspendedBytes()));
        }
        String refusal = program.refusal();
        long raise = figure(refusal, "raise the limit by ");
        long free = figure(refusal, "free ");
        assertTrue(raise + free > 0, program + refusal);
        raised += raise > MIB ? 1 : 0;
        freed += free > MIB ? 1 : 0;
        program.follow(Math.max(0, raise - MIB), free);
        assertEquals(raise <= 0, program.isServed(), program + refusal);
        if (raise > 0) {
          program.follow(Math.min(raise, MIB), 0);
          assertTrue(program.isServed(), program + refusal);
        }
        program.suspendAgain();
        if (free > 0) {
          program.othersTake(MIB);
          assertFalse(program.isServed(), program + refusal);
          program.follow(0, MIB);
          assertTrue(program.isServed(), program + refusal);
        }
      }
    }
  }

  private static long figure(String refusal, String beginning) {
    int at = refusal.indexOf(beginning);
    return at < 0 ? 0 : AdviceText.sizeIn(refusal.substring(at));
  }

  /** A suspended pool on a device of which another process holds a part. */
  private static final class Program implements AutoCloseable {
    private final long seed;
    private final SimBackend backend =
        SimBackend.builder().device(DeviceProfile.SMALL_8GIB).bytes(false).build();
    private final SimDevice device = backend.getDevice(0);
    private final SimStream stream = device.createStream();
    private final CachingAllocator allocator;
    private final PrivatePool pool;
    private final List<Allocation> held = new ArrayList<>();

    Program(long seed, long limit, List<Long> blocks) {
      this.seed = seed;
      allocator = CachingAllocator.builder(device).limit(limit).build();
      pool = allocator.createPool();
      blocks.forEach(each -> held.add(pool.getAllocator().allocate(each, stream)));
      pool.suspend(Backup.NONE, stream);
    }

    long suspendedBytes() {
      return pool.getSuspendedBytes();
    }

    void othersLeave(long bytes) {
      assertTrue(device.occupy(device.getMemoryInfo().freeBytes() - bytes));
    }

    void othersTake(long bytes) {
      assertTrue(device.occupy(bytes));
    }

    void lowerLimitTo(long bytes) {
      allocator.setLimit(bytes);
    }

    /** Raises the limit and lets the other process free some bytes. */
    void follow(long raise, long free) {
      if (raise > 0) {
        allocator.setLimit(allocator.getLimit() + raise);
      }
      device.vacate(free);
    }

    void suspendAgain() {
      pool.suspend(Backup.NONE, stream);
    }

    String refusal() {
      return assertThrows(DeviceOutOfMemoryException.class, () -> pool.resume(stream)).toString();
    }

    boolean isServed() {
      try {
        pool.resume(stream);
        return true;
      } catch (DeviceOutOfMemoryException e) {
        assertTrue(pool.isSuspended());
        return false;
      }
    }

    @Override
    public void close() {
      held.forEach(Allocation::close);
      pool.close();
      allocator.close();
      stream.close();
      assertEquals(List.of(), backend.getLeaks());
      backend.close();
    }

    @Override
    public String toString() {
      return "seed " + seed + ": ";
    }
  }
}
