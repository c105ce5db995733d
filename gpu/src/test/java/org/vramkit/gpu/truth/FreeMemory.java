package org.vramkit.gpu.truth;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.vramkit.api.device.Device;

/** The free bytes of some devices at a moment. */
record FreeMemory(List<Device> devices, List<Long> bytes) {
  static FreeMemory of(List<Device> devices) {
    return new FreeMemory(
        devices, devices.stream().map(each -> each.getMemoryInfo().freeBytes()).toList());
  }

  /** Returns the bytes of each device that are free now and were not. */
  List<Long> changes() {
    List<Long> now = of(devices).bytes;
    return IntStream.range(0, now.size()).mapToObj(i -> now.get(i) - bytes.get(i)).toList();
  }

  /** Returns the changes as an answer has them. */
  String text() {
    return changes().stream().map(String::valueOf).collect(Collectors.joining(" "));
  }
}
