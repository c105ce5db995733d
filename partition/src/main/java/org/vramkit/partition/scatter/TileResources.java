package org.vramkit.partition.scatter;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.device.Device;

/**
 * Resources that tasks find beside their device.
 *
 * @param allocators null if none were given
 * @param workspaces null if none were given
 */
record DeviceParts(
    @Nullable Function<Device, Allocator> allocators,
    @Nullable Function<Device, Workspace> workspaces) {
  static final DeviceParts NONE = new DeviceParts(null, null);

  Allocator allocator(Device device) {
    return find("allocator", "allocators", allocators, device);
  }

  Workspace workspace(Device device) {
    return find("workspace", "workspaces", workspaces, device);
  }

  private static <T> T find(
      String what, String setting, @Nullable Function<Device, T> suppliers, Device device) {
    // A supplier of Java may return null, whatever its type says.
    @Nullable T found = suppliers == null ? null : suppliers.apply(device);
    if (found == null) {
      throw new IllegalStateException(
          "this scatter has no "
              + what
              + " for device "
              + device.getOrdinal()
              + (suppliers == null ? "" : ", its supplier returned null")
              + "; give it one by ScatterBuilder."
              + setting
              + "(device -> ...)");
    }
    return found;
  }
}
