package org.vramkit.partition.scatter;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.device.Device;

/**
 * What tasks find beside their device.
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
    if (suppliers == null) {
      throw new IllegalStateException(
          "this scatter has no "
              + what
              + " for device "
              + device.getOrdinal()
              + "; give it some by ScatterBuilder."
              + setting
              + "(device -> ...)");
    }
    return suppliers.apply(device);
  }
}
