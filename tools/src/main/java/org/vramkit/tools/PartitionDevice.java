package org.vramkit.tools;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A device that {@code --devices} describes.
 *
 * @param score estimated speed relative to the other devices
 * @param unitsPerSecond true speed; the score if no rate was given
 * @param memoryBytes device memory
 */
record PartitionDevice(double score, double unitsPerSecond, long memoryBytes) {
  private static final long DEFAULT_MEMORY = 80 * ByteSize.GIB;
  private static final Pattern TEXT = Pattern.compile("([^:@]+)(?::([^:@]+))?(?:@([^:@]+))?");

  /** Reads {@code SCORE[:RATE][@MEMORY]}. */
  static final class Converter implements ITypeConverter<PartitionDevice> {
    @Override
    public PartitionDevice convert(String text) {
      Matcher parts = TEXT.matcher(text.strip());
      if (!parts.matches()) {
        throw new TypeConversionException(
            "'" + text + "' is not of the form SCORE[:RATE][@MEMORY], such as 261:1000@80GiB");
      }
      double score = number(text, parts.group(1), true);
      String rate = parts.group(2);
      double unitsPerSecond = rate == null ? score : number(text, rate, false);
      if (unitsPerSecond == 0) {
        throw new TypeConversionException(
            "a device of score 0 needs a rate; write '" + text + ":RATE'");
      }
      return new PartitionDevice(score, unitsPerSecond, memory(parts.group(3)));
    }

    private static double number(String text, String part, boolean zero) {
      try {
        double value = Double.parseDouble(part);
        if (Double.isFinite(value) && (value > 0 || (zero && value == 0))) {
          return value;
        }
      } catch (NumberFormatException e) {
        throw new TypeConversionException("'" + part + "' in '" + text + "' is not a number");
      }
      throw new TypeConversionException(
          "'"
              + part
              + "' in '"
              + text
              + "' is out of range: scores are finite and at least 0, rates more than 0");
    }

    private static long memory(@Nullable String text) {
      try {
        return text == null ? DEFAULT_MEMORY : new SizeConverter.DeviceMemory().convert(text);
      } catch (TypeConversionException e) {
        throw new TypeConversionException("memory: " + e.getMessage());
      }
    }
  }
}
