package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/** Public, because Lincheck creates instances. Each operation releases all that it acquires. */
@DisplayName("45.1 In every order of two threads an admission")
@Tag("own-schedules")
public class AdmissionLincheckTest {
  private static final long LIMIT = 90;

  private final CountedMemory memory = new CountedMemory(100);
  private final Admission gate = Admission.over(memory).limit(LIMIT).build();

  /** The bytes that the operations have been granted and have not given back. */
  private final AtomicLong granted = new AtomicLong();

  private final AtomicLong demands = new AtomicLong();
  private final Queue<Grant> kept = new ConcurrentLinkedQueue<>();

  public AdmissionLincheckTest() {}

  /** Acquires most of the memory and keeps it, or leaves the line. */
  @Operation
  public void acquiresOrTimesOut() {
    Grant grant = acquire(Demand.of("now", 60));
    if (grant != null) {
      take(60);
      kept.add(grant);
    }
  }

  /** Requests a grant and cancels the request, possibly while it is being granted. */
  @Operation
  public void asksAndCancels() {
    demands.incrementAndGet();
    CompletableFuture<Grant> asked =
        gate.acquireAsync(Demand.of("maybe", 50)).toCompletableFuture();
    if (!asked.cancel(false)) {
      Grant grant = asked.join();
      take(50);
      uses(grant);
    }
  }

  /** Closes a grant while its memory is held. */
  @Operation
  public void outlives() {
    Grant grant = acquire(Demand.of("result", 40));
    if (grant != null) {
      take(40);
      Allocation result = grant.getAllocator().allocate(30);
      giveBack(10);
      grant.close();
      giveBack(30);
      result.close();
    }
  }

  private @Nullable Grant acquire(Demand demand) {
    demands.incrementAndGet();
    try {
      return gate.acquire(demand, Duration.ZERO);
    } catch (DeviceOutOfMemoryException late) {
      assertEquals(demand.bytes(), late.getRequestedBytes());
      return null;
    }
  }

  /** Allocates all memory of a grant and closes it. */
  private void uses(Grant grant) {
    Allocation block = grant.getAllocator().allocate(grant.getBytes());
    assertEquals(grant.getBytes(), block.getSize());
    block.close();
    giveBack(grant.getBytes());
    grant.close();
  }

  private void take(long bytes) {
    long all = granted.addAndGet(bytes);
    assertTrue(all <= LIMIT, "more than the limit is granted");
  }

  /** Called before the close, after which another thread may have the bytes at once. */
  private void giveBack(long bytes) {
    granted.addAndGet(-bytes);
  }

  /** Checks that each demand counts once, and that no grant, request or byte remains. */
  @Validate
  public void leavesNothing() {
    kept.forEach(this::uses);
    AdmissionStatistics end = gate.getStatistics();
    assertEquals(0, end.grantedBytes() + end.usedBytes() + end.running() + end.waiting());
    assertEquals(demands.get(), end.admitted() + end.withdrawn());
    assertEquals(0, memory.getLive());
  }

  @Test
  @DisplayName("45.1 grants what there is and no more, and loses no place, grant or byte")
  void losesNothing() {
    NothingThrown.inEveryOrderOf(AdmissionLincheckTest.class);
  }
}
