package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.SimBackend;

@DisplayName("57.5 Handles that threads open and release")
class OpenHandlesTest {
  private static final long BYTES = 1 << 20;

  @Test
  @DisplayName("plain memory may be freed that a thread allocates while its free in order returns")
  void allocatedDuringFree() {
    OpenHandles handles = new OpenHandles(0, new OpenHandles.Shared());
    handles.add(OpenHandles.Kind.ALLOCATION, 512, BYTES);
    handles.releaseInOrder(512, () -> handles.add(OpenHandles.Kind.ALLOCATION, 512, BYTES));
    assertFalse(handles.isFreedInOrder(512));
    assertThrows(IllegalStateException.class, () -> handles.releaseInOrder(512, this::refuse));
    assertFalse(handles.isFreedInOrder(512), "a refused free");
    handles.releaseInOrder(512, () -> {});
    assertTrue(handles.isFreedInOrder(512));
  }

  private void refuse() {
    throw new IllegalStateException("refused");
  }

  @Test
  @DisplayName("physical memory that two threads release reaches the driver once")
  void releasedTwice() throws Exception {
    CudaBackend backend =
        new CudaBackend(
            "cuda", new SimulatedDriver(SimBackend.builder().build()), new ProcessHealth());
    VirtualMemory memory = backend.getDevice(0).getVirtualMemory();
    CyclicBarrier together = new CyclicBarrier(2);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int i = 0; i < 2000; i++) {
        long handle = memory.create(memory.getGranularity());
        Callable<Boolean> release =
            () -> {
              together.await();
              try {
                memory.release(handle);
                return true;
              } catch (InvalidArgumentException e) {
                assertTrue(e.toString().contains("pass a handle that create()"), e::toString);
                return false;
              }
            };
        int released = 0;
        for (Future<Boolean> each : threads.invokeAll(List.of(release, release))) {
          released += each.get() ? 1 : 0;
        }
        assertEquals(1, released);
      }
    } finally {
      threads.shutdown();
      backend.close();
    }
  }
}
