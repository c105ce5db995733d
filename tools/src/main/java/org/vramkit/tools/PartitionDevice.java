package org.vramkit.tools;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A device as the command line tells of it.
 *
 * @param score what it is thought to do beside the others
 * @param unitsPerSecond what it does; its score if that was not told
 * @param memoryBytes its memory
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
            "'" + text + "' is not SCORE[:RATE][@MEMORY], such as 261:1000@80GiB");
      }
      double score = number(text, parts.group(1), true);
      String rate = parts.group(2);
      double unitsPerSecond = rate == null ? score : number(text, rate, false);
      if (unitsPerSecond == 0) {
        throw new TypeConversionException("a score of 0 needs a rate: '" + text + ":RATE'");
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
          "'" + part + "' in '" + text + "' must be finite and not negative; a rate not 0 either");
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
