package org.vramkit.sim.memory;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;

/** A range of addresses that the driver has handed out. */
public final class Region {
  private final RegionKind kind;
  private final int device;
  private final long start;
  private final long bytes;
  private final @Nullable PhysicalMemory physical;
  private final @Nullable Mappings pages;
  private final Set<Integer> accessors;

  private Region(
      RegionKind kind,
      int device,
      long start,
      long bytes,
      @Nullable PhysicalMemory physical,
      @Nullable Mappings pages,
      Set<Integer> accessors) {
    this.accessors = accessors;
    this.kind = kind;
    this.device = device;
    this.start = start;
    this.bytes = bytes;
    this.physical = physical;
    this.pages = pages;
  }

  /** A region with memory behind all of it. */
  public static Region backed(
      RegionKind kind, int device, long start, long bytes, PhysicalMemory physical) {
    return new Region(kind, device, start, bytes, physical, null, Set.of());
  }

  /**
   * A region of a driver's pool.
   *
   * @param accessors ordinals of the other devices that the pool is open to, now and later
   */
  public static Region pooled(
      int device, long start, long bytes, PhysicalMemory physical, Set<Integer> accessors) {
    return new Region(RegionKind.POOL, device, start, bytes, physical, null, accessors);
  }

  /** Whether the pool that it is of was opened to another device. */
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

  /** How it came about. */
  public RegionKind getKind() {
    return kind;
  }

  /** Ordinal of the device that it was asked of. */
  public int getDevice() {
    return device;
  }

  /** Its first address. */
  public long getStart() {
    return start;
  }

  /** The size that was asked for. */
  public long getBytes() {
    return bytes;
  }

  /** The address after the last byte that was asked for. */
  public long getEnd() {
    return start + bytes;
  }

  /** The memory behind it; null for reserved ones. */
  public @Nullable PhysicalMemory getPhysical() {
    return physical;
  }

  /** The mappings of a reservation; null for other kinds. */
  public @Nullable Mappings getPages() {
    return pages;
  }

  /** Its kind, size and address in words. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "%s of %s at 0x%x", kind.getWords(), ByteSize.format(bytes), start);
  }
}
