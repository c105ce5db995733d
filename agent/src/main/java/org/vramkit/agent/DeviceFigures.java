package org.vramkit.agent;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.KernelLimits;
import org.vramkit.sim.SimDevice;

/**
 * The attributes of a device by their numbers in the driver. What its profile does not know is as
 * on an H200 with driver 580.
 */
final class DeviceFigures {
  private static final Map<Integer, Integer> OF_H200 = read();
  private static final int WARP = 32;
  private static final int CONSTANT_BYTES = 65_536;

  /** Domain, bus, device and function, of which the first or the last may be missing. */
  private static final Pattern PLACE =
      Pattern.compile(
          "(?i) *(?:([0-9a-f]{1,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})(?:\\.([0-9a-f]))?");

  /** The bus number of the first device. */
  private static final int FIRST_BUS_DEVICE = 6;

  private DeviceFigures() {}

  private static Map<Integer, Integer> read() {
    Map<Integer, Integer> figures = new HashMap<>();
    for (String line : CudaError.lines("attributes.txt")) {
      for (String each : line.split(" ", -1)) {
        String[] parts = each.split("=", 2);
        figures.put(Integer.valueOf(parts[0]), Integer.valueOf(parts[1]));
      }
    }
    return figures;
  }

  static int attribute(SimDevice device, int number) {
    DeviceProperties known = device.getProperties();
    KernelLimits limits = device.getKernelLimits();
    return switch (number) {
      case 1 -> limits.threadsPerBlock();
      case 8 -> limits.sharedBytesPerBlock();
      case 9 -> CONSTANT_BYTES;
      case 10 -> WARP;
      case 12, 82 -> limits.registersPerMultiprocessor();
      case 13 -> known.clockKilohertz();
      case 16 -> known.multiprocessors();
      case 18 -> known.integrated() ? 1 : 0;
      case 32 -> known.errorCorrection() ? 1 : 0;
      case 33, 50 -> 0;
      case 34 -> FIRST_BUS_DEVICE + device.getOrdinal();
      case 36 -> known.memoryClockKilohertz();
      case 37 -> known.memoryBusBits();
      case 38 -> (int) known.l2CacheBytes();
      case 39 -> limits.threadsPerMultiprocessor();
      case 75 -> known.computeMajor();
      case 76 -> known.computeMinor();
      case 81 -> limits.sharedBytesPerMultiprocessor();
      case 97 -> limits.sharedBytesPerBlockOptIn();
      case 106 -> limits.blocksPerMultiprocessor();
      default -> CudaError.found(OF_H200.get(number), CudaError.INVALID_VALUE);
    };
  }

  static int[] attributes(SimDevice device, int... numbers) {
    return Arrays.stream(numbers).map(each -> attribute(device, each)).toArray();
  }

  /** Returns the name of a device, without the note of its profile that it is simulated. */
  static String name(SimDevice device) {
    return device.getProperties().name().replace(" (simulated)", "");
  }

  /** Returns the place of a device on the bus, such as {@code 0000:00:06.0}. */
  static String busId(SimDevice device) {
    return "0000:00:%02x.0".formatted(attribute(device, 34));
  }

  /** Returns the number of the device at a place on the bus, whose ends may be left out. */
  static int ordinalOf(String busId) {
    Matcher place = PLACE.matcher(busId);
    boolean isPlace = place.matches() && (place.group(1) != null || place.group(4) != null);
    CudaError.require(isPlace, CudaError.INVALID_VALUE);
    int ordinal = number(place.group(3)) - FIRST_BUS_DEVICE;
    boolean isKnown =
        number(place.group(1)) == 0 && number(place.group(2)) == 0 && number(place.group(4)) == 0;
    CudaError.require(isKnown, CudaError.INVALID_DEVICE);
    return CudaProcess.get().primary(ordinal).device.getOrdinal();
  }

  private static int number(@Nullable String digits) {
    return digits == null ? 0 : Integer.parseUnsignedInt(digits, 16);
  }
}
