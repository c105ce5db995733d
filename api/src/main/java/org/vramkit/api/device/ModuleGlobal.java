package org.vramkit.api.device;

import java.util.Objects;

/**
 * A variable of a module in global or constant memory. Its address is valid until the module is
 * closed; copies and fills access it like other memory.
 *
 * @param name the name in the module
 * @param address the address of the first byte
 * @param size the size in bytes
 */
public record ModuleGlobal(String name, long address, long size) implements MemoryArgument {

  /** Checks for null. */
  public ModuleGlobal {
    Objects.requireNonNull(name, "name");
  }

  @Override
  public long getAddress() {
    return address;
  }
}
