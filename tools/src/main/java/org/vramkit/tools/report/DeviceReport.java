package org.vramkit.tools.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.discovery.BackendDescription;
import org.vramkit.api.units.ByteSize;

/** Formats backends and devices as text or JSON. */
public final class DeviceReport {
  private static final int REASON_WIDTH = 48;
  private static final int NAME_WIDTH = 13;

  private DeviceReport() {}

  /** Formats tables. */
  public static String text(
      List<BackendDescription> backends, List<DeviceEntry> devices, Style style) {
    TextTable found =
        new TextTable(style)
            .left(3)
            .wrap(3, REASON_WIDTH)
            .row("backend", "priority", "available", "reason");
    backends.forEach(
        backend ->
            found.row(
                backend.name(),
                Integer.toString(backend.priority()),
                backend.available() ? "yes" : "no",
                backend.reason()));
    TextTable table =
        new TextTable(style)
            .left(1)
            .wrap(1, NAME_WIDTH)
            .row("device", "name", "memory", "free", "SMs", "GHz", "GB/s", "compute", "score");
    for (DeviceEntry device : devices) {
      DeviceProperties properties = device.properties();
      Long free = device.freeBytes();
      table.row(
          device.backend() + ":" + device.ordinal(),
          properties.name(),
          ByteSize.format(properties.totalMemoryBytes()),
          free == null ? "-" : ByteSize.format(free),
          Integer.toString(properties.multiprocessors()),
          String.format(Locale.ROOT, "%.2f", properties.clockKilohertz() / 1e6),
          String.format(Locale.ROOT, "%.0f", properties.getMemoryBandwidth() / 1e9),
          compute(properties),
          String.format(Locale.ROOT, "%.0f", device.score()));
    }
    return devices.isEmpty() ? found.toString() : found + "\n" + table;
  }

  /** Formats a JSON object with the arrays {@code backends} and {@code devices}. */
  public static String json(List<BackendDescription> backends, List<DeviceEntry> devices) {
    ObjectNode root = Json.object();
    ArrayNode found = root.putArray("backends");
    for (BackendDescription backend : backends) {
      ObjectNode node = found.addObject();
      node.put("name", backend.name());
      node.put("priority", backend.priority());
      node.put("available", backend.available());
      node.put("reason", backend.reason());
    }
    ArrayNode list = root.putArray("devices");
    devices.forEach(device -> list.add(node(device)));
    return Json.text(root);
  }

  private static ObjectNode node(DeviceEntry device) {
    DeviceProperties properties = device.properties();
    ObjectNode node = Json.object();
    node.put("backend", device.backend());
    node.put("ordinal", device.ordinal());
    node.put("name", properties.name());
    node.put("totalMemoryBytes", properties.totalMemoryBytes());
    node.put("freeMemoryBytes", device.freeBytes());
    node.put("multiprocessors", properties.multiprocessors());
    node.put("clockKilohertz", properties.clockKilohertz());
    node.put("memoryClockKilohertz", properties.memoryClockKilohertz());
    node.put("memoryBusBits", properties.memoryBusBits());
    node.put("memoryBandwidthBytesPerSecond", properties.getMemoryBandwidth());
    node.put("l2CacheBytes", properties.l2CacheBytes());
    node.put("computeCapability", compute(properties));
    node.put("integrated", properties.integrated());
    node.put("errorCorrection", properties.errorCorrection());
    ArrayNode capabilities = node.putArray("capabilities");
    device.capabilities().forEach(capabilities::add);
    node.put("score", device.score());
    return node;
  }

  private static String compute(DeviceProperties properties) {
    return properties.computeMajor() + "." + properties.computeMinor();
  }
}
