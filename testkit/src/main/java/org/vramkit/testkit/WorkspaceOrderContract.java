package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;

/** Tests slabs that are reused by other streams and threads. */
interface WorkspaceOrderContract extends WorkspaceContext {

  @Test
  @DisplayName("S1 a slab of one stream serves another only in order")
  default void slabsChangeStreamsInOrder() {
    long bytes = 16 * ByteSize.MIB;
    try (Stream one = getDevice().createStream();
        Stream other = getDevice().createStream();
        Allocation copy = getAllocator().allocate(bytes, one)) {
      for (byte round = 1; round <= 20; round++) {
        try (WorkspaceLease lease = getWorkspace().acquire(bytes, one)) {
          one.fill(lease.getAddress(), round, bytes);
          one.copy(copy.getAddress(), lease.getAddress(), bytes);
        }
        try (WorkspaceLease next = getWorkspace().acquire(bytes, other)) {
          other.fill(next.getAddress(), (byte) -1, bytes);
        }
        DeviceBytes.assertFilled(one, copy.getAddress(), bytes, round, "round " + round);
      }
    }
  }

  @Test
  @DisplayName("S1 a slab of a stream that was closed later serves another after its work")
  default void closedStream() {
    long bytes = 4 * ByteSize.MIB;
    try (Stream stream = getDevice().createStream()) {
      for (int round = 0; round < 5; round++) {
        try (Stream brief = getDevice().createStream();
            WorkspaceLease lease = getWorkspace().acquire(bytes, brief)) {
          brief.fill(lease.getAddress(), (byte) 1, bytes);
        }
        try (WorkspaceLease lease = getWorkspace().acquire(bytes, stream)) {
          stream.fill(lease.getAddress(), (byte) 2, bytes);
          DeviceBytes.assertFilled(stream, lease.getAddress(), bytes, (byte) 2, "round " + round);
        }
      }
    }
  }

  @Test
  @DisplayName("S1 4 threads x 100 leases on the default and on own streams never share a slab")
  default void manyThreads() throws InterruptedException {
    AtomicInteger marks = new AtomicInteger();
    RandomThreads.run(random -> leaseOften(random, (byte) marks.getAndIncrement()));
    getWorkspace().close();
    assertEquals(0, getAllocator().getStatistics().allocations().current());
  }

  private void leaseOften(RandomGenerator random, byte mark) {
    try (Stream own = getDevice().createStream()) {
      for (int i = 0; i < 100; i++) {
        Stream stream = random.nextBoolean() ? own : getDevice().getDefaultStream();
        try (WorkspaceLease lease =
            getWorkspace().acquire(random.nextLong(1, ByteSize.MIB), stream)) {
          stream.fill(lease.getAddress(), mark, lease.getSize());
          if (stream == own) {
            DeviceBytes.assertFilled(own, lease.getAddress(), lease.getSize(), mark, "own slab");
          }
        }
      }
    }
  }
}
