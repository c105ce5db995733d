package org.vramkit.pool.streamordered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

@DisplayName("StreamOrderedPool: which block is reused, and what asking costs")
class StreamOrderedPoolReuseTest {
  private static final int MANY = 1000;

  private final AtomicLong clock = new AtomicLong();
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimDevice device = backend.getDevice(0);
  private final StreamOrderedPool pool =
      StreamOrderedPool.builder(device).decay(Duration.ofSeconds(10)).clock(clock::get).build();

  private List<Allocation> allocate(int count, long bytes, SimStream stream) {
    List<Allocation> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      blocks.add(pool.allocate(bytes, stream));
    }
    return blocks;
  }

  private void end(SimStream... streams) {
    pool.close();
    for (SimStream each : streams) {
      each.close();
    }
    assertEquals(List.of(), backend.getHazards());
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  @Test
  @DisplayName("17.17 the newest block first, so that surplus blocks decay")
  void surplusDecays() {
    SimStream stream = device.createStream();
    allocate(100, ByteSize.MIB, stream).forEach(Allocation::close);
    assertEquals(100 * ByteSize.MIB, pool.getStatistics().cachedBytes());
    for (int second = 0; second < 3600; second++) {
      clock.addAndGet(Duration.ofSeconds(1).toNanos());
      pool.allocate(ByteSize.MIB, stream).close();
    }
    assertEquals(ByteSize.MIB, pool.getStatistics().cachedBytes());
    end(stream);
  }

  @Test
  @DisplayName("17.17 the newest of those that another stream has passed, too")
  void newestOfAnotherStream() {
    SimStream stream = device.createStream();
    SimStream next = device.createStream();
    List<Allocation> blocks = allocate(3, 512, stream);
    long newest = blocks.get(2).getAddress();
    blocks.forEach(Allocation::close);
    device.synchronize();
    try (Allocation again = pool.allocate(512, next)) {
      assertEquals(newest, again.getAddress());
    }
    end(stream, next);
  }

  @Test
  @DisplayName("17.7 a thousand blocks of a busy stream cost one question, not a thousand")
  @Tag("virtual-time")
  void oneQuestion() {
    SimStream busy = device.createStream();
    SimStream other = device.createStream();
    List<Allocation> blocks = allocate(MANY, 512, busy);
    busy.launch(SimKernel.named("work").taking(10_000_000_000L).build());
    blocks.forEach(Allocation::close);
    backend.getDriverCalls().reset();
    pool.allocate(512, other).close();
    assertEquals(1, backend.getDriverCalls().getCount("cuEventQuery"));
    device.synchronize();
    end(busy, other);
  }

  @Test
  @DisplayName("17.7 a thousand blocks that a busy stream was recorded for cost one question, too")
  @Tag("virtual-time")
  void oneQuestionForEachUser() {
    SimStream own = device.createStream();
    SimStream user = device.createStream();
    user.launch(SimKernel.named("work").taking(10_000_000_000L).build());
    for (Allocation each : allocate(MANY, 512, own)) {
      each.recordUse(user);
      each.close();
    }
    own.synchronize();
    backend.getDriverCalls().reset();
    Allocation first = pool.allocate(512, own);
    long asked = backend.getDriverCalls().getCount("cuEventQuery");
    assertTrue(asked <= MANY + 1, "once for each that its own stream has passed: " + asked);
    backend.getDriverCalls().reset();
    Allocation second = pool.allocate(512, own);
    assertEquals(1, backend.getDriverCalls().getCount("cuEventQuery"));
    first.close();
    second.close();
    device.synchronize();
    end(own, user);
  }

  @Test
  @DisplayName("17.7 a take asks few of a thousand busy streams, and others the next time")
  @Tag("virtual-time")
  void fewStreams() {
    List<SimStream> streams = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      SimStream stream = device.createStream();
      streams.add(stream);
      Allocation block = pool.allocate(512, stream);
      stream.launch(SimKernel.named("work").taking(10_000_000_000L).build());
      block.close();
    }
    SimStream other = device.createStream();
    backend.getDriverCalls().reset();
    Allocation fresh = pool.allocate(512, other);
    long asked = backend.getDriverCalls().getCount("cuEventQuery");
    assertTrue(asked <= 16, asked + " questions");
    streams.get(100).synchronize();
    int takes = 0;
    List<Allocation> more = new ArrayList<>();
    while (pool.getStatistics().servedFromPool() == 0 && takes++ < 200) {
      more.add(pool.allocate(512, other));
    }
    assertTrue(takes <= 200 / 16 + 1, "found after " + takes + " takes");
    more.forEach(Allocation::close);
    fresh.close();
    device.synchronize();
    streams.add(other);
    end(streams.toArray(new SimStream[0]));
  }
}
