package org.vramkit.sim;

import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.UNMAP_UNDER_WORK;

import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Physical memory that lies at two addresses")
class AliasedMemoryTest {
  static List<Schedule> schedules() {
    return Schedule.all();
  }

  /** A page that stream 1 writes at the first address before it is mapped at the second. */
  private static final class Page implements AutoCloseable {
    final Scene scene;
    final VirtualMemory memory;
    final long bytes;
    final long first;
    final long second;
    final long third;
    private final long handle;

    Page(Schedule schedule) {
      this(schedule, opened -> {});
    }

    /** Creates a page; {@code before} queues what precedes the write. */
    Page(Schedule schedule, Consumer<Scene> before) {
      scene = new Scene(builder -> builder.schedule(schedule));
      memory = scene.device.getVirtualMemory();
      bytes = memory.getGranularity();
      first = memory.reserve(3 * bytes);
      second = first + bytes;
      third = second + bytes;
      handle = memory.create(bytes);
      map(first);
      before.accept(scene);
      scene.write(scene.s1, first, bytes);
      map(second);
    }

    private void map(long address) {
      memory.map(address, bytes, handle);
      memory.setAccess(address, bytes, scene.device);
    }

    @Override
    public void close() {
      memory.release(handle);
      memory.unreserve(first, 3 * bytes);
      scene.close();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("another stream that reads at the second what is still written at the first races")
  void race(Schedule schedule) {
    try (Page page = new Page(schedule)) {
      Scene scene = page.scene;
      scene.read(scene.s2, page.second, page.bytes);
      scene.expect(RACE_RAW);
      scene.device.synchronize();
      page.memory.unmap(page.first, 2 * page.bytes);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("twin: the same stream, or a stream that waits, does not race")
  void inOrder(Schedule schedule) {
    try (Page page = new Page(schedule)) {
      Scene scene = page.scene;
      scene.read(scene.s1, page.second, page.bytes);
      scene.order(scene.s1, scene.s2);
      scene.read(scene.s2, page.second, page.bytes);
      scene.device.synchronize();
      page.memory.unmap(page.first, 2 * page.bytes);
      scene.expect();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("unmapping an address under work is a hazard; unmapping an unused one is none")
  void unmapped(Schedule schedule) {
    try (Page page = new Page(schedule)) {
      page.memory.unmap(page.second, page.bytes);
      page.scene.expect();
      page.memory.unmap(page.first, page.bytes);
      page.scene.expect(UNMAP_UNDER_WORK);
      page.scene.device.synchronize();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("accesses are checked at each of several addresses of the same memory")
  void third(Schedule schedule) {
    try (Page page = new Page(schedule)) {
      Scene scene = page.scene;
      scene.read(scene.s1, page.second, page.bytes);
      scene.device.synchronize();
      scene.write(scene.s1, page.first, page.bytes);
      page.map(page.third);
      scene.read(scene.s2, page.third, page.bytes);
      scene.expect(RACE_RAW);
      scene.device.synchronize();
      page.memory.unmap(page.first, 3 * page.bytes);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("an alias may be unmapped after its own use, even while work uses the other address")
  void readAtBoth(Schedule schedule) {
    try (Page page = new Page(schedule)) {
      Scene scene = page.scene;
      scene.device.synchronize();
      page.memory.unmap(page.second, page.bytes);
      scene.read(scene.s1, page.first, page.bytes);
      page.map(page.second);
      scene.read(scene.s2, page.second, page.bytes);
      scene.s2.synchronize();
      page.memory.unmap(page.second, page.bytes);
      scene.expect();
      scene.device.synchronize();
      page.memory.unmap(page.first, page.bytes);
    }
  }

  private static void queueFunction(Scene scene) {
    scene.s3.callHost("unrelated", () -> {});
  }

  /** Hands the page at its second address to stream 2, after what its pool waits for. */
  private static void passOn(Page page, SimStream awaited) {
    Scene scene = page.scene;
    MemoryObserver pool = scene.device.getMemoryObserver();
    pool.enterPool();
    scene.order(awaited, scene.s2);
    scene.handOut(page.second, page.bytes, scene.s2);
    pool.leavePool();
    scene.write(scene.s2, page.second, page.bytes);
    scene.takeBack(page.second, scene.s2);
  }

  private static void end(Page page) {
    page.scene.device.synchronize();
    page.memory.unmap(page.first, 2 * page.bytes);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.5 a pool may pass on the second address while a host function is queued")
  void passedOnAtTheSecond(Schedule schedule) {
    try (Page page = new Page(schedule, AliasedMemoryTest::queueFunction)) {
      passOn(page, page.scene.s1);
      end(page);
      page.scene.expect();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.5, racy: the pool has not waited for the work at the first address")
  void passedOnTooEarly(Schedule schedule) {
    try (Page page = new Page(schedule, AliasedMemoryTest::queueFunction)) {
      passOn(page, page.scene.s3);
      end(page);
      page.scene.expect(EARLY_REUSE);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName(
      "43.5, racy: an owner without work at the first hides no work from one at the second")
  void passedOnUnusedAtTheFirst(Schedule schedule) {
    try (Page page = new Page(schedule)) {
      Scene scene = page.scene;
      MemoryObserver pool = scene.device.getMemoryObserver();
      page.memory.unmap(page.second, page.bytes);
      scene.write(scene.s3, scene.block, Scene.SIZE);
      scene.order(scene.s3, scene.s2);
      pool.enterPool();
      scene.order(scene.s1, scene.s3);
      scene.handOut(page.first, page.bytes, scene.s3);
      scene.takeBack(page.first, scene.s3);
      page.map(page.second);
      scene.handOut(page.second, page.bytes, scene.s2);
      pool.leavePool();
      end(page);
      scene.expect(EARLY_REUSE);
    }
  }
}
