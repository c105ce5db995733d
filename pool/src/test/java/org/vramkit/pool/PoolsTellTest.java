package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Buffers, workspaces and page-locked buffers: who has how much, and until when")
class PoolsTellTest {
  private static final int COUNT = 1000;
  private static final long BYTES = 4L * COUNT;

  static Stream<Arguments> places() {
    return Stream.of(AllocatorKind.values())
        .flatMap(kind -> Schedule.all().stream().map(schedule -> Arguments.of(kind, schedule)));
  }

  /** A device with two streams; what it has found when it is closed. */
  private static final class Place implements AutoCloseable {
    final SimBackend backend;
    final SimDevice device;
    final SimStream s1;
    final SimStream s2;

    Place(Schedule schedule) {
      backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).schedule(schedule).build();
      device = backend.getDevice(0);
      s1 = device.createStream();
      s2 = device.createStream();
    }

    void order(SimStream before, SimStream next) {
      try (SimEvent event = device.createEvent()) {
        event.record(before);
        next.waitFor(event);
      }
    }

    void read(SimStream stream, long address, long bytes) {
      stream.launch(SimKernel.named("read").reads(address, bytes).build());
    }

    @Override
    public void close() {
      backend.close();
    }
  }

  private static List<HazardReport> found(
      AllocatorKind kind, Schedule schedule, BiConsumer<Place, Allocator> program) {
    try (Place place = new Place(schedule)) {
      try (Allocator allocator = kind.create(place.device)) {
        program.accept(place, allocator);
      }
      return place.backend.getHazards();
    }
  }

  private static HazardReport only(HazardCode code, List<HazardReport> found) {
    assertEquals(List.of(code), found.stream().map(HazardReport::code).toList(), found::toString);
    return found.get(0);
  }

  private static void buffers(
      Place place, Allocator allocator, BiConsumer<Place, BufferPool> program) {
    try (BufferPool pool = BufferPool.create(allocator)) {
      program.accept(place, pool);
    }
  }

  private static List<HazardReport> withBuffers(
      AllocatorKind kind, Schedule schedule, BiConsumer<Place, BufferPool> program) {
    return found(kind, schedule, (place, allocator) -> buffers(place, allocator, program));
  }

  @ParameterizedTest
  @MethodSource("places")
  @DisplayName("A buffer ends with its last element")
  void buffersEnd(AllocatorKind kind, Schedule schedule) {
    only(
        HazardCode.OUT_OF_BOUNDS,
        withBuffers(
            kind,
            schedule,
            (place, pool) -> {
              TypedBuffer buffer = pool.acquire(ElementType.FLOAT32, COUNT, place.s1);
              place.s1.fill(buffer.getAddress(), (byte) 1, BYTES + 96);
              buffer.close();
            }));
  }

  @ParameterizedTest
  @MethodSource("places")
  @DisplayName("A closed buffer has no owner, although the pool keeps its memory")
  void closedBuffers(AllocatorKind kind, Schedule schedule) {
    only(
        HazardCode.USE_AFTER_FREE,
        withBuffers(
            kind,
            schedule,
            (place, pool) -> {
              TypedBuffer buffer = pool.acquire(ElementType.FLOAT32, COUNT, place.s1);
              long address = buffer.getAddress();
              buffer.close();
              place.s1.fill(address, (byte) 1, BYTES);
            }));
  }

  @ParameterizedTest
  @MethodSource("places")
  @DisplayName("The next owner of a buffer may not read the bytes of the previous one")
  void recycledBuffers(AllocatorKind kind, Schedule schedule) {
    only(
        HazardCode.UNINIT_READ,
        withBuffers(
            kind,
            schedule,
            (place, pool) -> {
              try (TypedBuffer first = pool.acquireZeroed(ElementType.FLOAT32, COUNT, place.s1)) {
                place.read(place.s1, first.getAddress(), BYTES);
              }
              try (TypedBuffer again = pool.acquire(ElementType.FLOAT32, COUNT, place.s1)) {
                place.read(place.s1, again.getAddress(), BYTES);
              }
            }));
  }

  private static void useElsewhere(Place place, BufferPool pool, boolean recorded) {
    try (TypedBuffer buffer = pool.acquireZeroed(ElementType.FLOAT32, COUNT, place.s1)) {
      place.order(place.s1, place.s2);
      place.read(place.s2, buffer.getAddress(), BYTES);
      if (recorded) {
        buffer.recordUse(place.s2);
      }
    }
    try (TypedBuffer next = pool.acquireZeroed(ElementType.FLOAT32, COUNT, place.s1)) {
      place.read(place.s1, next.getAddress(), BYTES);
    }
  }

  @ParameterizedTest
  @MethodSource("places")
  @DisplayName("An unrecorded use of a buffer is reported with its remedy")
  void unrecordedBuffers(AllocatorKind kind, Schedule schedule) {
    HazardReport report =
        only(
            HazardCode.EARLY_REUSE,
            withBuffers(kind, schedule, (place, pool) -> useElsewhere(place, pool, false)));
    assertTrue(report.remedy().contains("recordUse"), report.remedy());
    assertEquals(
        List.of(), withBuffers(kind, schedule, (place, pool) -> useElsewhere(place, pool, true)));
  }

  @ParameterizedTest
  @MethodSource("places")
  @DisplayName(
      "Buffers of all sizes and streams that are opened and closed at random give no report")
  void traffic(AllocatorKind kind, Schedule schedule) {
    assertEquals(
        List.of(),
        withBuffers(
            kind,
            schedule,
            (place, pool) -> {
              for (int i = 0; i < 40; i++) {
                SimStream stream = i % 3 == 0 ? place.s2 : place.s1;
                SimStream other = i % 3 == 0 ? place.s1 : place.s2;
                try (TypedBuffer buffer =
                    pool.acquireZeroed(ElementType.INT8, 1L << (i % 7 + 8), stream)) {
                  place.order(stream, other);
                  place.read(other, buffer.getAddress(), buffer.getSize());
                  buffer.recordUse(other);
                }
                if (i % 10 == 9) {
                  pool.emptyCache();
                }
              }
            }));
  }

  private static void lease(Place place, WorkspacePool pool, boolean ordered) {
    try (WorkspaceLease lease = pool.acquire(BYTES, place.s1)) {
      place.s1.fill(lease.getAddress(), (byte) 1, lease.getSize());
      place.order(place.s1, place.s2);
      place.read(place.s2, lease.getAddress(), BYTES);
      if (ordered) {
        place.order(place.s2, place.s1);
      }
    }
    for (SimStream stream : List.of(place.s2, place.s1)) {
      try (WorkspaceLease lease = pool.acquire(BYTES, stream)) {
        stream.fill(lease.getAddress(), (byte) 1, lease.getSize());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("places")
  @DisplayName("A lease that another stream uses is closed once its stream waits for that")
  void leases(AllocatorKind kind, Schedule schedule) {
    for (boolean ordered : new boolean[] {true, false}) {
      List<HazardReport> found =
          found(
              kind,
              schedule,
              (place, allocator) -> {
                try (WorkspacePool pool = WorkspacePool.create(allocator)) {
                  lease(place, pool, ordered);
                }
              });
      if (ordered) {
        assertEquals(List.of(), found);
      } else {
        only(HazardCode.EARLY_REUSE, found);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("places")
  @DisplayName("A closed lease has no owner")
  void closedLeases(AllocatorKind kind, Schedule schedule) {
    only(
        HazardCode.USE_AFTER_FREE,
        found(
            kind,
            schedule,
            (place, allocator) -> {
              try (WorkspacePool pool = WorkspacePool.create(allocator)) {
                WorkspaceLease lease = pool.acquire(BYTES, place.s1);
                long address = lease.getAddress();
                lease.close();
                place.s1.fill(address, (byte) 1, BYTES);
              }
            }));
  }

  private static void copyOut(Place place, PinnedPool pool, boolean recorded) {
    long memory = place.device.getMemory().allocate(BYTES);
    place.s1.fill(memory, (byte) 1, BYTES);
    PooledPinnedBuffer buffer = pool.acquire(BYTES);
    if (recorded) {
      buffer.copyToHost(memory, place.s1);
    } else {
      PinnedBuffer bytes = buffer.getMemory();
      place.s1.copyToHost(bytes, 0, memory, BYTES);
    }
    buffer.close();
    try (PooledPinnedBuffer again = pool.acquire(BYTES)) {
      again.getBytes().put(0, (byte) 2);
      again.copyToDevice(memory, place.s1);
    }
    place.s1.synchronize();
    place.device.getMemory().free(memory);
  }

  @ParameterizedTest
  @MethodSource("places")
  @DisplayName(
      "A page-locked buffer closed under an unrecorded copy is reported with its" + " remedy")
  void copies(AllocatorKind kind, Schedule schedule) {
    for (boolean recorded : new boolean[] {true, false}) {
      List<HazardReport> found =
          found(
              kind,
              schedule,
              (place, allocator) -> {
                try (PinnedPool pool = PinnedPool.create(place.device)) {
                  copyOut(place, pool, recorded);
                }
              });
      if (recorded) {
        assertEquals(List.of(), found);
      } else {
        assertTrue(only(HazardCode.EARLY_REUSE, found).remedy().contains("recordUse"));
      }
    }
  }
}
