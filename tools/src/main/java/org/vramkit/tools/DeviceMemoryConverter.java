package org.vramkit.tools;

import java.util.regex.Pattern;
import org.vramkit.tools.replay.DeviceMemory;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a size such as {@code 80GiB}, or a multiple of the requested peak such as {@code 1.05x}.
 */
final class DeviceMemoryConverter implements ITypeConverter<DeviceMemory> {
  private static final Pattern MULTIPLE = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)x");

  /** Bounds the multiple, so that a mistyped one is refused. */
  private static final double MAX_FACTOR = 100;

  private final SizeConverter sizes = new SizeConverter.DeviceMemory();

  @Override
  public DeviceMemory convert(String text) {
    var multiple = MULTIPLE.matcher(text);
    if (!multiple.matches()) {
      if (text.endsWith("x")) {
        throw new TypeConversionException(
            "not a multiple of the requested peak: '" + text + "'; write one such as 1.05x");
      }
      return DeviceMemory.of(sizes.convert(text));
    }
    double factor = Double.parseDouble(multiple.group(1));
    if (factor <= 0 || factor > MAX_FACTOR) {
      throw new TypeConversionException(
          "a multiple of the requested peak must be more than 0x and at most 100x, not " + text);
    }
    return DeviceMemory.timesRequested(factor);
  }
}
