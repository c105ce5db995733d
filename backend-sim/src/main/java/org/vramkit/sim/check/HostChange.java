package org.vramkit.sim.check;

/** Told of bytes of page-locked memory that the host has changed under a copy. */
@FunctionalInterface
public interface HostChange {
  /**
   * The change was noticed.
   *
   * @param address first byte that differs
   * @param bytes how many from there do
   */
  void noticed(long address, long bytes);
}
