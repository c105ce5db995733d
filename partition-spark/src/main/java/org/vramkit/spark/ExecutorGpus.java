package org.vramkit.spark;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.resource.ResourceInformation;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.error.Batch;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pressure.Admission;
import org.vramkit.pressure.Demand;
import org.vramkit.pressure.Grant;

/**
 * The GPUs that Spark assigned to this executor, by address, each with its allocator. One instance
 * per JVM. Safe for any thread.
 */
final class ExecutorGpus {
  /** Lets a task wait as long as the tasks before it run. Spark interrupts a task that it kills. */
  private static final Duration NO_TIMEOUT = Duration.ofSeconds(Long.MAX_VALUE);

  private static @Nullable ExecutorGpus opened;

  private final PluginContext plugin;
  private final Backend backend;
  private final Map<String, CachingAllocator> allocators = new TreeMap<>();

  /** Empty unless {@code spark.vramkit.taskMemory} is set. */
  private final Map<String, Admission> admissions = new TreeMap<>();

  private final long taskMemory;

  private ExecutorGpus(PluginContext plugin, Backend backend, long taskMemory) {
    this.plugin = plugin;
    this.backend = backend;
    this.taskMemory = taskMemory;
  }

  static synchronized void open(PluginContext plugin) {
    ResourceInformation gpus = plugin.resources().get(GpuConf.GPU);
    if (gpus == null) {
      // The driver side of a local context, or a cluster without GPUs. TaskGpu.get throws there.
      return;
    }
    double fraction = GpuConf.fraction(plugin.conf());
    long taskMemory = GpuConf.taskMemory(plugin.conf());
    ExecutorGpus made = new ExecutorGpus(plugin, Backends.open(), taskMemory);
    try {
      for (String address : gpus.addresses()) {
        Device device = made.backend.getDevice(ordinal(address));
        long share = (long) (fraction * device.getProperties().totalMemoryBytes());
        made.add(address, CachingAllocator.builder(device).limit(share).build());
      }
    } catch (RuntimeException | Error e) {
      Batch.after(e, made::closeAll);
      throw e;
    }
    opened = made;
  }

  private void add(String address, CachingAllocator allocator) {
    allocators.put(address, allocator);
    if (taskMemory > 0) {
      admissions.put(address, Admission.over(allocator).build());
    }
  }

  private static int ordinal(String address) {
    try {
      return Integer.parseInt(address);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "GPU address '"
              + address
              + "' is not an ordinal; discover GPUs with spark.resources.discoveryPlugin="
              + GpuDiscovery.class.getName()
              + ", or by a script that prints ordinals",
          e);
    }
  }

  static synchronized ExecutorGpus get() {
    ExecutorGpus gpus = opened;
    if (gpus == null) {
      throw new IllegalStateException(
          "this executor has no GPU for Vramkit; set spark.plugins="
              + VramkitPlugin.class.getName()
              + " and spark.executor.resource.gpu.amount");
    }
    return gpus;
  }

  CachingAllocator allocator(String address) {
    CachingAllocator allocator = allocators.get(address);
    if (allocator == null) {
      throw new IllegalStateException(
          "Spark assigned GPU "
              + address
              + " to the task, but the executor has only"
              + " "
              + allocators.keySet());
    }
    return allocator;
  }

  /**
   * Waits until a GPU has memory for a task, and returns its grant; null if {@code
   * spark.vramkit.taskMemory} is not set.
   *
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the GPU is too small for a task
   */
  @Nullable Grant acquire(String address, String kind) {
    Admission gate = admissions.get(address);
    return gate == null ? null : gate.acquire(Demand.of(kind, taskMemory), NO_TIMEOUT);
  }

  /** Logs a leak of a task and sends it to the Spark driver. */
  void report(String leak) {
    System.Logger logger = System.getLogger(VramkitPlugin.class.getName());
    logger.log(System.Logger.Level.WARNING, leak);
    try {
      plugin.send(leak);
    } catch (IOException e) {
      logger.log(System.Logger.Level.WARNING, "the leak could not be sent to the Spark driver", e);
    }
  }

  static synchronized void close() {
    ExecutorGpus gpus = opened;
    opened = null;
    if (gpus != null) {
      gpus.closeAll();
    }
  }

  private void closeAll() {
    Batch.run(
        () -> Batch.forEach(admissions.values(), Admission::close),
        () -> Batch.forEach(allocators.values(), CachingAllocator::close),
        () -> backend.close());
  }
}
