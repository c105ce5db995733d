package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;

@DisplayName("Streams are in order with each other")
class StreamsTest {
  private final Device device = new DriverStub().device;

  /** Another object for the default stream each time, as bindings may make them. */
  private static Stream defaultOf(Device device) {
    return new HandleStream(device, 0) {
      @Override
      public boolean isDefault() {
        return true;
      }

      @Override
      public boolean equals(Object other) {
        return this == other;
      }

      @Override
      public int hashCode() {
        return System.identityHashCode(this);
      }
    };
  }

  @Test
  @DisplayName("if they are one, equal and both open, or the default stream of one device")
  void same() {
    Stream one = new HandleStream(device, 1);
    Stream twin = new HandleStream(device, 1);
    assertTrue(Streams.areSame(one, one));
    assertTrue(Streams.areSame(one, twin));
    assertFalse(Streams.areSame(one, new HandleStream(device, 2)));
    assertTrue(Streams.areSame(defaultOf(device), defaultOf(device)));
    assertFalse(Streams.areSame(defaultOf(device), defaultOf(new DriverStub().device)));
    assertFalse(Streams.areSame(defaultOf(device), one));
    assertFalse(Streams.areSame(one, defaultOf(device)));
    twin.close();
    assertFalse(Streams.areSame(one, twin));
    assertFalse(Streams.areSame(twin, one));
    assertTrue(Streams.areSame(twin, twin));
  }

  @Test
  @DisplayName("so a list of users has each once, and all that differ")
  void addTo() {
    List<Stream> users = new ArrayList<>();
    for (int handle : new int[] {1, 2, 1, 3, 2}) {
      Streams.addTo(users, new HandleStream(device, handle));
    }
    assertEquals(List.of(1L, 2L, 3L), users.stream().map(Stream::getHandle).toList());
    assertEquals("0x2a", Streams.nameOf(new HandleStream(device, 42)));
  }
}
