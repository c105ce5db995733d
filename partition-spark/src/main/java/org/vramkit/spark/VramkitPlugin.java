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
 * Creates an allocator for each GPU of every executor: {@code
 * spark.plugins=org.vramkit.spark.VramkitPlugin}. Tasks access theirs by {@link TaskGpu#get}.
 * Allocations that a task leaves open are closed and reported in the executor's log and by {@link
 * #getLeaks} on the Spark driver. After a fatal error the executor exits with code {@value
 * #EXIT_CODE}, because it has lost its GPUs; Spark then runs its tasks on other executors.
 *
 * <p>Settings: {@code spark.vramkit.memoryFraction}, the share of a GPU's memory that the allocator
 * may use, 0.9 by default; {@code spark.vramkit.taskMemory}, the memory that a task is granted,
 * such as {@code 8g}; tasks on one GPU then wait for each other instead of running out of memory.
 * The plugin rejects GPUs in local mode, where Spark hangs, and spark-rapids on the same GPUs if
 * the sum of the two shares exceeds 1.
 */
public final class VramkitPlugin implements SparkPlugin {
  /** The exit code of an executor that has lost its GPUs. */
  public static final int EXIT_CODE = 20;

  private static final int MAX_LEAKS = 1000;
  private static final List<String> LEAKS = new CopyOnWriteArrayList<>();

  /** Creates the plugin; called by Spark. */
  public VramkitPlugin() {}

  /**
   * Returns the leaks of tasks since the start of this Spark context, each with its task; at most
   * {@value #MAX_LEAKS}.
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
      GpuConf.taskMemory(plugin.conf());
      LEAKS.clear();
      return Map.of();
    }

    @Override
    public @Nullable Object receive(Object message) {
      if (message instanceof String leak && LEAKS.size() < MAX_LEAKS) {
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
                "this executor has lost its GPUs after a fatal error and exits with code {0}: {1}",
                EXIT_CODE,
                failure.toErrorString());
        // Skip shutdown hooks: their resources are lost, and a hanging GPU driver could block them.
        Runtime.getRuntime().halt(EXIT_CODE);
      }
    }

    /** Checks the whole chain of causes, because users wrap exceptions. */
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
