package org.vramkit.partition.scatter;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.device.Device;

/**
 * The allocators and workspaces that tasks use.
 *
 * @param allocators null if none were given
 * @param workspaces null if none were given
 */
record TileResources(
    @Nullable Function<Device, Allocator> allocators,
    @Nullable Function<Device, Workspace> workspaces) {
  static final TileResources NONE = new TileResources(null, null);

  Allocator allocator(Device device) {
    return find("allocator", "allocators", allocators, device);
  }

  Workspace workspace(Device device) {
    return find("workspace", "workspaces", workspaces, device);
  }

  private static <T> T find(
      String what, String setting, @Nullable Function<Device, T> suppliers, Device device) {
    // A supplier may return null despite its type.
    @Nullable T found = suppliers == null ? null : suppliers.apply(device);
    if (found == null) {
      throw new IllegalStateException(
          "this scatter has no "
              + what
              + " for device "
              + device.getOrdinal()
              + (suppliers == null ? "" : ", its supplier returned null")
              + "; set it with ScatterBuilder."
              + setting
              + "(device -> ...)");
    }
    return found;
  }
}
