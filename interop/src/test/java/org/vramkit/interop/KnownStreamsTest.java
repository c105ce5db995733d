package org.vramkit.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.SimulatedDriver;
import org.vramkit.sim.SimBackend;

@DisplayName("Streams are known by their handles as long as they live, and not for ever")
class KnownStreamsTest {
  private final SimBackend sim = SimBackend.builder().build();
  private final CudaBackend backend = CudaBackend.open("played", new SimulatedDriver(sim));
  private final Device device = backend.getDevice(0);
  private final KnownStreams streams = new KnownStreams(device);

  @AfterEach
  void close() {
    backend.close();
    sim.close();
  }

  @Test
  @DisplayName("23.5 a registered stream is found until it is closed, and then forgotten")
  void told() {
    try (Stream kept = device.createStream()) {
      streams.add(kept);
      for (int i = 0; i < 1000; i++) {
        try (Stream passing = device.createStream()) {
          streams.add(passing);
          assertSame(passing, streams.find(passing.getHandle()));
        }
      }
      assertTrue(streams.getCount() <= 2, () -> streams.getCount() + " are kept");
      assertSame(kept, streams.find(kept.getHandle()));
    }
  }

  @Test
  @DisplayName("23.5 the reused handle of a closed stream means the new stream")
  void handleAgain() {
    Stream closed = device.createStream();
    streams.add(closed);
    long handle = closed.getHandle();
    closed.close();
    Stream found = streams.find(handle);
    assertNotSame(closed, found);
    assertFalse(found.isClosed());
    assertEquals(handle, found.getHandle());
  }

  @Test
  @DisplayName("23.5 streams that a library creates are kept while they have uses")
  void wrapped() {
    long first = 0x10000;
    Stream before = streams.find(first);
    assertSame(before, streams.find(first));
    for (int i = 0; i < 3 * KnownStreams.MAX_WRAPPED; i++) {
      assertEquals(first + 16L * i, streams.find(first + 16L * i).getHandle());
    }
    assertTrue(streams.getCount() <= KnownStreams.MAX_WRAPPED);
    assertEquals(before, streams.find(first), "the same stream, whatever was dropped");
  }

  @Test
  @DisplayName("23.6 a closed stream is refused, and the two names of the default stream are known")
  void refused() {
    Stream closed = device.createStream();
    closed.close();
    assertThrows(ClosedException.class, () -> streams.add(closed));
    assertSame(device.getDefaultStream(), streams.find(0));
    assertSame(device.getDefaultStream(), streams.find(1));
  }
}
