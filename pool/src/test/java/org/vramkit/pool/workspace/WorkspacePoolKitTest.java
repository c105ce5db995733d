package org.vramkit.pool.workspace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.testkit.WorkspaceKit;

@DisplayName("17.26 WorkspacePool keeps the contract of a workspace")
class WorkspacePoolKitTest extends WorkspaceKit {

  @Override
  protected Backend openBackend() {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .device(DeviceProfile.SMALL_8GIB)
        .build();
  }

  @Override
  protected void assertClean(Backend used) {
    assertEquals(List.of(), ((SimBackend) used).getHazards(), "hazards");
    assertEquals(List.of(), ((SimBackend) used).getLeaks(), "leaks");
  }

  @Override
  protected Allocator createAllocator(Device device) {
    return CachingAllocator.create(device);
  }

  @Override
  protected Workspace createWorkspace(Allocator slabs) {
    return WorkspacePool.create(slabs);
  }
}
