package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;

/** Memory that belongs to somebody: an allocation of the driver, or a block that a pool told of. */
final class OwnedBlock {
  final String kind;
  final int device;
  final long start;
  final long end;

  /** The allocation as a virtual write; null where no stream has to wait for it. */
  final @Nullable Operation birth;

  final List<StreamClock> users = new ArrayList<>(2);

  /** The free; null while it lives. */
  @Nullable Operation death;

  OwnedBlock(String kind, int device, long start, long bytes, @Nullable Operation birth) {
    this.kind = kind;
    this.device = device;
    this.start = start;
    this.end = start + bytes;
    this.birth = birth;
    if (birth != null) {
      users.add(birth.stream());
    }
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s of %s at 0x%x%s",
        kind,
        ByteSize.format(end - start),
        start,
        birth == null
            ? ""
            : " (operation " + birth.index() + " on " + birth.stream().getName() + ")");
  }
}
