package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("Writes of the host through views")
class HostWritesTest {
  private static final int BYTES = 256;

  /** Four of these exceed what is kept of closed buffers. */
  private static final int LARGE = 17 << 20;

  private static PinnedBuffer filled(Scene scene, int bytes) {
    PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(bytes);
    buffer.getBytes(0, bytes).put(new byte[bytes]);
    buffer.hostWrites(0, bytes);
    return buffer;
  }

  @ParameterizedTest
  @DisplayName("19 under copies of two streams of which the host has waited for one")
  @ValueSource(booleans = {false, true})
  void copiesOfTwoStreams(boolean waitsForFirst) {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = filled(scene, BYTES);
      long other = scene.device.getMemory().allocate(BYTES);
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      scene.s2.copyToDevice(other, buffer, 0, BYTES);
      (waitsForFirst ? scene.s1 : scene.s2).synchronize();
      buffer.getBytes(0, BYTES).put(BYTES - 1, (byte) 1);
      scene.device.synchronize();
      scene.expect(HOST_RACE);
    }
  }

  @Test
  @DisplayName("19, twin: the host has waited for both streams")
  void bothWaitedFor() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = filled(scene, BYTES);
      long other = scene.device.getMemory().allocate(BYTES);
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      scene.s2.copyToDevice(other, buffer, 0, BYTES);
      scene.s1.synchronize();
      scene.s2.synchronize();
      buffer.getBytes(0, BYTES).put(17, (byte) 1);
      scene.device.synchronize();
      scene.expect();
    }
  }

  @Test
  @DisplayName("19 just before queued work writes the same bytes")
  void beforeAWriteOfWork() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = filled(scene, BYTES);
      scene.write(scene.s1);
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      buffer.getBytes(0, BYTES).put(17, (byte) 1);
      scene.s1.copyToHost(buffer, 0, scene.block, BYTES);
      scene.s1.synchronize();
      scene.expect(HOST_RACE);
    }
  }

  @ParameterizedTest
  @DisplayName("19 under a copy, beside bytes that the host declares to write")
  @ValueSource(ints = {0, 2})
  void besideADeclaredWrite(int declared) {
    try (Scene scene = new Scene()) {
      int part = BYTES / 3;
      PinnedBuffer buffer = filled(scene, 3 * part);
      scene.s1.copyToDevice(scene.block, buffer, part, part);
      buffer.hostWrites((long) declared * part, part);
      buffer.getBytes(part, part).put(5, (byte) 1);
      scene.s1.synchronize();
      scene.expect(HOST_RACE);
    }
  }

  @Test
  @DisplayName("19, twin: after the host function behind the copy has completed a future")
  void afterAFunction() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = filled(scene, BYTES);
      CompletableFuture<Void> copied = new CompletableFuture<>();
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      scene.s1.callHost("copied", () -> copied.complete(null));
      copied.join();
      scene.expect();
      buffer.getBytes(0, BYTES).put(17, (byte) 1);
      scene.s1.synchronize();
      scene.expect();
    }
  }

  @Test
  @DisplayName("19 under a copy behind a function, by a thread before the function begins")
  void beforeTheFunctionBegins() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = filled(scene, BYTES);
      scene.s1.callHost("idle", () -> {});
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      buffer.getBytes(0, BYTES).put(17, (byte) 1);
      scene.s1.synchronize();
      scene.expect(HOST_RACE);
    }
  }

  @Test
  @DisplayName("19 under a copy behind a function that writes the same bytes rightly")
  void behindAFunction() {
    try (Scene scene = new Scene();
        SimEvent filled = scene.device.createEvent()) {
      PinnedBuffer buffer = filled(scene, BYTES);
      ByteBuffer view = buffer.getBytes(0, BYTES);
      scene.s1.callHost("fill", () -> view.put(17, (byte) 1));
      filled.record(scene.s1);
      scene.write(scene.s1);
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      filled.synchronize();
      scene.expect();
      view.put(18, (byte) 1);
      scene.s1.synchronize();
      assertEquals(buffer.getAddress() + 18, scene.expect(HOST_RACE).get(0).address());
    }
  }

  @ParameterizedTest
  @DisplayName("19 of a closed block, once, before or after its buffer is closed as well")
  @ValueSource(booleans = {false, true})
  void closedTwice(boolean before) {
    try (Scene scene = new Scene()) {
      MemoryObserver pool = scene.device.getMemoryObserver();
      PinnedBuffer buffer = filled(scene, BYTES);
      ByteBuffer view = buffer.getBytes(0, BYTES);
      long address = buffer.getAddress();
      pool.allocatedOnHost(address, BYTES);
      pool.freedOnHost(address);
      if (before) {
        view.put(17, (byte) 1);
      }
      buffer.close();
      view.put(17, (byte) 1);
      HazardReport report = scene.expect(USE_AFTER_FREE).get(0);
      assertEquals(address + 17, report.address());
      assertEquals(1, report.bytes());
    }
  }

  @Test
  @DisplayName("19, twin: the new owner of a block that its pool reuses")
  void byTheNewOwner() {
    try (Scene scene = new Scene()) {
      MemoryObserver pool = scene.device.getMemoryObserver();
      PinnedBuffer buffer = filled(scene, BYTES);
      pool.allocatedOnHost(buffer.getAddress(), BYTES);
      pool.freedOnHost(buffer.getAddress());
      pool.allocatedOnHost(buffer.getAddress(), BYTES);
      buffer.getBytes(0, BYTES).put(17, (byte) 1);
      scene.expect();
    }
  }

  @Test
  @DisplayName(
      "19 of a closed block are found when a pool reuses it; those of its new owner are right")
  void reused() {
    try (Scene scene = new Scene()) {
      MemoryObserver pool = scene.device.getMemoryObserver();
      PinnedBuffer buffer = filled(scene, BYTES);
      ByteBuffer view = buffer.getBytes(0, BYTES);
      long address = buffer.getAddress();
      pool.allocatedOnHost(address, BYTES);
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      pool.enterPool();
      scene.s1.synchronize();
      pool.freedOnHost(address);
      pool.leavePool();
      view.put(17, (byte) 1);
      pool.enterPool();
      pool.allocatedOnHost(address, BYTES);
      pool.leavePool();
      view.put(18, (byte) 1);
      scene.device.synchronize();
      assertEquals(address + 17, scene.expect(USE_AFTER_FREE).get(0).address());
    }
  }

  @Test
  @DisplayName("19 of closed buffers beyond 64 MiB are found for the latest, not for the oldest")
  void limit() {
    try (Scene scene = new Scene()) {
      MemoryObserver pool = scene.device.getMemoryObserver();
      PinnedBuffer again = filled(scene, LARGE);
      for (int i = 0; i < 4; i++) {
        pool.allocatedOnHost(again.getAddress(), LARGE);
        pool.freedOnHost(again.getAddress());
      }
      List<PinnedBuffer> buffers = Stream.generate(() -> filled(scene, LARGE)).limit(3).toList();
      List<ByteBuffer> views =
          Stream.concat(Stream.of(again), buffers.stream())
              .map(buffer -> buffer.getBytes(0, LARGE))
              .toList();
      long latest = buffers.get(2).getAddress();
      buffers.forEach(PinnedBuffer::close);
      views.get(0).put(0, (byte) 1);
      scene.expect();
      views.get(3).put(0, (byte) 1);
      assertEquals(latest, scene.expect(USE_AFTER_FREE).get(0).address());
    }
  }

  @Test
  @DisplayName("19 closing a buffer beyond 64 MiB copies none of its bytes, and releases it")
  void tooLargeToWatch() throws JMException {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(4 * LARGE);
      assertTrue(allocatedBy(buffer::close) < LARGE, "the close copied the buffer");
      scene.end();
      scene.backend.close();
      assertEquals(List.of(), scene.backend.getLeaks());
    }
  }

  @Test
  @DisplayName("19 submitting a copy of more than 256 MiB of page-locked memory saves no bytes")
  void tooLargeToSave() throws JMException {
    try (Scene scene = new Scene()) {
      int bytes = 16 * LARGE;
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(bytes);
      buffer.hostWrites(0, bytes);
      long target = scene.device.getMemory().allocate(bytes);
      scene.write(scene.s1);
      assertTrue(
          allocatedBy(() -> scene.s1.copyToDevice(target, buffer, 0, bytes)) < LARGE,
          "the submission copied the buffer");
      scene.expect();
    }
  }

  /** Returns the bytes that this thread allocates in the heap by an action. */
  private static long allocatedBy(Runnable action) throws JMException {
    long before = allocatedByThread();
    action.run();
    return allocatedByThread() - before;
  }

  private static long allocatedByThread() throws JMException {
    return (long)
        ManagementFactory.getPlatformMBeanServer()
            .getAttribute(
                new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME),
                "CurrentThreadAllocatedBytes");
  }
}
