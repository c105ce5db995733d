package org.vramkit.examples.transformer;

import java.util.function.Function;
import org.vramkit.api.device.Device;

/**
 * Parts of a training that tests replace to find out whether each part of the program's order is
 * needed.
 *
 * @param ptx the kernels
 * @param orders creates the order of a device's streams
 */
record Setup(String ptx, Function<Device, Order> orders) {
  /** Returns the kernels and the order of the program. */
  static Setup ofProgram() {
    return new Setup(Kernels.read("transformer.ptx"), Order::new);
  }
}
