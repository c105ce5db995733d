package org.vramkit.sim.hazard;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;

/**
 * Memory with a present or past owner: an allocation of the driver, or a block of a pool.
 *
 * @param id the number among all allocations and blocks of the backend, from 1; 0 for memory that
 *     has none, such as reserved addresses
 * @param kind its kind, such as {@code allocation} or {@code block}
 * @param tag the user's name for the memory; null if it has none
 * @param address address of the first byte
 * @param bytes the requested size
 * @param allocated the allocation; null if the checker did not see it
 * @param freed the free; null while the memory is live
 */
public record Owner(
    long id,
    String kind,
    @Nullable String tag,
    long address,
    long bytes,
    @Nullable Access allocated,
    @Nullable Access freed) {
  /** Checks that kind is not null. */
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
