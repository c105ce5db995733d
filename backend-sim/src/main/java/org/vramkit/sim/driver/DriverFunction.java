package org.vramkit.sim.driver;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.vramkit.api.error.InvalidArgumentException;

/** The functions of the CUDA driver that the simulator answers. */
public enum DriverFunction {
  /** Plain allocation. */
  MEM_ALLOC("cuMemAlloc", Group.MEMORY),
  /** Its counterpart. */
  MEM_FREE("cuMemFree", Group.MEMORY),
  /** Allocation in stream order from the default pool. */
  MEM_ALLOC_ASYNC("cuMemAllocAsync", Group.MEMORY),
  /** Allocation in stream order from a pool of one's own. */
  MEM_ALLOC_FROM_POOL_ASYNC("cuMemAllocFromPoolAsync", Group.MEMORY),
  /** Their counterpart. */
  MEM_FREE_ASYNC("cuMemFreeAsync", Group.MEMORY),
  /** Free and total memory. */
  MEM_GET_INFO("cuMemGetInfo", Group.MEMORY),
  /** Reserves addresses. */
  MEM_ADDRESS_RESERVE("cuMemAddressReserve", Group.MEMORY),
  /** Its counterpart. */
  MEM_ADDRESS_FREE("cuMemAddressFree", Group.MEMORY),
  /** Takes physical memory. */
  MEM_CREATE("cuMemCreate", Group.MEMORY),
  /** Its counterpart. */
  MEM_RELEASE("cuMemRelease", Group.MEMORY),
  /** Maps physical memory at an address. */
  MEM_MAP("cuMemMap", Group.MEMORY),
  /** Its counterpart. */
  MEM_UNMAP("cuMemUnmap", Group.MEMORY),
  /** Makes mapped memory accessible. */
  MEM_SET_ACCESS("cuMemSetAccess", Group.MEMORY),
  /** Creates a pool. */
  MEM_POOL_CREATE("cuMemPoolCreate", Group.MEMORY),
  /** Its counterpart. */
  MEM_POOL_DESTROY("cuMemPoolDestroy", Group.MEMORY),
  /** Gives a pool's unused memory back. */
  MEM_POOL_TRIM_TO("cuMemPoolTrimTo", Group.MEMORY),
  /** Lets a device use a pool's memory. */
  MEM_POOL_SET_ACCESS("cuMemPoolSetAccess", Group.MEMORY),
  /** Sets a pool's threshold or reuse policy. */
  MEM_POOL_SET_ATTRIBUTE("cuMemPoolSetAttribute", Group.MEMORY),
  /** Reads a pool's statistics. */
  MEM_POOL_GET_ATTRIBUTE("cuMemPoolGetAttribute", Group.MEMORY),
  /** Page-locked host memory. */
  MEM_ALLOC_HOST("cuMemAllocHost", Group.MEMORY),
  /** Its counterpart. */
  MEM_FREE_HOST("cuMemFreeHost", Group.MEMORY),
  /** Managed memory, which goes back by {@code cuMemFree}. */
  MEM_ALLOC_MANAGED("cuMemAllocManaged", Group.MEMORY),
  /** Page-locks memory of the host's own. */
  MEM_HOST_REGISTER("cuMemHostRegister", Group.MEMORY),
  /** Its counterpart. */
  MEM_HOST_UNREGISTER("cuMemHostUnregister", Group.MEMORY),
  /** Creates a stream. */
  STREAM_CREATE("cuStreamCreate", Group.ORDER),
  /** Its counterpart. */
  STREAM_DESTROY("cuStreamDestroy", Group.ORDER),
  /** Waits for a stream. */
  STREAM_SYNCHRONIZE("cuStreamSynchronize", Group.ORDER),
  /** Asks whether a stream is idle. */
  STREAM_QUERY("cuStreamQuery", Group.ORDER),
  /** Makes a stream wait for an event. */
  STREAM_WAIT_EVENT("cuStreamWaitEvent", Group.ORDER),
  /** Makes a stream wait for a value in memory. */
  STREAM_WAIT_VALUE("cuStreamWaitValue32", Group.ORDER),
  /** Creates an event. */
  EVENT_CREATE("cuEventCreate", Group.ORDER),
  /** Its counterpart. */
  EVENT_DESTROY("cuEventDestroy", Group.ORDER),
  /** Records an event. */
  EVENT_RECORD("cuEventRecord", Group.ORDER),
  /** Asks whether an event is complete. */
  EVENT_QUERY("cuEventQuery", Group.ORDER),
  /** Waits for an event. */
  EVENT_SYNCHRONIZE("cuEventSynchronize", Group.ORDER),
  /** Waits for a device. */
  CTX_SYNCHRONIZE("cuCtxSynchronize", Group.ORDER),
  /** Asks whether one device reaches another's memory. */
  DEVICE_CAN_ACCESS_PEER("cuDeviceCanAccessPeer", Group.ORDER),
  /** Opens another device's memory. */
  CTX_ENABLE_PEER_ACCESS("cuCtxEnablePeerAccess", Group.ORDER),
  /** Its counterpart. */
  CTX_DISABLE_PEER_ACCESS("cuCtxDisablePeerAccess", Group.ORDER),
  /** Begins to capture a stream. */
  STREAM_BEGIN_CAPTURE("cuStreamBeginCapture", Group.ORDER),
  /** Its counterpart. */
  STREAM_END_CAPTURE("cuStreamEndCapture", Group.ORDER),
  /** Asks whether a stream is captured. */
  STREAM_IS_CAPTURING("cuStreamIsCapturing", Group.ORDER),
  /** Says what a thread may do while it captures. */
  THREAD_EXCHANGE_CAPTURE_MODE("cuThreadExchangeStreamCaptureMode", Group.ORDER),
  /** Makes what was captured ready to be launched. */
  GRAPH_INSTANTIATE("cuGraphInstantiate", Group.ORDER),
  /** Gives back what was captured. */
  GRAPH_DESTROY("cuGraphDestroy", Group.ORDER),
  /** Gives back what can be launched. */
  GRAPH_EXEC_DESTROY("cuGraphExecDestroy", Group.ORDER),
  /** Launches a graph. */
  GRAPH_LAUNCH("cuGraphLaunch", Group.WORK),
  /** Starts a kernel. */
  LAUNCH_KERNEL("cuLaunchKernel", Group.WORK),
  /** Runs a function of the host in stream order. */
  LAUNCH_HOST_FUNC("cuLaunchHostFunc", Group.WORK),
  /** Fills memory. */
  MEMSET_D8_ASYNC("cuMemsetD8Async", Group.WORK),
  /** Copies within the device or between devices. */
  MEMCPY_DTOD_ASYNC("cuMemcpyDtoDAsync", Group.WORK),
  /** Copies to the device. */
  MEMCPY_HTOD_ASYNC("cuMemcpyHtoDAsync", Group.WORK),
  /** Copies from the device. */
  MEMCPY_DTOH_ASYNC("cuMemcpyDtoHAsync", Group.WORK);

