package org.vramkit.sim.memory;

import java.util.BitSet;

/** Physical memory behind a range of reserved addresses. */
public final class Mapping {
  private final long start;
  private final PhysicalMemory physical;
  private final BitSet accessible = new BitSet();

  /** A mapping that no device may access yet. */
  public Mapping(long start, PhysicalMemory physical) {
    this.start = start;
    this.physical = physical;
  }

  /** Its first address. */
  public long getStart() {
    return start;
  }

  /** The address after its last. */
  public long getEnd() {
    return start + physical.getBytes();
  }

  /** The memory. */
  public PhysicalMemory getPhysical() {
    return physical;
  }

  /** Lets a device access it. */
  public void allow(int device) {
    accessible.set(device);
  }

  /** Whether a device may access it. */
  public boolean isAccessible(int device) {
    return accessible.get(device);
  }
}
