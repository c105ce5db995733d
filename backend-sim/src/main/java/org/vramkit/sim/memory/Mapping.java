package org.vramkit.sim.memory;

import java.util.BitSet;

/**
 * Physical memory behind reserved addresses from a first one on, and the ordinals of the devices
 * that may access it.
 */
public record Mapping(long start, PhysicalMemory physical, BitSet accessible) {
  /** A mapping that no device may access yet. */
  public Mapping(long start, PhysicalMemory physical) {
    this(start, physical, new BitSet());
  }

  public long getEnd() {
    return start + physical.bytes;
  }

  public void allow(int device) {
    accessible.set(device);
  }

  public boolean isAccessible(int device) {
    return accessible.get(device);
  }
}
