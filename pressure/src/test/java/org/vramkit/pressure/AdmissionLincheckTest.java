package org.vramkit.pressure;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/** Public, because Lincheck creates instances. Each operation releases all that it acquires. */
@DisplayName("45.1 In every order of two threads an admission")
@Tag("nightly")
@Tag("own-schedules")
public class AdmissionLincheckTest {
  private final CountedMemory memory = new CountedMemory(100);
  private final Admission gate = Admission.over(memory).limit(90).build();

  public AdmissionLincheckTest() {}

  /** Acquires most of the memory, or leaves the line. */
  @Operation
  public void acquiresOrTimesOut() {
    try (Grant grant = gate.acquire(Demand.of("now", 60), Duration.ZERO)) {
      uses(grant, 60);
    } catch (DeviceOutOfMemoryException late) {
      assertEquals(60, late.getRequestedBytes());
    }
  }

  /** Requests a grant and cancels the request, possibly while it is being granted. */
  @Operation
  public void asksAndCancels() {
    CompletableFuture<Grant> asked =
        gate.acquireAsync(Demand.of("maybe", 50)).toCompletableFuture();
    if (!asked.cancel(false)) {
      asked.join().close();
    }
  }

  /** Closes a grant while its memory is held. */
  @Operation
  public void outlives() {
    try {
      Grant grant = gate.acquire(Demand.of("result", 40), Duration.ZERO);
      Allocation result = grant.getAllocator().allocate(30);
      grant.close();
      result.close();
    } catch (DeviceOutOfMemoryException late) {
      assertEquals(40, late.getRequestedBytes());
    }
  }

  private static void uses(Grant grant, long bytes) {
    try (Allocation block = grant.getAllocator().allocate(bytes)) {
      assertEquals(bytes, block.getSize());
    }
  }

  /** Checks that no grant remains and that memory was never overcommitted. */
  @Validate
  public void leavesNothing() {
    AdmissionStatistics end = gate.getStatistics();
    assertEquals(0, end.grantedBytes() + end.usedBytes() + end.running() + end.waiting());
    assertEquals(0, memory.getLive());
  }

  @Test
  @DisplayName("45.1 grants what there is and no more, and loses no place, grant or byte")
  void losesNothing() {
    new ModelCheckingOptions()
        .threads(2)
        .actorsPerThread(1)
        .actorsBefore(0)
        .actorsAfter(0)
        .iterations(6)
        .invocationsPerIteration(NothingThrown.ORDERS)
        .verifier(NothingThrown.class)
        .addGuarantee(forClasses(NothingThrown::isUsedUnderLocks).allMethods().ignore())
        .check(AdmissionLincheckTest.class);
  }
}
