package org.vramkit.sim.memory;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;

/**
 * A range of addresses that the driver has handed out, asked of a device in a size.
 *
 * @param physical the memory behind it; null for reserved ones
 * @param pages the mappings of a reservation; null for other kinds
 * @param accessors ordinals of the other devices that its pool is open to, now and later
 */
public record Region(
    RegionKind kind,
    int device,
    long start,
    long bytes,
    @Nullable PhysicalMemory physical,
    @Nullable Mappings pages,
    Set<Integer> accessors) {
  /** A region with memory behind all of it. */
  public static Region backed(
      RegionKind kind, int device, long start, long bytes, PhysicalMemory physical) {
    return new Region(kind, device, start, bytes, physical, null, Set.of());
  }

  /** Of a driver's pool, which is open to other devices, now and later. */
  public static Region pooled(
      int device, long start, long bytes, PhysicalMemory physical, Set<Integer> accessors) {
    return new Region(RegionKind.POOL, device, start, bytes, physical, null, accessors);
  }

  /** Returns whether the pool that it is of was opened to another device. */
  public boolean isOpenTo(int other) {
    return accessors.contains(other);
  }

  /** A region of addresses only. */
  public static Region reserved(int device, long start, long bytes, long page) {
    return new Region(
        RegionKind.RESERVED,
        device,
        start,
        bytes,
        null,
        new Mappings(start, bytes, page),
        Set.of());
  }

  public long getEnd() {
    return start + bytes;
  }

  @Override
  public String toString() {
    return "%s of %s at 0x%x".formatted(kind.getWords(), ByteSize.format(bytes), start);
  }
}
