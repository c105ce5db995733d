package org.vramkit.tools;

import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes such as {@code 80GiB}. */
public class SizeConverter implements ITypeConverter<Long> {
  private final long least;
  private final long most;

  /** Accepts any size from 0. */
  public SizeConverter() {
    this(0, Long.MAX_VALUE);
  }

  private SizeConverter(long least, long most) {
    this.least = least;
    this.most = most;
  }

  @Override
  public Long convert(String text) {
    try {
      long bytes = ByteSize.parse(text);
      if (bytes >= least && bytes <= most) {
        return bytes;
      }
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(
          e.getMessage() + (most == Long.MAX_VALUE ? "" : "; it " + bounds()));
    }
    throw new TypeConversionException(
        bounds() + ", not " + ByteSize.formatExact(ByteSize.parse(text)));
  }

  private String bounds() {
    return "must be at least "
        + ByteSize.formatOption(least)
        + " and at most "
        + ByteSize.formatOption(most);
  }

  /** Reads the memory of a simulated device. */
  public static final class DeviceMemory extends SizeConverter {
    /** Accepts 1 byte to {@link DeviceProfile#MAXIMUM_MEMORY}. */
    public DeviceMemory() {
      super(1, DeviceProfile.MAXIMUM_MEMORY);
    }
  }
}
