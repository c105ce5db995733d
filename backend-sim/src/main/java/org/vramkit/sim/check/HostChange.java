package org.vramkit.sim.check;

/** Told of bytes of page-locked memory that the host has changed under a copy. */
@FunctionalInterface
public interface HostChange {
  /** So many bytes from an address on differ. */
  void noticed(long address, long bytes);
}
