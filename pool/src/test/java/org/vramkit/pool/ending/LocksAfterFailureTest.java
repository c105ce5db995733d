package org.vramkit.pool.ending;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.error.ClosedException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("A thread whose call was refused")
class LocksAfterFailureTest {

  @ParameterizedTest
  @EnumSource
  @DisplayName("17.25 locks no other thread out")
  void refused(Kind kind) throws InterruptedException, ExecutionException, TimeoutException {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      try (SimStream stream = device.createStream()) {
        Subject subject = kind.create(device);
        subject.take(4096, stream).close();
        subject.close();
        assertThrows(ClosedException.class, () -> subject.take(4096, stream));
        other
            .submit(
                () -> {
                  subject.trim();
                  subject.close();
                  subject.closeBeneath();
                  subject.assertEmpty();
                })
            .get(10, SECONDS);
      }
    } finally {
      other.shutdown();
      assertTrue(other.awaitTermination(10, SECONDS), "locked out");
    }
  }
}
