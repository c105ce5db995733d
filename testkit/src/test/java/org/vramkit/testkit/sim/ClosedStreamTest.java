package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.ClosedException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

@SimulatedGpu
@DisplayName("The use of a stream that was closed")
class ClosedStreamTest {
  private static SimStream closedStream(SimDevice device) {
    SimStream stream = device.createStream();
    stream.close();
    return stream;
  }

  private static List<HazardCode> warnings(SimBackend gpu) {
    return gpu.getWarnings().stream().map(HazardReport::code).toList();
  }

  @Test
  @DisplayName("by the library is refused without a warning: a user's thread may have come between")
  void byLibrary(SimBackend gpu, SimDevice device) {
    SimStream closed = closedStream(device);
    assertThrows(ClosedException.class, () -> Library.isIdle(closed));
    assertEquals(List.of(), warnings(gpu));
  }

  @Test
  @ExpectHazard(HazardCode.INVALID_HANDLE)
  @DisplayName("by its user is warned of")
  void byUser(SimDevice device) {
    SimStream closed = closedStream(device);
    assertThrows(ClosedException.class, closed::isIdle);
  }

  @Test
  @ExpectHazard(HazardCode.INVALID_HANDLE)
  @DisplayName("is reported for an event, because the library itself created it")
  void eventByLibrary(SimDevice device) {
    SimEvent closed = device.createEvent();
    closed.close();
    assertThrows(ClosedException.class, () -> Library.isComplete(closed));
  }
}
