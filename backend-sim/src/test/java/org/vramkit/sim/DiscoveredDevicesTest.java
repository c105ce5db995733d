package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.device.Backend;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.error.InvalidArgumentException;

@DisplayName("The devices of a simulator that the class path offers")
class DiscoveredDevicesTest {
  @AfterEach
  void restore() {
    System.clearProperty(SimBackendProvider.DEVICES_PROPERTY);
  }

  @Test
  @DisplayName("17.21 are as many as the property says, one by default")
  void asManyAsAskedFor() {
    for (int devices : new int[] {1, 2, 64}) {
      System.setProperty(SimBackendProvider.DEVICES_PROPERTY, " " + devices);
      try (Backend backend = Backends.open(SimBackend.NAME)) {
        assertEquals(devices, backend.getDevices().size());
      }
    }
    System.clearProperty(SimBackendProvider.DEVICES_PROPERTY);
    try (Backend backend = Backends.open(SimBackend.NAME)) {
      assertEquals(1, backend.getDevices().size());
      InvalidArgumentException refused =
          assertThrows(InvalidArgumentException.class, () -> backend.getDevice(1));
      assertTrue(
          refused.toString().contains(SimBackendProvider.DEVICES_PROPERTY), refused.toString());
    }
  }

  @ParameterizedTest
  @DisplayName("17.21 are refused if the property is not a valid number, with a message")
  @ValueSource(strings = {"", "two", "0", "-1", "65", "100", "99999999999", "1.5", "\u0663"})
  void noNumber(String text) {
    System.setProperty(SimBackendProvider.DEVICES_PROPERTY, text);
    InvalidArgumentException refused =
        assertThrows(InvalidArgumentException.class, () -> Backends.open(SimBackend.NAME));
    assertTrue(
        refused.toString().contains("vramkit.sim.devices is a number of devices, 1 to 64, not '"),
        refused.toString());
  }
}
