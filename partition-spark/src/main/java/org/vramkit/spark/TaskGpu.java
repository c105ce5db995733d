package org.vramkit.spark;

import java.util.Map;
import java.util.WeakHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.resource.ResourceInformation;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;

/**
 * The GPU that Spark gave a task, with an allocator and a stream. When the task has ended its work
 * is waited for, and what it has not closed is given back and named. Used by the task's thread.
 */
public final class TaskGpu {
  /** Of tasks that have not ended; guarded by itself. */
  private static final Map<TaskContext, TaskGpu> OPEN = new WeakHashMap<>();

  private final String address;
  private final String task;
  private final ExecutorGpus gpus;
  private final TaskAllocator allocator;
  private @Nullable Stream stream;

  private TaskGpu(ExecutorGpus gpus, String address, String task) {
    this.gpus = gpus;
    this.address = address;
    this.task = task;
    this.allocator = new TaskAllocator(gpus.allocator(address));
  }

  /**
   * The GPU of the task that runs on this thread: the first that Spark gave it. The same in every
   * call.
   *
   * @throws IllegalStateException outside of a task, or if Spark gave it no GPU; says what to set
   */
  public static TaskGpu get() {
    TaskContext context = TaskContext.get();
    if (context == null) {
      throw new IllegalStateException("no Spark task runs on this thread; call it inside of one");
    }
    synchronized (OPEN) {
      TaskGpu gpu = OPEN.get(context);
      if (gpu == null) {
        gpu = open(context);
        OPEN.put(context, gpu);
      }
      return gpu;
    }
  }

  private static TaskGpu open(TaskContext context) {
    ResourceInformation given = context.resourcesJMap().get(GpuConf.GPU);
    if (given == null || given.addresses().length == 0) {
      throw new IllegalStateException(
          "Spark gave this task no GPU; set spark.task.resource.gpu.amount");
    }
    String task =
        "task "
            + context.taskAttemptId()
            + " (stage "
            + context.stageId()
            + ", partition "
            + context.partitionId()
            + ", attempt "
            + context.attemptNumber()
            + ")";
    TaskGpu gpu = new TaskGpu(ExecutorGpus.get(), given.addresses()[0], task);
    context.addTaskCompletionListener(
        ended -> {
          synchronized (OPEN) {
            OPEN.remove(ended);
          }
          gpu.end();
        });
    return gpu;
  }

  /** Spark's address of the GPU. */
  public String getAddress() {
    return address;
  }

  /** The device. */
  public Device getDevice() {
    return allocator.getDevice();
  }

  /**
   * The executor's allocator of this device, which other tasks share; what is taken from it here is
   * the task's.
   */
  public Allocator getAllocator() {
    return allocator;
  }

  /** A stream of the task's own; made by the first call, waited for and closed at its end. */
  public Stream getStream() {
    Stream own = stream;
    if (own == null) {
      own = getDevice().createStream();
      stream = own;
    }
    return own;
  }

  /** Makes the device current on this thread, for code that calls the driver itself. */
  public DeviceBinding bind() {
    return getDevice().bind();
  }

  private void end() {
    Stream own = stream;
    Batch.run(
        () -> {
          if (own != null) {
            own.synchronize();
          }
        },
        this::giveBack,
        () -> {
          if (own != null) {
            own.close();
          }
        });
  }

  private void giveBack() {
    String left = allocator.giveBack();
    if (!left.isEmpty()) {
      gpus.report(task + " on GPU " + address + " left " + left + "; given back");
    }
  }
}
