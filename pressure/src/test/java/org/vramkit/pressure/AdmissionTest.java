package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.sim.driver.FaultPlan;

@DisplayName("45.1 Admission")
class AdmissionTest {
  private static final Duration NOW = Duration.ZERO;
  private static final Duration LONG = Duration.ofHours(1);

  private final Scene scene = new Scene(1024);
  private final Admission gate = Admission.over(scene.allocator).limit(900 * MIB).build();

  @AfterEach
  void nothingIsLost() {
    AdmissionStatistics end = gate.getStatistics();
    assertEquals(0, end.grantedBytes(), end.toString());
    assertEquals(0, end.running(), end.toString());
    assertEquals(0, end.waiting(), end.toString());
    gate.close();
    scene.close();
  }

  private Grant acquire(long mebibytes) {
    return gate.acquire(Demand.of("job", mebibytes * MIB), NOW);
  }

  private CompletableFuture<Grant> ask(long mebibytes, int priority) {
    return gate.acquireAsync(Demand.of("job", mebibytes * MIB).withPriority(priority))
        .toCompletableFuture();
  }

  @Test
  @DisplayName(
      "45.1 a job begins at once where its memory is there, and allocates through its grant")
  void atOnce() {
    try (Grant grant = gate.acquire(Demand.of("index-build", 100 * MIB), NOW);
        Allocation block = grant.getAllocator().allocate(60 * MIB)) {
      assertEquals(60 * MIB, block.getSize());
      assertEquals(60 * MIB, grant.getUsedBytes());
      assertEquals(100 * MIB, gate.getStatistics().grantedBytes());
      assertEquals("grant for \"index-build\" of 100.00 MiB", grant.toString());
    }
  }

  @Test
  @DisplayName(
      "45.1 a grant's allocator is limited to the demand, and says by how much it is short")
  void limited() {
    try (Grant grant = acquire(100);
        Allocation held = grant.getAllocator().allocate(60 * MIB)) {
      DeviceOutOfMemoryException refused =
          assertThrows(
              DeviceOutOfMemoryException.class, () -> grant.getAllocator().allocate(50 * MIB));
      assertEquals(
          "grant for \"job\" of 100.00 MiB is exhausted: asked for 50.00 MiB, but 60.00 MiB of its"
              + " 100.00 MiB are in use; demand more, or grow it by 10.00 MiB",
          refused.getMessage());
      assertEquals(60 * MIB, grant.getUsedBytes(), held + " alone");
    }
  }

  @Test
  @DisplayName("45.1 the next in line begins when a grant ends, on the thread that ends it")
  void waits() {
    Grant first = acquire(800);
    CompletableFuture<Grant> second = ask(800, 0);
    assertFalse(second.isDone());
    first.close();
    try (Grant grant = second.join()) {
      assertEquals(800 * MIB, grant.getBytes());
      assertEquals(1, gate.getStatistics().waited());
    }
  }

  @Test
  @DisplayName("45.1 a thread that waits gets its grant when another ends")
  void blocks() {
    Grant first = acquire(800);
    CompletableFuture<Grant> second =
        CompletableFuture.supplyAsync(() -> gate.acquire(Demand.of("job", 800 * MIB), LONG));
    while (gate.getStatistics().waiting() == 0) {
      Thread.onSpinWait();
    }
    first.close();
    second.join().close();
  }

  @Test
  @DisplayName("45.1 a higher priority comes first, and equal ones come in the order of arrival")
  void priorities() {
    Grant running = acquire(800);
    List<String> order = new ArrayList<>();
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (String name : List.of("low", "high", "low too", "high too")) {
      ends.add(
          ask(800, name.startsWith("high") ? 1 : 0)
              .thenAccept(
                  grant -> {
                    order.add(name);
                    grant.close();
                  }));
    }
    running.close();
    ends.forEach(CompletableFuture::join);
    assertEquals(List.of("high", "high too", "low", "low too"), order);
  }

