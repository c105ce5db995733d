package org.vramkit.sim.hazard;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;

/**
 * Memory with a present or past owner: an allocation of the driver, or a block of a pool.
 *
 * @param id its number among all allocations and blocks of the backend, from 1; 0 without one, such
 *     as for reserved addresses
 * @param kind its kind, such as {@code allocation} or {@code block}
 * @param tag the user's name for it; null without one
 * @param address its first byte
 * @param bytes the size that was asked for
 * @param allocated its allocation; null if it was not seen
 * @param freed its free; null while it lives
 */
public record Owner(
    long id,
    String kind,
    @Nullable String tag,
    long address,
    long bytes,
    @Nullable Access allocated,
    @Nullable Access freed) {
  /** Refuses what is missing. */
  public Owner {
    Objects.requireNonNull(kind, "kind");
  }

  /** Returns number, kind, tag, size and address in words. */
  @Override
  public String toString() {
    return "%s%s%s of %s at 0x%x"
        .formatted(
            kind,
            id == 0 ? "" : " " + id,
            tag == null ? "" : " \"" + tag + "\"",
            ByteSize.format(bytes),
            address);
  }
}
