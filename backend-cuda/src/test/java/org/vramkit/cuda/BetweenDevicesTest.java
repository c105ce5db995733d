package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("57.5 A device's memory and the streams of another")
class BetweenDevicesTest {
  private static final long BYTES = 1 << 20;

  private final SimulatedDriver driver =
      new SimulatedDriver(
          SimBackend.builder()
              .device(DeviceProfile.H200)
              .device(DeviceProfile.H200)
              .reuseAddresses(true)
              .build());
  private final List<String> warnings = new ArrayList<>();
  private final CudaBackend backend =
      new CudaBackend("cuda", driver, new ProcessHealth(), warnings::add);
  private final Device first = backend.getDevice(0);
  private final Device second = backend.getDevice(1);

  @AfterEach
  void nothingLeft() {
    backend.close();
    assertEquals(List.of(), warnings);
  }

  @Test
  @DisplayName("a pool allocates and frees in the order of the other's stream, also of the default")
  void pool() {
    try (DriverPool pool = first.getDriverPools().create(0);
        Stream stream = second.createStream()) {
      for (Stream each : List.of(stream, second.getDefaultStream())) {
        long address = pool.allocate(BYTES, each);
        assertEquals(BYTES, pool.getStatistics().usedBytes());
        pool.free(address, each);
        each.synchronize();
        assertEquals(0, pool.getStatistics().usedBytes());
      }
      long own = pool.allocate(BYTES, first.getDefaultStream());
      first.synchronize();
      pool.free(own, stream);
      stream.synchronize();
      assertEquals(0, pool.getStatistics().usedBytes());
      assertEquals(-1, driver.currentOrdinal());
    }
  }

  @Test
  @DisplayName("plain memory is freed in the order of the other's stream, and through the other")
  void plain() {
    long free = first.getMemoryInfo().freeBytes();
    long ordered = first.getMemory().allocate(BYTES);
    try (Stream stream = second.createStream()) {
      first.getStreamOrderedMemory().free(ordered, stream);
      stream.synchronize();
    }
    InvalidArgumentException refusal =
        assertThrows(InvalidArgumentException.class, () -> second.getMemory().free(ordered));
    assertEquals(0, refusal.getStatus().code(), "refused before the driver");
    long plain = first.getMemory().allocate(BYTES);
    assertEquals(ordered, plain, "allocated again, it may be freed");
    second.getMemory().free(plain);
    assertEquals(free, first.getMemoryInfo().freeBytes());
  }

  @Test
  @DisplayName("the default pool is that of the stream's device, so it refuses the other's stream")
  void defaultPool() {
    try (Stream stream = second.createStream()) {
      assertThrows(
          InvalidArgumentException.class,
          () -> first.getStreamOrderedMemory().allocate(BYTES, stream));
    }
  }

  @Test
  @DisplayName("a stream of another backend is refused before any driver call")
  void otherBackend() {
    SimulatedDriver others = new SimulatedDriver(SimBackend.builder().build());
    try (CudaBackend other = new CudaBackend("other", others, new ProcessHealth(), warnings::add);
        DriverPool pool = first.getDriverPools().create(0);
        Stream stream = other.getDevice(0).createStream()) {
      InvalidArgumentException refusal =
          assertThrows(InvalidArgumentException.class, () -> pool.allocate(BYTES, stream));
      assertTrue(refusal.toString().contains("is not a stream of"), refusal::toString);
      assertThrows(InvalidArgumentException.class, () -> pool.free(4096, stream));
    }
  }

  @Test
  @DisplayName("physical memory is mapped and released by either, but only while it is open")
  void handles() {
    VirtualMemory ours = first.getVirtualMemory();
    VirtualMemory theirs = second.getVirtualMemory();
    long page = ours.getGranularity();
    long handle = ours.create(page);
    long address = theirs.reserve(page);
    theirs.map(address, page, handle);
    theirs.unmap(address, page);
    theirs.release(handle);
    for (long unknown : new long[] {handle, 0, 77}) {
      for (VirtualMemory each : List.of(ours, theirs)) {
        refused(() -> each.map(address, page, unknown));
        refused(() -> each.release(unknown));
      }
    }
    ours.unreserve(address, page);
  }

