package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.ACCESS_NOT_MAPPED;
import static org.vramkit.sim.hazard.HazardCode.ILLEGAL_ADDRESS;
import static org.vramkit.sim.hazard.HazardCode.INVALID_FREE;
import static org.vramkit.sim.hazard.HazardCode.OUT_OF_BOUNDS;
import static org.vramkit.sim.hazard.HazardCode.PEER_NOT_ENABLED;
import static org.vramkit.sim.hazard.HazardCode.UNMAP_UNDER_WORK;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.hazard.Owner;

@DisplayName("Hazards: the driver's own memory")
class MemoryHazardsTest {

  @Test
  @DisplayName("16 addresses inside a block, or without an allocation, cannot be freed")
  void invalidFree() {
    try (Scene scene = new Scene()) {
      for (long address : new long[] {scene.block + 512, 0x1234}) {
        assertThrows(InvalidArgumentException.class, () -> scene.device.getMemory().free(address));
      }
      List<HazardReport> reports = scene.expect(INVALID_FREE, INVALID_FREE);
      Owner containing = Objects.requireNonNull(reports.get(0).memory());
      assertEquals(scene.block, containing.address());
      assertEquals(512, reports.get(0).getOffset());
      assertNull(reports.get(1).memory());
      scene.write(scene.s1);
      scene.device.getMemory().free(scene.block);
    }
  }

  @Test
  @DisplayName("17 one byte past plain memory, and addresses that were never allocated")
  void outOfBounds() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1, scene.block + SIZE - 1, 2);
      scene.expect(OUT_OF_BOUNDS);
      scene.backend.clearHazards();
      scene.read(scene.s1, 0x1000, 16);
      scene.expect(ILLEGAL_ADDRESS);
    }
  }

  @Test
  @DisplayName("13 plain memory used after its free")
  void useAfterFree() {
    try (Scene scene = new Scene()) {
      scene.device.getMemory().free(scene.block);
      scene.write(scene.s1);
      scene.expect(USE_AFTER_FREE);
    }
  }

  @Test
  @DisplayName(
      "23 a pool's block on another device is named, not the range of addresses it lies in")
  void poolOfOtherDevice() {
    try (Scene scene = new Scene()) {
      VirtualMemory memory = scene.other.getVirtualMemory();
      long page = memory.getGranularity();
      long range = memory.reserve(page);
      long handle = memory.create(page);
      memory.map(range, page, handle);
      memory.setAccess(range, page, scene.other);
      SimStream theirs = scene.other.createStream();
      scene.other.getMemoryObserver().allocated(range + SIZE, SIZE, theirs, "weights");
      scene.write(scene.s1, range + SIZE, SIZE);
      Owner block = Objects.requireNonNull(scene.expect(PEER_NOT_ENABLED).get(0).memory());
      assertEquals("weights", block.tag());
      assertEquals(range + SIZE, block.address());
    }
  }

  @Test
  @DisplayName("Virtual memory used before it is accessible, after it is unmapped, and in between")
  void mapping() {
    try (Scene scene = new Scene()) {
      VirtualMemory memory = scene.device.getVirtualMemory();
      long page = memory.getGranularity();
      long range = memory.reserve(2 * page);
      long handle = memory.create(page);
      memory.map(range, page, handle);
      scene.write(scene.s1, range, page);
      scene.expect(ACCESS_NOT_MAPPED);
      scene.backend.clearHazards();
      memory.setAccess(range, page, scene.device);
      scene.write(scene.s1, range, page);
      scene.s1.synchronize();
      scene.expect();
      memory.unmap(range, page);
      scene.read(scene.s1, range, page);
      scene.expect(ACCESS_NOT_MAPPED);
      memory.release(handle);
      memory.unreserve(range, 2 * page);
    }
  }

  @Test
  @DisplayName("Pages unmapped under queued work; in order once the work is known to be done")
  void unmapUnderWork() {
    try (Scene scene = new Scene()) {
      VirtualMemory memory = scene.device.getVirtualMemory();
      long page = memory.getGranularity();
      long range = memory.reserve(2 * page);
      for (int i = 0; i < 2; i++) {
        long handle = memory.create(page);
        memory.map(range + i * page, page, handle);
        memory.release(handle);
      }
      memory.setAccess(range, 2 * page, scene.device);
      scene.write(scene.s1, range, 2 * page);
      memory.unmap(range, page);
      scene.expect(UNMAP_UNDER_WORK);
      scene.backend.clearHazards();
      scene.s1.synchronize();
      memory.unmap(range + page, page);
      scene.expect();
    }
  }

  @Test
  @DisplayName("24 open handles are listed by kind; a clean program leaves none")
  void leaks() {
    try (Scene scene = new Scene()) {
      SimEvent event = scene.device.createEvent();
      assertEquals(
          Set.of(LeakKind.STREAM, LeakKind.EVENT, LeakKind.ALLOCATION),
          scene.backend.getLeaks().stream().map(leak -> leak.kind()).collect(Collectors.toSet()));
      event.close();
      scene.s1.close();
      scene.s2.close();
      scene.s3.close();
      scene.device.getMemory().free(scene.block);
      assertEquals(List.of(), scene.backend.getLeaks());
    }
  }

  @Test
  @DisplayName("25 an error of one call leaves the device usable; a closed stream is an error")
  void usableAfterError() {
    try (Scene scene = new Scene()) {
      assertThrows(
          InvalidArgumentException.class,
          () -> scene.device.getVirtualMemory().unmap(0x4000, 4096));
      scene.write(scene.s1);
      scene.s1.synchronize();
      scene.expect();
    }
  }
}
