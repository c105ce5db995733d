package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.Fault;

@DisplayName("Streams and memory of other libraries pass in and out")
class CudaInteropTest {
  private final SimulatedDriver driver = new SimulatedDriver(SimBackend.builder().build());
  private final CudaBackend backend = new CudaBackend("cuda", driver, new ProcessHealth());
  private final Device device = backend.getDevice(0);

  @AfterEach
  void nothingIsLeft() {
    backend.close();
    assertEquals(List.of(), driver.sim.getHazards(), "hazards");
    assertEquals(List.of(), driver.sim.getLeaks(), "leaks");
    assertEquals(List.of(), driver.crimes, "uses of destroyed handles");
  }

  @Test
  @DisplayName("a wrapped stream equals the one it wraps, and closing it destroys nothing")
  void wrappedStream() {
    try (Stream owner = device.createStream()) {
      Stream wrapped = CudaInterop.wrap(device, CudaInterop.handleOf(owner));
      assertEquals(owner, wrapped);
      assertEquals(owner.hashCode(), wrapped.hashCode());
      assertNotEquals(device.getDefaultStream(), wrapped);
      wrapped.close();
      assertAll(
          () -> assertTrue(wrapped.isClosed()),
          () -> assertThrows(ClosedException.class, wrapped::synchronize),
          () -> assertFalse(owner.isClosed()));
      owner.synchronize();
    }
  }

  @Test
  @DisplayName("every name of the legacy default stream gives the device's own")
  void legacyStream() {
    for (long name : new long[] {0, 1}) {
      Stream wrapped = CudaInterop.wrap(device, () -> name);
      assertEquals(device.getDefaultStream(), wrapped);
      assertTrue(wrapped.isDefault());
    }
  }

  @Test
  @DisplayName("the per-thread default stream is rejected, because it is not a single stream")
  void perThreadStream() {
    InvalidArgumentException error =
        assertThrows(InvalidArgumentException.class, () -> CudaInterop.wrap(device, () -> 2));
    assertTrue(error.toString().contains("cuStreamCreate"), error.toString());
  }

  @Test
  @DisplayName("a closed stream and one of another backend have no handle to give")
  void handles() {
    Stream closed = device.createStream();
    closed.close();
    assertThrows(ClosedException.class, () -> CudaInterop.handleOf(closed));
    Stream simulated = driver.sim.getDevice(0).getDefaultStream();
    assertThrows(InvalidArgumentException.class, () -> CudaInterop.handleOf(simulated));
  }

  @Test
  @DisplayName("foreign memory is returned once, on its stream, after every recorded use")
  void foreignMemory() {
    try (Stream home = device.createStream();
        Stream other = device.createStream()) {
      long address = device.getStreamOrderedMemory().allocate(4096, home);
      List<String> told = new ArrayList<>();
      Allocation foreign =
          CudaInterop.wrap(
              address,
              4096,
              home,
              () -> {
                told.add("freed");
                device.getStreamOrderedMemory().free(address, home);
              });
      home.fill(foreign.getAddress(), (byte) 1, foreign.getSize());
      home.synchronize();
      other.fill(foreign.getAddress(), (byte) 2, foreign.getSize());
      foreign.recordUse(other);
      foreign.close();
      foreign.close();
      assertEquals(List.of("freed"), told);
      assertThrows(ClosedException.class, foreign::getAddress);
      device.synchronize();
    }
  }

  @Test
  @DisplayName("a recorded stream that is closed is waited for with its whole device")
  void foreignMemoryUsedByAClosedStream() {
    try (Stream home = device.createStream()) {
      long address = device.getStreamOrderedMemory().allocate(4096, home);
      home.synchronize();
      Stream other = device.createStream();
      Allocation foreign =
          CudaInterop.wrap(
              address, 4096, home, () -> device.getStreamOrderedMemory().free(address, home));
      other.fill(address, (byte) 2, 4096);
      foreign.recordUse(other);
      other.close();
      foreign.close();
      device.synchronize();
    }
  }

