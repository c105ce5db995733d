package org.vramkit.pool.caching.suspend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

/** Each refusal names the remedy, and leaves the bytes of the pool where they can be had. */
@DisplayName("A suspension of a private pool is refused, and nothing is lost,")
class SuspendRefusalsTest {
  @Test
  @DisplayName("45.4 on a closed stream, and so is a resume")
  void closedStream() {
    withPool(
        (box, pool) -> {
          SimStream closed = box.newStream();
          closed.close();
          says(ClosedException.class, "open stream", () -> pool.suspend(Backup.HOST, closed));
          assertFalse(pool.isSuspended());
          pool.suspend(Backup.HOST, box.stream);
          says(ClosedException.class, "open stream", () -> pool.resume(closed));
          assertTrue(pool.isSuspended());
          pool.resume(box.stream);
        });
  }

  @Test
  @DisplayName("45.4 on a stream of another backend")
  void foreignStream() {
    try (SimBackend other = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        SimStream foreign = other.getDevice(0).createStream()) {
      withPool(
          (box, pool) -> {
            says(
                InvalidArgumentException.class,
                "another backend",
                () -> pool.suspend(Backup.HOST, foreign));
            pool.suspend(Backup.HOST, box.stream);
            says(InvalidArgumentException.class, "another backend", () -> pool.resume(foreign));
            pool.resume(box.stream);
          });
    }
  }

  @Test
  @DisplayName("45.4 twice")
  void twice() {
    withPool(
        (box, pool) -> {
          pool.suspend(Backup.HOST, box.stream);
          says(
              IllegalStateException.class,
              "resume it first",
              () -> pool.suspend(Backup.NONE, box.stream));
          pool.resume(box.stream);
          says(IllegalStateException.class, "suspend it first", () -> pool.resume(box.stream));
        });
  }

  @Test
  @DisplayName("45.4 while a stream is captured, or a graph holds the memory; and so is a resume")
  void captured() {
    withPool(
        (box, pool) -> {
          SimStream side = box.newStream();
          try (PrivatePool graphs = box.allocator.createPool();
              PoolCapture capture = graphs.capture(side)) {
            says(
                CaptureException.class,
                "end the capture",
                () -> pool.suspend(Backup.HOST, box.stream));
            try (var graph = capture.end()) {
              says(
                  CaptureException.class,
                  "close them first",
                  () -> graphs.suspend(Backup.HOST, box.stream));
              assertFalse(graph.isClosed());
            }
          }
          pool.suspend(Backup.HOST, box.stream);
          try (PrivatePool graphs = box.allocator.createPool();
              PoolCapture capture = graphs.capture(side)) {
            says(CaptureException.class, "end the capture", () -> pool.resume(box.stream));
            capture.end().close();
          }
          pool.resume(box.stream);
        });
  }

