package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.ClosedException;

@DisplayName("A simulator that is closed")
class ClosedBackendTest {

  @Test
  @DisplayName("refuses every call that needs a driver, and says why")
  void refuses() {
    Scene scene = new Scene();
    SimDevice device = scene.device;
    SimEvent event = device.createEvent();
    SimGate gate = scene.backend.createGate("gate");
    PinnedBuffer pinned = device.getPinnedMemory().allocate(512);
    DriverPool pool = device.getDriverPools().create(0);
    VirtualMemory virtual = device.getVirtualMemory();
    scene.close();
    List<Executable> calls =
        List.of(
            device::createStream,
            () -> device.createStream("late"),
            device::createEvent,
            device::getMemoryInfo,
            device::bind,
            () -> device.occupy(1),
            () -> device.getMemory().allocate(512),
            () -> device.getStreamOrderedMemory().allocate(512, scene.s1),
            () -> device.getDriverPools().create(0),
            () -> device.getPinnedMemory().allocate(512),
            () -> device.getPeerAccess().enable(scene.other),
            () -> pool.allocate(512, scene.s1),
            pool::getStatistics,
            () -> virtual.reserve(virtual.getGranularity()),
            () -> virtual.create(virtual.getGranularity()),
            () -> scene.write(scene.s1),
            () -> scene.s1.fill(scene.block, (byte) 1, 1),
            () -> scene.s1.callHost("late", () -> {}),
            () -> scene.s1.waitFor(event),
            () -> scene.s1.waitFor(gate),
            () -> event.record(scene.s1),
            () -> pinned.getBytes(0, 8),
            () -> scene.backend.hostReads(pinned, 0, 8),
            () -> scene.backend.hostWrites(pinned, 0, 8),
            () -> scene.handOut(scene.block, 512, scene.s1),
            () -> scene.backend.createGate("late"),
            () -> scene.backend.advance(1),
            () -> scene.backend.advanceTo(1));
    for (Executable call : calls) {
      String refusal = assertThrows(ClosedException.class, call).toString();
      assertTrue(refusal.contains("the simulator is closed"), refusal);
    }
    scene.expect();
  }

  @Test
  @DisplayName("takes back whatever it gave, once or twice, and leaves nothing held")
  void takesBack() {
    Scene scene = new Scene();
    SimDevice device = scene.device;
    SimEvent event = device.createEvent();
    PinnedBuffer pinned = device.getPinnedMemory().allocate(512);
    DriverPool pool = device.getDriverPools().create(0);
    DeviceBinding binding = device.bind();
    event.record(scene.s1);
    long pooled = pool.allocate(512, scene.s1);
    VirtualMemory virtual = device.getVirtualMemory();
    long page = virtual.getGranularity();
    long range = virtual.reserve(page);
    long physical = virtual.create(page);
    virtual.map(range, page, physical);
    scene.close();
    assertDoesNotThrow(scene.backend::close);
    long calls = scene.backend.getDriverCalls().getTotal();
    assertThrows(ClosedException.class, () -> pool.free(pooled, scene.s1));
    assertThrows(ClosedException.class, () -> pool.trim(0));
    for (int i = 0; i < 2; i++) {
      binding.close();
      event.close();
      pinned.close();
      pool.close();
      List.of(scene.s1, scene.s2, scene.s3).forEach(SimStream::close);
    }
    device.getMemory().free(scene.block);
    virtual.unmap(range, page);
    virtual.release(physical);
    virtual.unreserve(range, page);
    assertEquals(List.of(), scene.backend.getLeaks());
    assertEquals(calls, scene.backend.getDriverCalls().getTotal());
    scene.expect();
  }

  @Test
  @DisplayName("17.11 refuses waits and queries, also where it ended under work that was held")
  void waits() {
    Scene scene = new Scene();
    SimEvent event = scene.device.createEvent();
    SimGate gate = scene.backend.createGate("gate");
    scene.s1.waitFor(gate);
    scene.write(scene.s1);
    event.record(scene.s1);
    scene.close();
    long calls = scene.backend.getDriverCalls().getTotal();
    assertThrows(ClosedException.class, scene.s1::isIdle);
    assertThrows(ClosedException.class, event::isComplete);
    assertThrows(ClosedException.class, event::synchronize);
    assertThrows(ClosedException.class, scene.s1::synchronize);
    assertThrows(ClosedException.class, scene.device::synchronize);
    scene.device.getMemory().free(scene.block);
    assertEquals(calls, scene.backend.getDriverCalls().getTotal());
    scene.expect();
  }

  @Test
  @DisplayName("still tells what was found, what is held and what was called")
  void tells() {
    Scene scene = new Scene();
    scene.write(scene.s1);
    scene.read(scene.s2);
    scene.close();
    assertEquals(1, scene.backend.getHazardCount());
    assertEquals(4, scene.backend.getLeaks().size());
    assertEquals(2, scene.backend.getDriverCalls().getCount("cuLaunchKernel"));
    assertEquals(2, scene.backend.getDevices().size());
  }
}
