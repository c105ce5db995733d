package org.vramkit.spark;

import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.resource.ResourceDiscoveryPlugin;
import org.apache.spark.resource.ResourceInformation;
import org.apache.spark.resource.ResourceRequest;
import org.vramkit.api.device.Backend;
import org.vramkit.api.discovery.BackendDescription;
import org.vramkit.api.discovery.Backends;

/**
 * Finds a machine's GPUs for Spark through the backends on the class path, without a script: {@code
 * spark.resources.discoveryPlugin=org.vramkit.spark.GpuDiscovery}. Addresses are ordinals of the
 * backend that {@link Backends#open()} opens. Without an available backend no GPU is found.
 */
public final class GpuDiscovery implements ResourceDiscoveryPlugin {
  /** Creates the plugin; called by Spark. */
  public GpuDiscovery() {}

  @Override
  public Optional<ResourceInformation> discoverResource(ResourceRequest request, SparkConf conf) {
    if (!request.id().resourceName().equals(GpuConf.GPU)) {
      return Optional.empty();
    }
    String wanted = Backends.getConfiguredName();
    boolean any =
        Backends.list().stream()
            .sorted(Comparator.comparingInt(BackendDescription::priority).reversed())
            .anyMatch(each -> each.available() && (wanted == null || each.name().equals(wanted)));
    return any ? Optional.of(gpus()) : Optional.empty();
  }

  private static ResourceInformation gpus() {
    try (Backend backend = Backends.open()) {
      String[] addresses =
          IntStream.range(0, backend.getDevices().size())
              .mapToObj(Integer::toString)
              .toArray(String[]::new);
      return new ResourceInformation(GpuConf.GPU, addresses);
    }
  }
}