  @Test
  @DisplayName("45.4 without a backup or a stream")
  void nulls() {
    withPool(
        (box, pool) -> {
          says(NullPointerException.class, "backup", () -> pool.suspend(nothing(), box.stream));
          says(NullPointerException.class, "stream", () -> pool.suspend(Backup.HOST, nothing()));
          says(NullPointerException.class, "stream", () -> pool.resume(nothing()));
        });
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what a caller must not do
  private static <T> T nothing() {
    return null;
  }

  @Test
  @DisplayName("45.4 over segments, the allocator's or a user's")
  void segments() {
    try (Sandbox box = Sandbox.on(VirtualMemoryUse.OFF);
        PrivatePool pool = box.allocator.createPool()) {
      Allocation block = SuspendTest.written(box, pool, MIB, (byte) 5);
      says(
          NotSupportedException.class,
          "virtualMemory(VirtualMemoryUse.ON)",
          () -> pool.suspend(Backup.NONE, box.stream));
      SuspendTest.assertHolds(box, block, (byte) 5);
      block.close();
    }
  }

  @Test
  @DisplayName("45.4 once the pool is closed")
  void closedPool() {
    withPool(
        (box, pool) -> {
          pool.close();
          says(ClosedException.class, "closed", () -> pool.suspend(Backup.HOST, box.stream));
        });
  }

  @Test
  @DisplayName("45.4 if the host is out of memory")
  void hostOutOfMemory() {
    withPool(
        (box, pool) -> {
          box.backend.getFaults().failNext("cuMemAllocHost", Fault.OUT_OF_MEMORY);
          says(
              DeviceOutOfMemoryException.class,
              "Backup.NONE",
              () -> pool.suspend(Backup.HOST, box.stream));
          assertFalse(pool.isSuspended());
        });
  }

  @Test
  @DisplayName(
      "45.4 and a resume is, too, if others hold the memory; they release their free memory")
  void outOfMemory() {
    try (Sandbox box = Sandbox.with(builder -> builder.limit(60 * MIB));
        PrivatePool pool = box.allocator.createPool()) {
      Allocation block = SuspendTest.written(box, pool, 40 * MIB, (byte) 5);
      pool.suspend(Backup.HOST, box.stream);
      Allocation other = box.allocator.allocate(40 * MIB, box.stream);
      says(DeviceOutOfMemoryException.class, "resume it again", () -> pool.resume(box.stream));
      assertTrue(pool.isSuspended());
      assertEquals(40 * MIB, pool.getSuspendedBytes());
      assertEquals(0, pool.getAllocator().getStatistics().reserved().current());
      box.stream.fill(other.getAddress(), (byte) 1, other.getSize());
      other.close();
      pool.resume(box.stream);
      SuspendTest.assertHolds(box, block, (byte) 5);
      block.close();
    }
  }

  @ParameterizedTest(name = "while {0} and then waits fail")
  @ValueSource(strings = {"cuMemUnmap", "cuEventSynchronize", "cuMemcpyDtoHAsync"})
  @DisplayName("45.4 if a call and the wait after it fail; memory stays mapped under the copies")
  void failedWaitOfSuspension(String call) {
    withPool(
        (box, pool) -> {
          box.backend.getFaults().failNext(call, Fault.UNKNOWN);
          box.backend.getFaults().failEvery("cuStreamSynchronize", Fault.UNKNOWN);
          says(DriverException.class, "UNKNOWN", () -> pool.suspend(Backup.HOST, box.newStream()));
          box.backend.getFaults().clear();
          pool.resume(box.stream);
        });
  }

  @Test
  @DisplayName("45.4 and a resume is, too, if waits fail; memory stays mapped under the copies")
  void failedWaitOfResume() {
    withPool(
        (box, pool) -> {
          pool.suspend(Backup.HOST, box.stream);
          box.backend.getFaults().failEvery("cuStreamSynchronize", Fault.UNKNOWN);
          says(DriverException.class, "UNKNOWN", () -> pool.resume(box.newStream()));
          assertTrue(pool.isSuspended());
          box.backend.getFaults().clear();
          pool.resume(box.stream);
        });
  }

  @ParameterizedTest(name = "while {0} fails")
  @ValueSource(strings = {"cuMemSetAccess", "cuMemcpyHtoDAsync"})
  @DisplayName("45.4 and a failed resume unmaps nothing that a closed block's other stream may use")
  void failedResumeBesidePendingBlock(String call) {
    withPool(
        (box, pool) -> {
          SimStream other = box.newStream();
          Allocation its = pool.getAllocator().allocate(MIB, other);
          Allocation shared = SuspendTest.written(box, pool, MIB / 2, (byte) 6);
          shared.recordUse(other);
          pool.suspend(Backup.HOST, box.stream);
          other.launch(SimKernel.named("elsewhere").taking(5_000_000).build());
          shared.close();
          box.backend.getFaults().failNext(call, Fault.UNKNOWN);
          says(DriverException.class, "UNKNOWN", () -> pool.resume(box.stream));
          assertTrue(pool.isSuspended());
          pool.resume(box.stream);
          its.close();
        });
  }

  @Test
  @DisplayName("45.4 and an allocation beside it is not, if what is reserved leaves enough")
  void beside() {
    try (Sandbox box = Sandbox.with(builder -> builder.limit(60 * MIB));
        PrivatePool pool = box.allocator.createPool()) {
      Allocation block = SuspendTest.written(box, pool, 40 * MIB, (byte) 5);
      box.allocator.setOutOfMemoryHandler(
          (report, attempt) -> {
            pool.suspend(Backup.HOST, box.stream);
            return true;
          });
      Allocation other = box.allocator.allocate(50 * MIB, box.newStream());
      box.allocator.setOutOfMemoryHandler(OutOfMemoryHandler.NONE);
      AllocatorOutOfMemoryException e =
          assertThrows(
              AllocatorOutOfMemoryException.class,
              () -> box.allocator.allocate(20 * MIB, box.stream));
      assertEquals(
          "raise the limit by 10.00 MiB, or free 10.00 MiB, or ask for at most 10.00 MiB",
          e.getReport().advice());
      assertTrue(e.toString().contains("), suspended 40.00 MiB; to do: "), e.toString());
      other.close();
      pool.resume(box.stream);
      SuspendTest.assertHolds(box, block, (byte) 5);
      block.close();
    }
  }

  // ---- the frame ----

  private interface Misuse {
    void of(Sandbox box, PrivatePool pool);
  }

  /** Misuses a pool, whose block has its bytes afterwards, and leaves nothing. */
  private static void withPool(Misuse misuse) {
    try (Sandbox box = Sandbox.standard();
        PrivatePool pool = box.allocator.createPool()) {
      Allocation block = SuspendTest.written(box, pool, 3 * MIB, (byte) 5);
      misuse.of(box, pool);
      SuspendTest.assertHolds(box, block, (byte) 5);
      block.close();
    }
  }

  private static <E extends Throwable> void says(Class<E> kind, String remedy, Executable misuse) {
    E error = assertThrows(kind, misuse);
    assertTrue(error.toString().contains(remedy), error::toString);
  }
}
