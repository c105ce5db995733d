package org.vramkit.pool.caching.suspend;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Event;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.schedule.Schedule;

/**
 * Random work on a private pool that is suspended and resumed over and over, with work queued and
 * with closes meanwhile. The bytes of each block are known on the host, and are compared after each
 * resume.
 */
final class SuspendProgram implements AutoCloseable {
  private static final int MOST_BLOCKS = 12;
  private static final long LARGEST = 3 * ByteSize.MIB;

  /** A block, and the bytes that it is to have. */
  private static final class Kept {
    final Allocation block;
    final SimStream stream;
    final byte[] bytes;

    Kept(Allocation block, SimStream stream, int size) {
      this.block = block;
      this.stream = stream;
      this.bytes = new byte[size];
    }
  }

  final SimBackend backend;
  private final SimDevice device;
  private final CachingAllocator allocator;
  private final PrivatePool pool;
  private final List<SimStream> streams = new ArrayList<>();
  private final List<Kept> kept = new ArrayList<>();
  private final SplittableRandom dice;
  private final String name;

  /** The numbers of the driver calls that suspensions and resumes made. */
  final List<Long> calls = new ArrayList<>();

  /** How often one of them failed. */
  int failures;

  SuspendProgram(long seed, String schedule) {
    name = "seed " + seed + " on schedule " + schedule;
    backend =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .schedule(Schedule.of(schedule))
            .seed(seed)
            .build();
    device = backend.getDevice(0);
    allocator = CachingAllocator.builder(device).clock(backend::getTimeNanos).build();
    pool = allocator.createPool();
    dice = new SplittableRandom(seed);
    for (int i = 0; i < 3; i++) {
      streams.add(device.createStream());
    }
  }

  /** Fails a driver call of the program by its number. */
  SuspendProgram failing(long call, Fault fault) {
    backend.getFaults().failCall(call, fault);
    return this;
  }

  SuspendProgram run(int cycles) {
    try {
      for (int i = 0; i < cycles; i++) {
        cycle();
      }
      return this;
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(name, e);
    }
  }

  private void cycle() {
    while (kept.size() < 2 + dice.nextInt(MOST_BLOCKS)) {
      allocate();
    }
    for (int i = dice.nextInt(6); i > 0; i--) {
      write(any());
    }
    closeSome(2);
    Backup backup = dice.nextInt(4) == 0 ? Backup.NONE : Backup.HOST;
    suspend(backup);
    assertEquals(0, pool.getAllocator().getStatistics().reserved().current(), "memory kept");
    SnapshotChecks.assertAgrees(allocator);
    closeSome(3);
    resume();
    SnapshotChecks.assertAgrees(allocator);
    if (backup == Backup.NONE) {
      kept.forEach(each -> fill(each, 0, each.bytes.length));
    }
    kept.forEach(this::compare);
  }

  private void allocate() {
    SimStream stream = anyStream();
    int bytes = (int) (1 + dice.nextLong(dice.nextBoolean() ? 5000 : LARGEST));
    Kept fresh = new Kept(pool.getAllocator().allocate(bytes, stream), stream, bytes);
    kept.add(fresh);
    fill(fresh, 0, bytes);
  }

  private void write(Kept block) {
    int from = dice.nextInt(block.bytes.length);
    fill(block, from, from + 1 + dice.nextInt(block.bytes.length - from));
  }

  /** On the block's stream, or behind it on another one. */
  private void fill(Kept block, int from, int to) {
    byte value = (byte) dice.nextInt();
    Arrays.fill(block.bytes, from, to, value);
    SimStream other = anyStream();
    if (other.equals(block.stream)) {
      other.fill(block.block.getAddress() + from, value, to - from);
      return;
    }
    follow(other, block.stream);
    other.fill(block.block.getAddress() + from, value, to - from);
    block.block.recordUse(other);
    follow(block.stream, other);
  }

  private void follow(SimStream stream, SimStream other) {
    try (Event event = device.createEvent()) {
      event.record(other);
      stream.waitFor(event);
    }
  }

  private void closeSome(int most) {
    for (int i = dice.nextInt(most + 1); i > 0 && kept.size() > 1; i--) {
      Kept block = any();
      kept.remove(block);
      block.block.close();
    }
  }

  private void compare(Kept block) {
    ByteBuffer found = ByteBuffer.allocate(block.bytes.length);
    block.stream.copyToHost(found, block.block.getAddress());
    assertArrayEquals(block.bytes, found.array(), () -> "bytes of " + block.block);
  }

  private Kept any() {
    return kept.get(dice.nextInt(kept.size()));
  }

  private SimStream anyStream() {
    return streams.get(dice.nextInt(streams.size()));
  }

  // ---- suspensions ----

  private void suspend(Backup backup) {
    SimStream stream = anyStream();
    counted(
        () -> pool.suspend(backup, stream),
        () -> {
          if (pool.isSuspended()) {
            pool.resume(stream);
          }
        });
    assertTrue(pool.isSuspended());
  }

  private void resume() {
    SimStream stream = anyStream();
    counted(() -> pool.resume(stream), () -> assertTrue(pool.isSuspended()));
    assertFalse(pool.isSuspended());
    assertEquals(0, pool.getSuspendedBytes());
  }

  /** Does something once more where the driver fails it. */
  private void counted(Runnable action, Runnable afterFailure) {
    long before = backend.getDriverCalls().getTotal();
    try {
      action.run();
    } catch (GpuException e) {
      failures++;
      SnapshotChecks.assertAgrees(allocator);
      afterFailure.run();
      action.run();
    }
    for (long call = before + 1; call <= backend.getDriverCalls().getTotal(); call++) {
      calls.add(call);
    }
  }

  /** Nothing is live, leaked or raced for. */
  @Override
  public void close() {
    kept.forEach(each -> each.block.close());
    pool.close();
    assertEquals(0, allocator.getStatistics().requested().current(), name);
    allocator.close();
    streams.forEach(SimStream::close);
    backend.close();
    assertEquals(List.of(), backend.getHazards(), name);
    assertEquals(List.of(), backend.getLeaks(), name);
  }
}
