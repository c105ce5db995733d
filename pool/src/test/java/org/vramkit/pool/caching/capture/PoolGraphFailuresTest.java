package org.vramkit.pool.caching.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Graph;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.DriverException;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("17.28 After a call that the driver failed a graph of a private pool")
class PoolGraphFailuresTest {
  private static void write(SimStream stream, Allocation block) {
    stream.launch(
        SimKernel.named("write")
            .writes(block.getAddress(), block.getSize())
            .taking(1_000_000)
            .build());
  }

  private static Graph captured(Sandbox box, PrivatePool pool) {
    try (PoolCapture capture = pool.capture(box.stream)) {
      try (Allocation scratch = box.allocator.allocate(8 * MIB, box.stream)) {
        write(box.stream, scratch);
      }
      return capture.end();
    }
  }

  private static void reuse(Sandbox box, PrivatePool pool) {
    try (Allocation again = pool.getAllocator().allocate(8 * MIB, box.stream)) {
      write(box.stream, again);
    }
  }

  @OnBothMemories
  @DisplayName("holds its memory until the launch is over that could not be marked")
  void unmarkedLaunch(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      SimStream side = box.newStream();
      Graph graph = captured(box, pool);
      graph.launch(side);
      box.backend.getFaults().failNext("cuEventRecord", Fault.UNKNOWN);
      assertThrows(DriverException.class, () -> graph.launch(side));
      graph.close();
      reuse(box, pool);
    }
  }

  @OnBothMemories
  @DisplayName("holds its memory until the close that has waited for the launches")
  void failedWait(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      SimStream side = box.newStream();
      Graph graph = captured(box, pool);
      graph.launch(side);
      box.backend.getFaults().failNext("cuEventSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, graph::close);
      assertEquals(1, pool.getGraphCount());
      graph.close();
      assertTrue(graph.isClosed());
      assertEquals(0, pool.getGraphCount());
      reuse(box, pool);
    }
  }

  @OnBothMemories
  @DisplayName("whose capture ends in two failures leaves the pool its memory")
  void failedEnd(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      PoolCapture capture = pool.capture(box.stream);
      box.backend.getFaults().failNext("cuEventCreate", Fault.UNKNOWN);
      box.backend.getFaults().failNext("cuGraphExecDestroy", Fault.UNKNOWN);
      assertThrows(DriverException.class, capture::end);
      assertEquals(0, pool.getGraphCount());
      reuse(box, pool);
    }
  }

  @OnBothMemories
  @DisplayName("that was never launched waits for nothing, so nothing can fail")
  void givenUp(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      PoolCapture capture = pool.capture(box.stream);
      box.backend.getFaults().failNext("cuEventSynchronize", Fault.UNKNOWN);
      capture.close();
      assertEquals(0, pool.getGraphCount());
      reuse(box, pool);
    }
  }

  @OnBothMemories
  @DisplayName("whose capture goes on can be captured to the end")
  void captureGoesOn(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      PoolCapture capture = pool.capture(box.stream);
      box.backend.getFaults().failNext("cuStreamEndCapture", Fault.UNKNOWN);
      assertThrows(DriverException.class, capture::end);
      assertEquals(1, pool.getGraphCount());
      capture.end().close();
      assertEquals(0, pool.getGraphCount());
      reuse(box, pool);
    }
  }

  @OnBothMemories
  @DisplayName("whose capture fails to end is given up by the close")
  void closeGivesUp(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      PoolCapture capture = pool.capture(box.stream);
      box.backend.getFaults().failNext("cuStreamEndCapture", Fault.UNKNOWN);
      assertThrows(DriverException.class, capture::close);
      assertEquals(0, pool.getGraphCount());
      capture.close();
      reuse(box, pool);
    }
  }

  @OnBothMemories
  @DisplayName("that another thread ends is refused and over, as the driver has it")
  void otherThread(VirtualMemoryUse use) throws InterruptedException {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      PoolCapture capture = pool.capture(box.stream);
      List<Throwable> refusals = new ArrayList<>();
      Thread other =
          new Thread(
              () -> {
                refusals.add(assertThrows(CaptureException.class, capture::end));
                capture.close();
              });
      other.start();
      other.join();
      assertEquals(1, refusals.size());
      assertFalse(box.device.getGraphs().isCapturing(box.stream));
      capture.close();
      assertEquals(0, pool.getGraphCount());
      reuse(box, pool);
    }
  }
}
