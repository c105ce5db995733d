package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;

@DisplayName("42.23 A part for scarce memory that an error of the JVM has broken")
@Tag("own-schedules")
class BrokenPartTest {
  private static final Duration NOW = Duration.ZERO;

  private final CountedMemory memory = new CountedMemory(100);
  private final StackOverflowError error = new StackOverflowError("planned");

  private void refuses(Supplier<?> call) {
    IllegalStateException broken = assertThrows(IllegalStateException.class, call::get);
    Scene.says("is broken", broken);
    assertSame(error, broken.getCause());
  }

  private static void fails(CompletableFuture<?> stage) {
    Throwable told = assertThrows(CompletionException.class, stage::join).getCause();
    Scene.says("is broken", assertInstanceOf(IllegalStateException.class, told));
  }

  @Test
  @DisplayName("an admission: refuses jobs, fails those in line, and closes")
  void admission() {
    Admission admission = Admission.over(memory).build();
    Grant grant = admission.acquire(Demand.of("runs", 60), NOW);
    Allocation held = grant.getAllocator().allocate(50, memory.getStream());
    CompletableFuture<Grant> waits =
        admission.acquireAsync(Demand.of("waits", 60)).toCompletableFuture();
    admission.lock.brokenBy = error;
    refuses(() -> admission.acquire(Demand.of("late", 1), NOW));
    fails(waits);
    fails(admission.acquireAsync(Demand.of("later", 1)).toCompletableFuture());
    refuses(() -> grant.getAllocator().allocate(1, memory.getStream()));
    held.close();
    grant.close();
    admission.close();
    assertEquals(0, memory.getLive());
  }

  @Test
  @DisplayName("a waiting allocator: refuses requests, fails those in line, and closes")
  void waiting() {
    WaitingAllocator allocator = WaitingAllocator.over(memory, NOW);
    Allocation held = allocator.allocate(60, memory.getStream());
    CompletableFuture<Allocation> waits =
        allocator.allocateAsync(60, memory.getStream(), Runnable::run).toCompletableFuture();
    allocator.lock.brokenBy = error;
    refuses(() -> allocator.allocate(1, memory.getStream()));
    fails(waits);
    held.close();
    allocator.close();
    assertEquals(0, memory.getLive());
  }

  @Test
  @DisplayName("a retry: ends the task that runs, with all its memory, and begins none")
  void retry() {
    RetryTasks tasks = new RetryTasks();
    Retry retry = new Retry(memory, tasks);
    Consumer<Allocation> breaking = held -> tasks.lock.brokenBy = error;
    Supplier<?> task =
        () ->
            retry.withSplit(
                "task",
                60,
                any -> List.of(),
                (bytes, own) -> {
                  breaking.accept(own.allocate(bytes, memory.getStream()));
                  return bytes;
                });
    refuses(task);
    refuses(task);
    assertEquals(0, memory.getLive());
  }

  @Test
  @DisplayName("a spill store: leases and spills nothing, and its close frees open spillables")
  void spills() {
    SpillStore store = SpillStore.over(memory).hostLimit(1000).build();
    Spillable leased = store.create(60, 0);
    Spillable idle = store.create(30, 0);
    SpillableLease lease = leased.materialize(memory.getStream());
    idle.materialize(memory.getStream()).close();
    store.lock.brokenBy = error;
    refuses(() -> idle.materialize(memory.getStream()));
    refuses(() -> store.spill(1));
    refuses(() -> store.create(1, 0));
    lease.close();
    idle.close();
    assertEquals(90, memory.getLive());
    store.close();
    store.close();
    assertEquals(0, memory.getLive());
  }
}