  /** What a function is for; decides what counts as the price of memory management. */
  public enum Group {
    /** Takes, gives or describes memory. */
    MEMORY,
    /** Orders work and waits for it. */
    ORDER,
    /** Submits work. */
    WORK
  }

  private static final Map<String, DriverFunction> BY_NAME =
      Arrays.stream(values())
          .collect(Collectors.toMap(DriverFunction::getFunctionName, Function.identity()));

  private final String functionName;
  private final Group group;

  DriverFunction(String functionName, Group group) {
    this.functionName = functionName;
    this.group = group;
  }

  /** The driver's name of it, such as {@code cuMemAlloc}. */
  public String getFunctionName() {
    return functionName;
  }

  /** What it is for. */
  public Group getGroup() {
    return group;
  }

  /** Whether it waits for work, or asks whether work is done. */
  public boolean isWait() {
    return switch (this) {
      case CTX_SYNCHRONIZE, STREAM_SYNCHRONIZE, STREAM_QUERY, EVENT_SYNCHRONIZE, EVENT_QUERY ->
          true;
      default -> false;
    };
  }

  /** Whether a thread must not call it while it captures, unless it says that it may. */
  public boolean isUnsafeInCapture() {
    return switch (this) {
      case MEM_ALLOC,
          MEM_FREE,
          MEM_ALLOC_HOST,
          MEM_ALLOC_MANAGED,
          MEM_FREE_HOST,
          MEM_HOST_REGISTER,
          MEM_HOST_UNREGISTER,
          EVENT_QUERY ->
          true;
      default -> false;
    };
  }

  /** Whether it gives back what another function gave. */
  public boolean isReturn() {
    return switch (this) {
      case MEM_FREE,
          MEM_FREE_ASYNC,
          MEM_ADDRESS_FREE,
          MEM_RELEASE,
          MEM_UNMAP,
          MEM_POOL_TRIM_TO,
          MEM_POOL_DESTROY,
          MEM_FREE_HOST,
          STREAM_DESTROY,
          GRAPH_DESTROY,
          GRAPH_EXEC_DESTROY,
          EVENT_DESTROY ->
          true;
      default -> false;
    };
  }

  /**
   * The function of a name.
   *
   * @param name such as {@code cuMemAlloc}
   * @throws InvalidArgumentException if the simulator has no such function; lists those it has
   */
  public static DriverFunction of(String name) {
    Objects.requireNonNull(name, "name");
    DriverFunction function = BY_NAME.get(name);
    if (function == null) {
      throw new InvalidArgumentException(
          "no driver function '%s' in the simulator; it has %s"
              .formatted(
                  name, BY_NAME.keySet().stream().sorted().collect(Collectors.joining(", "))));
    }
    return function;
  }
}
