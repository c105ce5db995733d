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
import org.vramkit.pressure.Grant;

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
  private final String stage;
  private final Device device;
  private @Nullable Grant grant;
  private boolean ended;
  private @Nullable TaskAllocator allocator;
  private @Nullable Stream stream;

  private TaskGpu(ExecutorGpus gpus, String address, String task, String stage) {
    this.gpus = gpus;
    this.address = address;
    this.task = task;
    this.stage = stage;
    this.device = gpus.allocator(address).getDevice();
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
    String stage = "task of stage " + context.stageId();
    TaskGpu gpu = new TaskGpu(ExecutorGpus.get(), given.addresses()[0], task, stage);
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
    return device;
  }

  /**
   * Returns the allocator of this device. The memory is shared with the executor's other tasks;
   * allocations that this task leaves open are closed at its end.
   *
   * <p>If {@code spark.vramkit.taskMemory} is set, the first call waits until the GPU has these
   * bytes for this task, and the allocator allocates no more unless the {@linkplain #getGrant
   * grant} grows. Tasks that wait for each other, as in a barrier stage, must do so before this
   * call.
   *
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the GPU is too small for the
   *     setting
   */
  public Allocator getAllocator() {
    TaskAllocator own = allocator;
    if (own == null) {
      requireRunning();
      grant = gpus.acquire(address, stage);
      own = new TaskAllocator(grant == null ? gpus.allocator(address) : grant.getAllocator());
      allocator = own;
    }
    return own;
  }

  /**
   * Returns the grant of the task's memory; null before the first call of {@link #getAllocator}, or
   * if {@code spark.vramkit.taskMemory} is not set. The plugin closes it at the task's end.
   */
  public @Nullable Grant getGrant() {
    return grant;
  }

  /**
   * Returns the task's stream, which is created by the first call, and awaited and closed at the
   * task's end.
   */
  public Stream getStream() {
    Stream own = stream;
    if (own == null) {
      requireRunning();
      own = getDevice().createStream();
      stream = own;
    }
    return own;
  }

  /** Makes the device current on this thread, for code that calls the driver directly. */
  public DeviceBinding bind() {
    return getDevice().bind();
  }

  /** Throws if the task has ended, because resources created later would never be closed. */
  private void requireRunning() {
    if (ended) {
      throw new IllegalStateException(
          task + " has ended; get its allocator and stream while it runs");
    }
  }

  private void end() {
    ended = true;
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
        },
        () -> {
          if (grant != null) {
            grant.close();
          }
        });
  }

  private void closeAllocations() {
    String left = allocator == null ? "" : allocator.closeAll();
    if (!left.isEmpty()) {
      gpus.report(task + " on GPU " + address + " left " + left + "; closed by the plugin");
    }
  }
}