  @Test
  @DisplayName("access for both is one call, and is taken away from one of them")
  void access() {
    VirtualMemory memory = first.getVirtualMemory();
    long page = memory.getGranularity();
    long address = memory.reserve(page);
    long handle = memory.create(page);
    memory.map(address, page, handle);
    try (Stream ours = first.createStream();
        Stream theirs = second.createStream();
        DriverCallMeter calls = backend.measure()) {
      memory.setAccess(address, page, List.of(first, second));
      assertEquals(1, calls.getCounts().get("cuMemSetAccess"));
      ours.fill(address, (byte) 1, page);
      ours.synchronize();
      theirs.fill(address, (byte) 2, page);
      theirs.synchronize();
      memory.removeAccess(address, page, second);
      memory.removeAccess(address, page, second);
      assertThrows(InvalidArgumentException.class, () -> theirs.fill(address, (byte) 3, page));
      ours.fill(address, (byte) 4, page);
      ours.synchronize();
    }
    memory.unmap(address, page);
    memory.release(handle);
    memory.unreserve(address, page);
    driver.sim.clearHazards();
  }

  @Test
  @DisplayName("a stream that joined the other's capture allocates and frees nothing")
  void joinedStream() {
    try (Stream ours = first.createStream();
        Stream theirs = second.createStream();
        DriverPool pool = second.getDriverPools().create(0);
        Event event = first.createEvent();
        Event back = second.createEvent()) {
      long address = pool.allocate(BYTES, theirs);
      first.getGraphs().beginCapture(ours);
      event.record(ours);
      theirs.waitFor(event);
      List<Runnable> calls =
          List.of(
              () -> pool.allocate(BYTES, theirs),
              () -> pool.free(address, theirs),
              () -> second.getStreamOrderedMemory().allocate(BYTES, theirs),
              () -> theirs.copyToDevice(address, ByteBuffer.allocate(16)),
              () -> theirs.copyToHost(ByteBuffer.allocate(16), address));
      for (Runnable call : calls) {
        CaptureException refusal = assertThrows(CaptureException.class, call::run);
        assertEquals(0, refusal.getStatus().code(), "refused before the driver");
      }
      back.record(theirs);
      ours.waitFor(back);
      first.getGraphs().endCapture(ours).close();
      pool.free(address, theirs);
      theirs.synchronize();
    }
  }

  @Test
  @DisplayName("memory of a destroyed pool cannot be freed by either call, through no device")
  void destroyedPool() {
    try (Stream stream = first.createStream();
        DriverCallMeter calls = backend.measure()) {
      DriverPool pool = first.getDriverPools().create(0);
      long address = pool.allocate(BYTES, stream);
      stream.synchronize();
      pool.close();
      List<Runnable> frees =
          List.of(
              () -> first.getStreamOrderedMemory().free(address, stream),
              () -> second.getStreamOrderedMemory().free(address, stream),
              () -> first.getMemory().free(address),
              () -> second.getMemory().free(address));
      for (Runnable free : frees) {
        InvalidArgumentException refusal = assertThrows(InvalidArgumentException.class, free::run);
        assertTrue(refusal.toString().contains("its pool was closed"), refusal::toString);
      }
      assertFalse(calls.getCounts().containsKey("cuMemFree"), "no call");
      assertFalse(calls.getCounts().containsKey("cuMemFreeAsync"), "no call");
    }
    backend.close();
    assertEquals(1, warnings.size(), "the memory is left behind");
    warnings.clear();
  }

  private static void refused(Runnable call) {
    InvalidArgumentException refusal = assertThrows(InvalidArgumentException.class, call::run);
    assertEquals(0, refusal.getStatus().code(), "refused before the driver");
    assertTrue(refusal.toString().contains("pass a handle that create()"), refusal::toString);
  }
}
