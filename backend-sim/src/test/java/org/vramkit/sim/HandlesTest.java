package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.hazard.HazardCode.INVALID_HANDLE;
import static org.vramkit.sim.hazard.HazardCode.INVALID_VALUE;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("Handles and arguments that the driver refuses")
class HandlesTest {

  /** A misuse by name, and a program that does it. */
  private record Case(String name, Misusing program) {
    @Override
    public String toString() {
      return name;
    }
  }

  private interface Misusing {
    void in(Scene scene);
  }

  private static List<HazardCode> warnings(Scene scene) {
    return scene.backend.getWarnings().stream().map(HazardReport::code).toList();
  }

  static Stream<Case> closedHandles() {
    return Stream.of(
        new Case("launch on a stream", s -> s.write(closedStream(s))),
        new Case("fill on a stream", s -> closedStream(s).fill(s.block, (byte) 1, 16)),
        new Case("wait for a stream", s -> closedStream(s).synchronize()),
        new Case("question to a stream", s -> closedStream(s).isIdle()),
        new Case("record an event", s -> closedEvent(s).record(s.s1)),
        new Case("record on a stream", s -> s.device.createEvent().record(closedStream(s))),
        new Case("wait of a stream for an event", s -> s.s1.waitFor(closedEvent(s))),
        new Case("wait for an event", s -> closedEvent(s).synchronize()),
        new Case("address of a pinned buffer", s -> closedBuffer(s).getAddress()),
        new Case(
            "copy from a pinned buffer", s -> s.s1.copyToDevice(s.block, closedBuffer(s), 0, 16)),
        new Case("allocation from a pool", s -> closedPool(s).allocate(512, s.s1)),
        new Case(
            "allocation on a stream",
            s -> s.device.getStreamOrderedMemory().allocate(512, closedStream(s))));
  }

  private static SimStream closedStream(Scene scene) {
    SimStream stream = scene.device.createStream();
    stream.close();
    return stream;
  }

  private static SimEvent closedEvent(Scene scene) {
    SimEvent event = scene.device.createEvent();
    event.close();
    return event;
  }

  private static PinnedBuffer closedBuffer(Scene scene) {
    PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(4096);
    buffer.close();
    return buffer;
  }

  private static DriverPool closedPool(Scene scene) {
    DriverPool pool = scene.device.getDriverPools().create(0);
    pool.close();
    return pool;
  }

  @ParameterizedTest
  @MethodSource("closedHandles")
  @DisplayName(
      "Use of a closed handle is rejected and recorded, even if the exception is swallowed")
  void closed(Case each) {
    try (Scene scene = new Scene()) {
      assertThrows(ClosedException.class, () -> each.program().in(scene));
      assertEquals(List.of(INVALID_HANDLE), warnings(scene));
      HazardReport report = scene.backend.getWarnings().get(0);
      assertTrue(report.missing().contains("was closed before"), report.toString());
      scene.expect();
    }
  }

  @Test
  @DisplayName("Twin: closing twice, and asking whether something is closed, is harmless")
  void harmless() {
    try (Scene scene = new Scene()) {
      SimStream stream = closedStream(scene);
      stream.close();
      assertTrue(stream.isClosed());
      closedEvent(scene).close();
      closedBuffer(scene).close();
      closedPool(scene).close();
      assertEquals(List.of(), scene.backend.getWarnings());
    }
  }

  static Stream<Case> brokenRules() {
    return Stream.of(
        new Case("reserve less than a page", s -> virtual(s).reserve(4096)),
        new Case("create nothing", s -> virtual(s).create(0)),
        new Case("map what is no reservation", s -> map(s, s.block & -page(s))),
        new Case("map between pages", s -> map(s, virtual(s).reserve(2 * page(s)) + 512)),
        new Case("map twice", HandlesTest::mapTwice),
        new Case("release an unknown handle", s -> virtual(s).release(77)),
        new Case("unmap what is not reserved", s -> virtual(s).unmap(1L << 40, page(s))),
        new Case(
            "make accessible what is not mapped",
            s -> virtual(s).setAccess(virtual(s).reserve(page(s)), page(s), s.device)),
        new Case("give back half a reservation", HandlesTest::unreserveHalf));
  }

  private static VirtualMemory virtual(Scene scene) {
    return scene.device.getVirtualMemory();
  }

  private static long page(Scene scene) {
    return virtual(scene).getGranularity();
  }

  private static void map(Scene scene, long address) {
    virtual(scene).map(address, page(scene), virtual(scene).create(page(scene)));
  }

  private static void mapTwice(Scene scene) {
    long range = virtual(scene).reserve(page(scene));
    map(scene, range);
    map(scene, range);
  }

  private static void unreserveHalf(Scene scene) {
    long range = virtual(scene).reserve(2 * page(scene));
    virtual(scene).unreserve(range + page(scene), page(scene));
  }

  @ParameterizedTest
  @MethodSource("brokenRules")
  @DisplayName("Broken rules of virtual memory are refused, and kept likewise")
  void broken(Case each) {
    try (Scene scene = new Scene()) {
      assertThrows(InvalidArgumentException.class, () -> each.program().in(scene));
      assertEquals(List.of(INVALID_VALUE), warnings(scene));
      scene.expect();
    }
  }

  @Test
  @DisplayName("Twin: whole pages, mapped, made accessible, unmapped and given back")
  void wholePages() {
    try (Scene scene = new Scene()) {
      long range = virtual(scene).reserve(page(scene));
      long handle = virtual(scene).create(page(scene));
      virtual(scene).map(range, page(scene), handle);
      virtual(scene).setAccess(range, page(scene), scene.device);
      virtual(scene).unmap(range, page(scene));
      virtual(scene).release(handle);
      virtual(scene).unreserve(range, page(scene));
      assertEquals(List.of(), scene.backend.getWarnings());
      scene.expect();
    }
  }
}
