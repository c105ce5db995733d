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
 * The GPU that Spark assigned to a task, with an allocator and a stream. At the end of the task its
 * work is awaited, and allocations that it left open are closed and reported. Used only by the
 * task's thread.
 */
public final class TaskGpu {
  /** The GPUs of running tasks; guarded by itself. */
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
   * Returns the GPU of the task on the calling thread: the first that Spark assigned to it. Every
   * call of a task returns the same object.
   *
   * @throws IllegalStateException outside of a task, or if Spark assigned no GPU; the message names
   *     the setting
   */
  public static TaskGpu get() {
    TaskContext context = TaskContext.get();
    if (context == null) {
      throw new IllegalStateException(
          "no Spark task runs on this thread; call TaskGpu.get()" + " inside a task");
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
          "Spark assigned no GPU to this task; set spark.task.resource.gpu.amount");
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

  /** Returns Spark's address of the GPU. */
  public String getAddress() {
    return address;
  }

  /** Returns the device. */
  public Device getDevice() {
    return allocator.getDevice();
  }

  /**
   * Returns the allocator of this device. The memory is shared with the executor's other tasks;
   * allocations that this task leaves open are closed at its end.
   */
  public Allocator getAllocator() {
    return allocator;
  }

  /**
   * Returns the task's stream, which is created by the first call, and awaited and closed at the
   * task's end.
   */
  public Stream getStream() {
    Stream own = stream;
    if (own == null) {
      own = getDevice().createStream();
      stream = own;
    }
    return own;
  }

  /** Makes the device current on this thread, for code that calls the driver directly. */
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
        this::closeAllocations,
        () -> {
          if (own != null) {
            own.close();
          }
        });
  }

  private void closeAllocations() {
    String left = allocator.closeAll();
    if (!left.isEmpty()) {
      gpus.report(task + " on GPU " + address + " left " + left + "; closed by the plugin");
    }
  }
}
