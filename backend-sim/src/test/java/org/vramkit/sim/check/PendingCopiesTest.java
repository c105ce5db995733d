package org.vramkit.sim.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.RunId;
import org.vramkit.sim.hazard.Strictness;

@DisplayName("Pending copies from page-locked memory")
class PendingCopiesTest {
  private static final int COPIES = 4000;
  private static final int BYTES = 64;

  private final AtomicLong asked = new AtomicLong();
  private long done;
  private final Clocks clocks = new Clocks();
  private final HostThreads hosts = new HostThreads(Strictness.STRICT, clocks);
  private final Operation.Factory operations = new Operation.Factory(hosts, 0);
  private final Reports reports =
      new Reports(COPIES, new RunId(1, "eager"), new SyncLog(operations, hosts));
  private final ByteBuffer content = ByteBuffer.allocate(COPIES * BYTES);
  private final HostWrites writes =
      new HostWrites(true, new Owners().host, this::isDone, reports, operations);

  private boolean isDone(int slot, long epoch) {
    asked.incrementAndGet();
    return epoch <= done;
  }

  /** Submits one copy after the other; the last epoch is that of the last copy. */
  private long submit() {
    StreamClock stream = clocks.create("stream", 0, new HostClock());
    long epoch = 0;
    for (int i = 0; i < COPIES; i++) {
      Operation copy = operations.submit("copy", stream);
      epoch = copy.epoch();
      PinnedRange range =
          new PinnedRange(0, 0, content.capacity(), (long) BYTES * i, BYTES * (i + 1L));
      ByteBuffer part = content.slice(BYTES * i, BYTES);
      writes.submitted(copy, range, () -> part, (start, bytes) -> {});
    }
    return epoch;
  }

  @Test
  @DisplayName("cost a wait no more than those that it completes")
  void proportional() {
    long last = submit();
    asked.set(0);
    for (int i = 0; i < COPIES; i++) {
      writes.learnt();
    }
    assertTrue(asked.get() <= COPIES, () -> asked + " questions of waits that complete nothing");
    asked.set(0);
    for (int i = COPIES - 1; i >= 0; i--) {
      done = last - i;
      writes.learnt();
    }
    assertTrue(asked.get() <= 4 * COPIES, () -> asked + " questions of waits for one copy each");
    content.put(0, (byte) 1);
    writes.learnt();
    assertEquals(List.of(), reports.getHazards());
  }

  @Test
  @DisplayName("are compared once they are done, and no later")
  void compared() {
    long last = submit();
    content.put(BYTES * (COPIES - 1), (byte) 1);
    done = last - 1;
    writes.learnt();
    assertEquals(List.of(), reports.getHazards());
    done = last;
    writes.learnt();
    assertEquals(
        List.of((long) BYTES * (COPIES - 1)),
        reports.getHazards().stream().map(HazardReport::address).toList());
  }
}
