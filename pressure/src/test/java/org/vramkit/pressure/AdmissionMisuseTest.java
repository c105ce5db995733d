package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;
import static org.vramkit.pressure.Scene.says;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.Fault;

@DisplayName("45.1 Bad uses of an admission lose nothing, and say what to do:")
class AdmissionMisuseTest {
  private static final Duration NOW = Duration.ZERO;

  private final Scene scene = new Scene(1024);
  private final Admission gate = Admission.over(scene.allocator).build();
  private final Grant running = gate.acquire(Demand.of("running", 600 * MIB), NOW);

  @AfterEach
  void nothingIsLost() {
    running.close();
    AdmissionStatistics end = gate.getStatistics();
    assertEquals(0, end.grantedBytes() + end.running() + end.waiting(), end.toString());
    gate.close();
    scene.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  @DisplayName("45.1 a demand of no bytes")
  void noBytes(long bytes) {
    says(
        "must be at least 1 byte, not " + bytes,
        assertThrows(InvalidArgumentException.class, () -> Demand.of("job", bytes)));
    says(
        "must grow by at least 1 byte, not " + bytes,
        assertThrows(InvalidArgumentException.class, () -> running.grow(bytes, NOW)));
  }

  @ParameterizedTest
  @ValueSource(longs = {1024 * MIB, Long.MAX_VALUE})
  @DisplayName("45.1 a demand that never fits fails at once, with what would fit")
  void tooLarge(long bytes) {
    Demand demand = Demand.of("job", bytes);
    Duration forever = Duration.ofDays(1_000_000);
    says(
        "at most 992.00 MiB can be granted",
        assertThrows(DeviceOutOfMemoryException.class, () -> gate.acquire(demand, forever)));
    says(
        "at most 992.00 MiB can be granted",
        assertThrows(
                CompletionException.class,
                () -> gate.acquireAsync(demand).toCompletableFuture().join())
            .getCause());
    says(
        "at most 392.00 MiB can be granted",
        assertThrows(DeviceOutOfMemoryException.class, () -> running.grow(bytes, forever)));
  }

  @Test
  @DisplayName("45.1 a demand that is late says who has the memory")
  void late() {
    DeviceOutOfMemoryException late =
        assertThrows(
            DeviceOutOfMemoryException.class,
            () -> gate.acquire(Demand.of("late", 500 * MIB), Duration.ofMillis(1)));
    says("no grant of 500.00 MiB", late);
    says("1 open grant", late);
    says("600.00 MiB of 992.00 MiB", late);
    assertEquals(1, gate.getStatistics().withdrawn());
  }

  @Test
  @DisplayName("45.1 a negative timeout, a limit of nothing")
  void arguments() {
    says(
        "must not be negative",
        assertThrows(
            InvalidArgumentException.class,
            () -> gate.acquire(Demand.of("job", 1), Duration.ofNanos(-1))));
    says(
        "at least 1 byte, not 0",
        assertThrows(
            InvalidArgumentException.class, () -> Admission.over(scene.allocator).limit(0)));
  }

  @Test
  @DisplayName("45.1 a grant used after its end")
  void ended() {
    Grant grant = gate.acquire(Demand.of("ended", MIB), NOW);
    Allocator memory = grant.getAllocator();
    grant.close();
    grant.close();
    says("is closed", assertThrows(ClosedException.class, () -> memory.allocate(1)));
    says("is closed", assertThrows(ClosedException.class, () -> memory.allocate(0)));
    says("is closed", assertThrows(ClosedException.class, () -> grant.grow(1, NOW)));
    assertTrue(grant.growAsync(1).toCompletableFuture().isCompletedExceptionally());
    assertEquals(600 * MIB, gate.getStatistics().grantedBytes());
  }

  @Test
  @DisplayName("45.1 a grant closed while it waits to grow")
  void closedWhileGrowing() {
    Grant other = gate.acquire(Demand.of("other", 300 * MIB), NOW);
    CompletableFuture<Grant> growth = other.growAsync(200 * MIB).toCompletableFuture();
    other.close();
    assertTrue(
        assertThrows(CompletionException.class, growth::join).getCause()
            instanceof ClosedException);
  }

  @Test
  @DisplayName("45.1 an allocator of a grant closed while memory of it is held")
  void allocatorClosed() {
    Allocation held = running.getAllocator().allocate(MIB);
    says(
        "1 open or unfinished allocation of 1.00 MiB",
        assertThrows(IllegalStateException.class, running.getAllocator()::close));
    held.close();
    held.close();
    running.getAllocator().close();
    assertThrows(ClosedException.class, () -> running.getAllocator().allocate(1));
  }

  @Test
  @DisplayName("45.1 closing an admission fails its waiters; open grants continue")
  void closed() {
    CompletableFuture<Grant> waiting =
        gate.acquireAsync(Demand.of("waiting", 900 * MIB)).toCompletableFuture();
    gate.close();
    assertTrue(
        assertThrows(CompletionException.class, waiting::join).getCause()
            instanceof ClosedException);
    says(
        "admits no more jobs",
        assertThrows(ClosedException.class, () -> gate.acquire(Demand.of("job", 1), NOW)));
    running.getAllocator().allocate(MIB).close();
  }

  @Test
  @DisplayName("45.1 a thread interrupted in line leaves it, and stays interrupted")
  void interrupted() {
    Thread.currentThread().interrupt();
    says(
        "interrupted while",
        assertThrows(
            CancellationException.class,
            () -> gate.acquire(Demand.of("job", 900 * MIB), Duration.ofDays(1))));
    assertTrue(Thread.interrupted());
    assertEquals(0, gate.getStatistics().waiting());
  }

  @Test
  @DisplayName("45.1 a driver that fails to tell its memory ends no grant badly and takes no place")
  void driverFails() {
    CompletableFuture<Grant> waiting =
        gate.acquireAsync(Demand.of("waiting", 900 * MIB)).toCompletableFuture();
    scene.gpu.getFaults().failNext("cuMemGetInfo", Fault.UNKNOWN);
    assertThrows(GpuException.class, () -> gate.acquire(Demand.of("second", 900 * MIB), NOW));
    assertEquals(1, gate.getStatistics().waiting());
    scene.gpu.getFaults().failNext("cuMemGetInfo", Fault.UNKNOWN);
    running.close();
    assertFalse(waiting.isCompletedExceptionally());
    waiting.join().close();
  }

  @Test
  @DisplayName("45.1 the stage reports a failure of the driver; the call does not throw it")
  void failingDriver() {
    scene.gpu.getFaults().failNext("cuMemGetInfo", Fault.UNKNOWN);
    CompletionStage<Grant> asked = gate.acquireAsync(Demand.of("job", 600 * MIB));
    assertTrue(
        assertThrows(CompletionException.class, () -> asked.toCompletableFuture().join()).getCause()
            instanceof GpuException);
    scene.gpu.getFaults().failNext("cuMemGetInfo", Fault.UNKNOWN);
    CompletionStage<Grant> growth = running.growAsync(MIB);
    assertTrue(growth.toCompletableFuture().isCompletedExceptionally());
  }
}
