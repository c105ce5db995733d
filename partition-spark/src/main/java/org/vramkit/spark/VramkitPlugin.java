package org.vramkit.spark;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.FatalDeviceException;

/**
 * Gives every executor one allocator for each GPU that Spark gave it: {@code
 * spark.plugins=org.vramkit.spark.VramkitPlugin}. Tasks get theirs by {@link TaskGpu#get}. What a
 * task leaves behind is given back and named, in the executor's log and in {@link #getLeaks} on the
 * driver. After a fatal error the executor ends, with exit code {@value #EXIT_CODE}, as its GPUs
 * are lost to it; Spark does its tasks elsewhere.
 *
 * <p>Settings: {@code spark.vramkit.memoryFraction}, the share of a GPU's memory that the allocator
 * may take, 0.9 by default. Refused with the reason: GPUs in local mode, where Spark hangs, and
 * spark-rapids on the same GPUs without a share left free.
 */
public final class VramkitPlugin implements SparkPlugin {
  /** How an executor ends whose GPUs are lost. */
  public static final int EXIT_CODE = 20;

  private static final int MOST_LEAKS = 1000;
  private static final List<String> LEAKS = new CopyOnWriteArrayList<>();

  /** For Spark. */
  public VramkitPlugin() {}

  /**
   * Returns the leaks of tasks since this driver's context began, each with its task; the first
   * {@value #MOST_LEAKS}.
   */
  public static List<String> getLeaks() {
    return List.copyOf(LEAKS);
  }

  @Override
  public DriverPlugin driverPlugin() {
    return new Driver();
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new Executor();
  }

  private static final class Driver implements DriverPlugin {
    @Override
    public Map<String, String> init(SparkContext context, PluginContext plugin) {
      GpuConf.check(plugin.conf());
      GpuConf.fraction(plugin.conf());
      LEAKS.clear();
      return Map.of();
    }

    @Override
    public @Nullable Object receive(Object message) {
      if (message instanceof String leak && LEAKS.size() < MOST_LEAKS) {
        LEAKS.add(leak);
      }
      return null;
    }
  }

  private static final class Executor implements ExecutorPlugin {
    @Override
    public void init(PluginContext context, Map<String, String> extra) {
      ExecutorGpus.open(context);
    }

    @Override
    public void onTaskFailed(TaskFailedReason reason) {
      if (reason instanceof ExceptionFailure failure && isFatal(failure)) {
        System.getLogger(VramkitPlugin.class.getName())
            .log(
                System.Logger.Level.ERROR,
                "the GPUs of this executor are lost to it, so it ends with exit code {0}: {1}",
                EXIT_CODE,
                failure.toErrorString());
        // No hooks: what they would close is lost, and a driver that hangs must not hold them up.
        Runtime.getRuntime().halt(EXIT_CODE);
      }
    }

    /** By the whole chain of causes, as users wrap what they catch. */
    private static boolean isFatal(ExceptionFailure failure) {
      Throwable each = failure.exception().isDefined() ? failure.exception().get() : null;
      for (int depth = 0; each != null && depth < 100; depth++) {
        if (each instanceof FatalDeviceException) {
          return true;
        }
        each = each.getCause();
      }
      return false;
    }

    @Override
    public void shutdown() {
      ExecutorGpus.close();
    }
  }
}
