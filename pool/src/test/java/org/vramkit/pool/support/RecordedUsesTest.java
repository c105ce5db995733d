package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Event;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("Recorded uses")
class RecordedUsesTest {

  @Test
  @DisplayName("end with the device: nothing runs on one that is lost")
  void lostDevice() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimStream stream = backend.getDevice(0).createStream();
      RecordedUses uses = new RecordedUses();
      uses.record(stream);
      uses.mark();
      Allocation memory = mock(Allocation.class);
      backend.getFaults().failNext("cuEventSynchronize", Fault.FATAL);
      assertThrows(FatalDeviceException.class, uses::await);
      assertTrue(uses.isEmpty());
      uses.giveBack(memory, Assertions::fail);
      verify(memory).close();
      stream.close();
      assertEquals(List.of(), backend.getLeaks());
    }
  }

  @Test
  @DisplayName("that come too late, while the memory goes back, do not keep it from going")
  void recordedTooLate() {
    DriverStub driver = new DriverStub();
    RecordedUses uses = new RecordedUses();
    Event mark = mock(Event.class);
    doAnswer(
            call -> {
              uses.record(driver.newStream());
              return null;
            })
        .when(mark)
        .close();
    when(driver.device.createEvent()).thenReturn(mark);
    uses.record(driver.newStream());
    uses.mark();
    Allocation memory = mock(Allocation.class);
    uses.giveBack(memory, Assertions::fail);
    verify(memory).close();
  }

  @Test
  @DisplayName("keep memory open that can neither be told of them nor wait for them")
  void neitherToldNorAwaited() {
    DriverStub driver = new DriverStub();
    RecordedUses uses = new RecordedUses();
    uses.record(driver.newStream());
    Allocation memory = mock(Allocation.class);
    doAnswer(
            call -> {
              throw new DriverException("refused");
            })
        .when(memory)
        .recordUse(any());
    doAnswer(
            call -> {
              throw new DriverException("no wait");
            })
        .when(driver.device)
        .synchronize();
    Runnable keeper = mock(Runnable.class);
    assertThrows(DriverException.class, () -> uses.giveBack(memory, keeper));
    verify(keeper).run();
    verify(memory, never()).close();
    assertFalse(uses.isEmpty());
  }
}