  @Test
  @DisplayName("45.1 a small demand passes a large one only where it leaves room for that")
  void overtaking() {
    Grant running = acquire(500);
    CompletableFuture<Grant> large = ask(700, 0);
    CompletableFuture<Grant> small = ask(150, 0);
    CompletableFuture<Grant> another = ask(100, 0);
    assertTrue(small.isDone(), "700 and 150 fit together");
    assertFalse(another.isDone(), "700, 150 and 100 do not, though 250 are free");
    running.close();
    assertTrue(large.isDone());
    small.join().close();
    assertTrue(another.isDone());
    large.join().close();
    another.join().close();
  }

  @Test
  @DisplayName(
      "45.1 memory of another process counts, until nothing runs here: then the first begins")
  void otherProcesses() {
    Grant running = acquire(100);
    scene.gpu.getFaults().inject(FaultPlan.NONE.occupy(0, 700 * MIB, 0, Long.MAX_VALUE));
    CompletableFuture<Grant> next = ask(400, 0);
    CompletableFuture<Grant> last = ask(400, 0);
    assertFalse(next.isDone(), gate.getStatistics().toString());
    assertTrue(gate.getStatistics().capacityBytes() < 300 * MIB);
    running.close();
    assertTrue(next.isDone());
    assertFalse(last.isDone());
    scene.gpu.getFaults().clear();
    next.join().close();
    last.join().close();
  }

  @Test
  @DisplayName("45.1 memory allocated beside the gate counts, too")
  void withoutGrant() {
    Grant running = acquire(100);
    try (Allocation beside = scene.allocator.allocate(600 * MIB)) {
      CompletableFuture<Grant> next = ask(400, 0);
      assertFalse(next.isDone(), beside + " is not granted");
      next.cancel(false);
    }
    ask(400, 0).join().close();
    running.close();
  }

  @Test
  @DisplayName("45.1 a result may outlive its grant: its bytes stay counted until it is closed")
  void outlives() {
    Grant job = acquire(800);
    Allocation result = job.getAllocator().allocate(500 * MIB);
    job.close();
    assertEquals(500 * MIB, gate.getStatistics().grantedBytes());
    Grant beside = acquire(300);
    CompletableFuture<Grant> next = ask(500, 0);
    assertFalse(next.isDone());
    result.close();
    next.join().close();
    beside.close();
  }

  @Test
  @DisplayName("45.1 a grant grows before new demands, and waits for its growth")
  void grows() {
    Grant growing = acquire(300);
    Grant other = acquire(500);
    CompletableFuture<Grant> demand = ask(600, 0);
    CompletableFuture<Grant> growth = growing.growAsync(400 * MIB).toCompletableFuture();
    assertFalse(growth.isDone());
    other.close();
    assertSame(growing, growth.join());
    assertFalse(demand.isDone());
    try (Allocation all = growing.getAllocator().allocate(700 * MIB)) {
      assertEquals(700 * MIB, growing.getUsedBytes(), all.toString());
    }
    growing.close();
    demand.join().close();
  }

  @Test
  @DisplayName(
      "45.1 if all running grants wait to grow, the last one to ask is refused and goes on")
  void growthDeadlock() {
    Grant first = acquire(400);
    Grant second = acquire(400);
    CompletableFuture<Grant> one = first.growAsync(200 * MIB).toCompletableFuture();
    CompletableFuture<Grant> two = second.growAsync(200 * MIB).toCompletableFuture();
    ExecutionException refused = assertThrows(ExecutionException.class, two::get);
    assertTrue(refused.getCause() instanceof DeviceOutOfMemoryException, refused.toString());
    assertFalse(one.isDone());
    assertEquals(1, gate.getStatistics().refused());
    second.close();
    one.join().close();
    assertTrue(first.isClosed());
  }

