package org.vramkit.sim.memory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A piece of a device's physical memory, with its bytes where they are simulated. */
public final class PhysicalMemory {
  public final long bytes;

  /** Null in the mode without bytes. */
  public final @Nullable ByteStore content;

  private boolean released;
  private final List<Long> addresses = new ArrayList<>(1);
  private boolean fresh = true;

  /** Its content reads as garbage until written; null in the mode without bytes. */
  public PhysicalMemory(long bytes, @Nullable ByteStore content) {
    this.bytes = bytes;
    this.content = content;
  }

  public boolean isReleased() {
    return released;
  }

  public void release() {
    released = true;
  }

  public boolean isMapped() {
    return !addresses.isEmpty();
  }

  /** The first address of each mapping, oldest first. */
  public List<Long> getAddresses() {
    return Collections.unmodifiableList(addresses);
  }

  /** It lies behind one more range of addresses. */
  public void addMapping(long address) {
    addresses.add(address);
    fresh = false;
  }

  public void removeMapping(long address) {
    addresses.remove(address);
  }

  /** Returns whether it never lay behind addresses, so that nobody can have written it. */
  public boolean isFresh() {
    return fresh;
  }
}
