package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.units.ByteSize;

/** Tests backends and devices. */
interface DeviceContract extends KitContext {

  @Test
  @DisplayName("devices are listed by ordinal and know their backend")
  default void devicesAreListedByOrdinal() {
    List<Device> devices = getBackend().getDevices();
    assertFalse(devices.isEmpty(), "the kit needs a device");
    for (int ordinal = 0; ordinal < devices.size(); ordinal++) {
      Device device = devices.get(ordinal);
      assertEquals(ordinal, device.getOrdinal());
      assertSame(getBackend(), device.getBackend());
      assertSame(device, getBackend().getDevice(ordinal));
    }
    assertThrows(UnsupportedOperationException.class, devices::clear);
    assertFalse(getBackend().getName().isBlank());
  }

  @Test
  @DisplayName("an ordinal without a device is an error that gives the number of devices")
  default void unknownOrdinal() {
    int count = getBackend().getDevices().size();
    for (int ordinal : new int[] {-1, count, Integer.MAX_VALUE}) {
      InvalidArgumentException error =
          assertThrows(
              InvalidArgumentException.class, () -> getBackend().getDevice(ordinal), "" + ordinal);
      assertTrue(String.valueOf(error.getMessage()).contains("" + count), error.getMessage());
    }
  }

  @Test
  @DisplayName("closing a backend twice is harmless")
  default void backendClosesTwice() {
    getBackend().close();
    getBackend().close();
  }

  @Test
  @DisplayName("properties and memory information are consistent")
  default void propertiesAreSane() {
    DeviceProperties properties = getDevice().getProperties();
    MemoryInfo memory = getDevice().getMemoryInfo();
    assertAll(
        () -> assertFalse(properties.name().isBlank()),
        () -> assertTrue(properties.multiprocessors() > 0),
        () -> assertTrue(properties.computeMajor() > 0),
        () -> assertTrue(memory.totalBytes() > 0),
        () -> assertTrue(memory.totalBytes() <= properties.totalMemoryBytes()),
        () -> assertTrue(memory.freeBytes() >= 0 && memory.freeBytes() <= memory.totalBytes()));
  }

  @Test
  @DisplayName("allocated memory is no longer free")
  default void memoryInfoFollowsAllocations() {
    long before = getDevice().getMemoryInfo().freeBytes();
    withMemory(
        64 * ByteSize.MIB,
        address ->
            assertTrue(getDevice().getMemoryInfo().freeBytes() <= before - 64 * ByteSize.MIB));
    assertTrue(getDevice().getMemoryInfo().freeBytes() > before - 64 * ByteSize.MIB);
  }

  @Test
  @DisplayName("a device provides its capabilities and throws NotSupportedException for the others")
  default void capabilitiesHold() {
    Device device = getDevice();
    assertThrows(UnsupportedOperationException.class, () -> device.getCapabilities().clear());
    Map<Capability, Executable> accessors = new EnumMap<>(Capability.class);
    accessors.put(Capability.VIRTUAL_MEMORY, () -> assertNotNull(device.getVirtualMemory()));
    accessors.put(
        Capability.STREAM_ORDERED_MEMORY, () -> assertNotNull(device.getStreamOrderedMemory()));
    accessors.put(Capability.DRIVER_POOLS, () -> assertNotNull(device.getDriverPools()));
    accessors.put(Capability.PINNED_HOST_MEMORY, () -> assertNotNull(device.getPinnedMemory()));
    accessors.put(Capability.MANAGED_MEMORY, () -> assertNotNull(device.getManagedMemory()));
    accessors.put(Capability.PEER_ACCESS, () -> assertNotNull(device.getPeerAccess()));
    accessors.put(Capability.GRAPHS, () -> assertNotNull(device.getGraphs()));
    assertAll(
        accessors.entrySet().stream()
            .map(
                accessor ->
                    device.supports(accessor.getKey())
                        ? accessor.getValue()
                        : () -> assertThrows(NotSupportedException.class, accessor.getValue())));
  }

  @Test
  @DisplayName("the default stream is stream 0 of its device")
  default void defaultStream() {
    Stream stream = getDevice().getDefaultStream();
    assertAll(
        () -> assertTrue(stream.isDefault()),
        () -> assertEquals(0, stream.getHandle()),
        () -> assertSameDevice(stream.getDevice(), "the default stream"),
        () -> assertEquals(stream, getDevice().getDefaultStream()));
  }

  @Test
  @DisplayName("a stream returns the device that created it")
  default void streamsReturnTheirDevice() {
    try (Stream stream = getDevice().createStream()) {
      assertSameDevice(stream.getDevice(), "a stream");
    }
  }

  @Test
  @DisplayName("a stream has the name given at creation, if the device supports names")
  default void streamsHaveNames() {
    try (Stream named = getDevice().createStream("copies");
        Stream nameless = getDevice().createStream()) {
      assertTrue(List.of("copies", "").contains(named.getName()), named.getName());
      assertEquals("", nameless.getName());
      assertEquals("", getDevice().getDefaultStream().getName());
      assertTrue(named.isIdle());
    }
  }

  @Test
  @DisplayName("synchronising a device waits for all its streams")
  default void deviceSynchronises() {
    withMemory(
        ByteSize.MIB,
        (first, address) -> {
          try (Stream second = getDevice().createStream()) {
            first.fill(address, (byte) 1, ByteSize.MIB / 2);
            second.fill(address + ByteSize.MIB / 2, (byte) 2, ByteSize.MIB / 2);
            getDevice().synchronize();
            assertTrue(first.isIdle());
            assertTrue(second.isIdle());
          }
        });
  }
}
