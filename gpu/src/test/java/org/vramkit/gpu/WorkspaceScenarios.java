package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.workspace.WorkspacePool;

/** Scenarios of workspaces. */
interface WorkspaceScenarios {

  Device getDevice();

  @Test
  @DisplayName("17.26 busy streams that share a slab do not overwrite each other's work")
  default void slabsPassBetweenStreams() {
    try (CachingAllocator allocator = CachingAllocator.create(getDevice());
        Slots slots = new Slots(getDevice());
        WorkspacePool pool = WorkspacePool.create(allocator);
        BusyStreams streams = new BusyStreams(getDevice(), 3)) {
      for (int i = 0; i < Slots.COUNT; i++) {
        Stream stream = streams.next();
        try (WorkspaceLease lease = pool.acquire(Slots.BYTES, stream)) {
          stream.fill(lease.getAddress(), Slots.value(i), Slots.BYTES);
          stream.copy(slots.getAddress(i), lease.getAddress(), Slots.BYTES);
        }
      }
      assertTrue(pool.getFreeSlabs() <= 3, pool.getFreeSlabs() + " slabs: none is used again");
      slots.assertFilled();
    }
  }

  @Test
  @DisplayName("17.26 open leases do not overlap")
  default void openLeasesAreApart() {
    try (CachingAllocator allocator = CachingAllocator.create(getDevice());
        Slots slots = new Slots(getDevice());
        WorkspacePool pool = WorkspacePool.create(allocator);
        BusyStreams streams = new BusyStreams(getDevice(), 3)) {
      Stream stream = streams.next();
      List<WorkspaceLease> leases = new ArrayList<>();
      for (int i = 0; i < Slots.COUNT; i++) {
        leases.add(pool.acquire(Slots.BYTES, stream));
        stream.fill(leases.get(i).getAddress(), Slots.value(i), leases.get(i).getSize());
      }
      for (int i = 0; i < Slots.COUNT; i++) {
        stream.copy(slots.getAddress(i), leases.get(i).getAddress(), Slots.BYTES);
        leases.get(i).close();
      }
      slots.assertFilled();
    }
  }
}