  @Test
  @DisplayName("45.1 a demand that is late leaves the line, and those behind it move up")
  void timeout() throws Exception {
    Grant running = acquire(500);
    CompletableFuture<Grant> late = ask(850, 0);
    CompletableFuture<Grant> behind = ask(300, 0);
    assertFalse(behind.isDone(), "it would make the first one wait longer");
    late.orTimeout(1, TimeUnit.MILLISECONDS);
    ExecutionException why = assertThrows(ExecutionException.class, late::get);
    assertTrue(why.getCause() instanceof TimeoutException);
    behind.get(1, TimeUnit.HOURS).close();
    assertEquals(1, gate.getStatistics().withdrawn());
    running.close();
  }

  @Test
  @DisplayName("45.1 after five runs a learned demand is within a tenth of the true peak")
  void learns() {
    for (int run = 0; run < 5; run++) {
      try (Grant grant = gate.acquire(Demand.learned("learned", 700 * MIB), NOW);
          Allocation same = grant.getAllocator().allocate(150 * MIB);
          Allocation varied = grant.getAllocator().allocate((50 - run) * MIB)) {
        assertEquals(same.getSize() + varied.getSize(), grant.getPeakBytes());
      }
    }
    Grant sixth = gate.acquire(Demand.learned("learned", 700 * MIB), NOW);
    assertEquals(198.0 * MIB, (double) sixth.getBytes(), 19.8 * MIB);
    sixth.close();
    DemandEstimate estimate = gate.getEstimate("learned");
    assertEquals(5, estimate.runs(), "a run that held nothing teaches nothing");
    assertEquals(196 * MIB, estimate.lastPeakBytes());
    assertEquals(0.0127, estimate.error(), 0.0001);
    assertEquals(List.of(estimate), gate.getStatistics().estimates());
  }

  @Test
  @DisplayName("45.1 a run that was refused memory teaches what it would have needed")
  void learnsFromRefusal() {
    try (Grant grant = gate.acquire(Demand.learned("short", 100 * MIB), NOW);
        Allocation held = grant.getAllocator().allocate(90 * MIB)) {
      assertThrows(
          DeviceOutOfMemoryException.class,
          () -> grant.getAllocator().allocate(60 * MIB),
          held.toString());
    }
    assertEquals(150 * MIB, gate.getEstimate("short").bytes());
  }

  @Test
  @DisplayName("45.1 a request that no device could serve teaches nothing")
  void learnsNotFromMistakes() {
    try (Grant grant = gate.acquire(Demand.learned("wrong", 100 * MIB), NOW);
        Allocation held = grant.getAllocator().allocate(50 * MIB)) {
      assertThrows(
          DeviceOutOfMemoryException.class,
          () -> grant.getAllocator().allocate(Long.MAX_VALUE),
          held.toString());
    }
    assertEquals(50 * MIB, gate.getEstimate("wrong").bytes());
  }

  @Test
  @DisplayName("45.1 a long line whose stages end their grants themselves is served to its end")
  void longLine() {
    Grant first = acquire(900);
    AtomicInteger served = new AtomicInteger();
    for (int i = 0; i < 20_000; i++) {
      var unused =
          ask(900, 0)
              .thenAccept(
                  grant -> {
                    served.incrementAndGet();
                    grant.close();
                  });
    }
    first.close();
    assertEquals(20_000, served.get());
  }

  @Test
  @DisplayName("45.1 a growth that is cancelled just as its turn comes leaves the grant as it was")
  void cancelledGrowth() {
    Grant first = acquire(300);
    Grant second = acquire(300);
    Grant last = acquire(300);
    CompletableFuture<Grant> growth = first.growAsync(100 * MIB).toCompletableFuture();
    CompletableFuture<Grant> cancelled = second.growAsync(100 * MIB).toCompletableFuture();
    var unused = growth.thenAccept(grown -> cancelled.cancel(false));
    last.close();
    assertEquals(400 * MIB, first.getBytes());
    assertTrue(cancelled.isCancelled());
    assertEquals(300 * MIB, second.getBytes());
    assertEquals(700 * MIB, gate.getStatistics().grantedBytes());
    first.close();
    second.close();
  }
}