  @ParameterizedTest(name = "the recorded stream is captured: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("foreign memory cannot be closed while a capture has its stream or a recorded one")
  void foreignMemoryInCapture(boolean ofUser) {
    try (Stream home = device.createStream();
        Stream other = device.createStream()) {
      long address = device.getStreamOrderedMemory().allocate(4096, home);
      home.synchronize();
      List<String> told = new ArrayList<>();
      Allocation foreign =
          CudaInterop.wrap(
              address,
              4096,
              home,
              () -> {
                told.add("freed");
                device.getStreamOrderedMemory().free(address, home);
              });
      other.fill(address, (byte) 2, 4096);
      foreign.recordUse(other);
      Stream captured = ofUser ? other : home;
      device.getGraphs().beginCapture(captured);
      CaptureException refused = assertThrows(CaptureException.class, foreign::close);
      assertTrue(refused.toString().contains("end the capture"), refused.toString());
      assertFalse(foreign.isClosed());
      assertFalse(device.getGraphs().isCapturing(ofUser ? home : other), "drawn into the capture");
      device.getGraphs().endCapture(captured).close();
      assertEquals(List.of(), told);
      foreign.close();
      assertEquals(List.of("freed"), told);
      device.synchronize();
    }
  }

  @Test
  @DisplayName("if one recorded stream cannot be waited for, foreign memory waits for the others")
  void foreignMemoryUsedByTwo() {
    try (Stream home = device.createStream();
        Stream other = device.createStream()) {
      long address = device.getStreamOrderedMemory().allocate(4096, home);
      home.synchronize();
      Stream closed = device.createStream();
      Allocation foreign =
          CudaInterop.wrap(
              address, 4096, home, () -> device.getStreamOrderedMemory().free(address, home));
      foreign.recordUse(closed);
      closed.close();
      other.fill(address, (byte) 2, 4096);
      foreign.recordUse(other);
      driver.sim.getFaults().failNext("cuCtxSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, foreign::close);
      device.synchronize();
    }
  }

  @Test
  @DisplayName("17.25 a stream with the handle of a closed one is another user of foreign memory")
  void foreignMemoryUsedByTheNextOfAHandle() {
    try (Stream owner = device.createStream()) {
      Stream home = CudaInterop.wrap(device, CudaInterop.handleOf(owner));
      long address = device.getMemory().allocate(4096);
      List<Long> waits = new ArrayList<>();
      Allocation foreign =
          CudaInterop.wrap(
              address,
              4096,
              home,
              () -> waits.add(driver.sim.getDriverCalls().getCount("cuCtxSynchronize")));
      foreign.recordUse(CudaInterop.wrap(device, CudaInterop.handleOf(owner)));
      home.close();
      Stream next = CudaInterop.wrap(device, CudaInterop.handleOf(owner));
      next.fill(address, (byte) 1, 4096);
      foreign.recordUse(next);
      foreign.close();
      assertEquals(List.of(1L), waits, "for the next of the handle, and for it alone");
      device.getMemory().free(address);
    }
  }

  @Test
  @DisplayName("foreign memory has no negative size")
  void badSize() {
    assertThrows(
        InvalidArgumentException.class,
        () -> CudaInterop.wrap(0x1000, -1, device.getDefaultStream(), () -> {}));
  }

  @Test
  @DisplayName(
      "the owner of foreign memory is notified even if its stream can no longer" + " be ordered")
  void foreignMemoryOfALostProcess() {
    SimulatedDriver failing = new SimulatedDriver(SimBackend.builder().build());
    CudaBackend doomed = new CudaBackend("cuda", failing, new ProcessHealth());
    Stream home = doomed.getDevice(0).createStream();
    Stream other = doomed.getDevice(0).createStream();
    List<String> told = new ArrayList<>();
    Allocation lost = CudaInterop.wrap(0x1000, 16, home, () -> told.add("lost"));
    Allocation gone = CudaInterop.wrap(0x2000, 16, home, () -> told.add("gone"));
    lost.recordUse(other);
    gone.recordUse(other);
    failing.sim.getFaults().failNext("cuEventRecord", Fault.FATAL);
    lost.close();
    doomed.close();
    gone.close();
    assertEquals(List.of("lost", "gone"), told);
  }

  @Test
  @DisplayName(
      "events and page-locked memory of another backend are refused before the driver is asked")
  void otherBackend() {
    SimulatedDriver elsewhere = new SimulatedDriver(SimBackend.builder().build());
    try (CudaBackend other = new CudaBackend("other", elsewhere, new ProcessHealth());
        Event event = other.getDevice(0).createEvent();
        PinnedBuffer pinned = other.getDevice(0).getPinnedMemory().allocate(16);
        Stream stream = device.createStream()) {
      for (Executable misuse :
          List.<Executable>of(
              () -> stream.waitFor(event),
              () -> stream.copyToDevice(0x1000, pinned, 0, 1),
              () -> stream.copyToHost(pinned, 0, 0x1000, 1))) {
        InvalidArgumentException error = assertThrows(InvalidArgumentException.class, misuse);
        assertFalse(error.getStatus().isFromDriver(), error.toString());
      }
    }
  }
}
