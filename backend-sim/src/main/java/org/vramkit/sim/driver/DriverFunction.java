package org.vramkit.sim.driver;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.vramkit.api.error.InvalidArgumentException;

/** The functions of the CUDA driver that the simulator implements. */
public enum DriverFunction {
  /** Allocates plain memory. */
  MEM_ALLOC("cuMemAlloc", Group.MEMORY, Trait.UNSAFE_IN_CAPTURE),
  /** Frees plain memory. */
  MEM_FREE("cuMemFree", Group.MEMORY, Trait.RETURN, Trait.UNSAFE_IN_CAPTURE),
  /** Allocates memory in stream order from the default pool. */
  MEM_ALLOC_ASYNC("cuMemAllocAsync", Group.MEMORY, Trait.UNSAFE_IN_CAPTURE),
  /** Allocates memory in stream order from a pool that the program has created. */
  MEM_ALLOC_FROM_POOL_ASYNC("cuMemAllocFromPoolAsync", Group.MEMORY, Trait.UNSAFE_IN_CAPTURE),
  /** Frees memory in stream order. */
  MEM_FREE_ASYNC("cuMemFreeAsync", Group.MEMORY, Trait.UNSAFE_IN_CAPTURE),
  /** Queries the free and total memory. */
  MEM_GET_INFO("cuMemGetInfo", Group.MEMORY),
  /** Reserves addresses. */
  MEM_ADDRESS_RESERVE("cuMemAddressReserve", Group.MEMORY),
  /** Frees reserved addresses. */
  MEM_ADDRESS_FREE("cuMemAddressFree", Group.MEMORY, Trait.RETURN),
  /** Allocates physical memory. */
  MEM_CREATE("cuMemCreate", Group.MEMORY),
  /** Releases physical memory. */
  MEM_RELEASE("cuMemRelease", Group.MEMORY, Trait.RETURN),
  /** Maps physical memory at an address. */
  MEM_MAP("cuMemMap", Group.MEMORY),
  /** Unmaps physical memory from an address. */
  MEM_UNMAP("cuMemUnmap", Group.MEMORY, Trait.RETURN),
  /** Makes mapped memory accessible. */
  MEM_SET_ACCESS("cuMemSetAccess", Group.MEMORY),
  /** Creates a pool. */
  MEM_POOL_CREATE("cuMemPoolCreate", Group.MEMORY, Trait.UNSAFE_IN_CAPTURE),
  /** Destroys a pool. */
  MEM_POOL_DESTROY("cuMemPoolDestroy", Group.MEMORY, Trait.RETURN, Trait.UNSAFE_IN_CAPTURE),
  /** Returns a pool's unused memory to the device. */
  MEM_POOL_TRIM_TO("cuMemPoolTrimTo", Group.MEMORY, Trait.UNSAFE_IN_CAPTURE),
  /** Lets a device use a pool's memory. */
  MEM_POOL_SET_ACCESS("cuMemPoolSetAccess", Group.MEMORY, Trait.UNSAFE_IN_CAPTURE),
  /** Sets a pool's threshold or reuse policy. */
  MEM_POOL_SET_ATTRIBUTE("cuMemPoolSetAttribute", Group.MEMORY, Trait.UNSAFE_IN_CAPTURE),
  /** Reads a pool's statistics. */
  MEM_POOL_GET_ATTRIBUTE("cuMemPoolGetAttribute", Group.MEMORY, Trait.UNSAFE_IN_CAPTURE),
  /** Allocates page-locked host memory. */
  MEM_ALLOC_HOST("cuMemAllocHost", Group.MEMORY, Trait.UNSAFE_IN_CAPTURE),
  /** Frees page-locked host memory. */
  MEM_FREE_HOST("cuMemFreeHost", Group.MEMORY, Trait.RETURN, Trait.UNSAFE_IN_CAPTURE),
  /** Allocates managed memory, which {@code cuMemFree} frees. */
  MEM_ALLOC_MANAGED("cuMemAllocManaged", Group.MEMORY, Trait.UNSAFE_IN_CAPTURE),
  /** Page-locks memory that the host has allocated. */
  MEM_HOST_REGISTER("cuMemHostRegister", Group.MEMORY, Trait.UNSAFE_IN_CAPTURE),
  /** Unlocks host memory that was page-locked. */
  MEM_HOST_UNREGISTER("cuMemHostUnregister", Group.MEMORY, Trait.RETURN, Trait.UNSAFE_IN_CAPTURE),
  /** Creates a stream. */
  STREAM_CREATE("cuStreamCreate", Group.ORDER),
  /** Destroys a stream. */
  STREAM_DESTROY("cuStreamDestroy", Group.ORDER, Trait.RETURN),
  /** Waits for a stream. */
  STREAM_SYNCHRONIZE("cuStreamSynchronize", Group.ORDER, Trait.UNSAFE_IN_CAPTURE),
  /** Asks whether a stream is idle. */
  STREAM_QUERY("cuStreamQuery", Group.ORDER, Trait.UNSAFE_IN_CAPTURE),
  /** Makes a stream wait for an event. */
  STREAM_WAIT_EVENT("cuStreamWaitEvent", Group.ORDER),
  /** Makes a stream wait for a value in memory. */
  STREAM_WAIT_VALUE("cuStreamWaitValue32", Group.ORDER),
  /** Creates an event. */
  EVENT_CREATE("cuEventCreate", Group.ORDER),
  /** Destroys an event. */
  EVENT_DESTROY("cuEventDestroy", Group.ORDER, Trait.RETURN),
  /** Records an event. */
  EVENT_RECORD("cuEventRecord", Group.ORDER),
  /** Asks whether an event is complete. */
  EVENT_QUERY("cuEventQuery", Group.ORDER, Trait.UNSAFE_IN_CAPTURE),
  /** Waits for an event. */
  EVENT_SYNCHRONIZE("cuEventSynchronize", Group.ORDER, Trait.UNSAFE_IN_CAPTURE),
  /** Waits for a device. */
  CTX_SYNCHRONIZE("cuCtxSynchronize", Group.ORDER),
  /** Asks whether one device can access another's memory. */
  DEVICE_CAN_ACCESS_PEER("cuDeviceCanAccessPeer", Group.ORDER),
  /** Gives a device access to another device's memory. */
  CTX_ENABLE_PEER_ACCESS("cuCtxEnablePeerAccess", Group.ORDER, Trait.UNSAFE_IN_CAPTURE),
  /** Revokes a device's access to another device's memory. */
  CTX_DISABLE_PEER_ACCESS("cuCtxDisablePeerAccess", Group.ORDER, Trait.UNSAFE_IN_CAPTURE),
  /** Begins to capture a stream. */
  STREAM_BEGIN_CAPTURE("cuStreamBeginCapture", Group.ORDER),
  /** Ends the capture of a stream. */
  STREAM_END_CAPTURE("cuStreamEndCapture", Group.ORDER),
  /** Asks whether a stream is captured. */
  STREAM_IS_CAPTURING("cuStreamIsCapturing", Group.ORDER),
  /** Sets which calls a thread may make while it captures. */
  THREAD_EXCHANGE_CAPTURE_MODE("cuThreadExchangeStreamCaptureMode", Group.ORDER),
  /** Makes a captured graph ready to be launched. */
  GRAPH_INSTANTIATE("cuGraphInstantiate", Group.ORDER),
  /** Releases a captured graph. */
  GRAPH_DESTROY("cuGraphDestroy", Group.ORDER, Trait.RETURN),
  /** Releases a graph that is ready to be launched. */
  GRAPH_EXEC_DESTROY("cuGraphExecDestroy", Group.ORDER, Trait.RETURN),
  /** Launches a graph. */
  GRAPH_LAUNCH("cuGraphLaunch", Group.WORK),
  /** Loads a module. */
  MODULE_LOAD_DATA("cuModuleLoadDataEx", Group.ORDER),
  /** Unloads a module. */
  MODULE_UNLOAD("cuModuleUnload", Group.ORDER, Trait.RETURN, Trait.UNSAFE_IN_CAPTURE),
  /** Looks up a kernel. */
  MODULE_GET_FUNCTION("cuModuleGetFunction", Group.ORDER),
  /** Looks up a variable of a module. */
  MODULE_GET_GLOBAL("cuModuleGetGlobal", Group.ORDER),
  /** Starts a kernel. */
  LAUNCH_KERNEL("cuLaunchKernel", Group.WORK),
  /** Runs a function of the host in stream order. */
  LAUNCH_HOST_FUNC("cuLaunchHostFunc", Group.WORK),
  /** Fills memory. */
  MEMSET_D8_ASYNC("cuMemsetD8Async", Group.WORK),
  /** Copies within the device or between devices. */
  MEMCPY_DTOD_ASYNC("cuMemcpyAsync", Group.WORK),
  /** Copies to the device. */
  MEMCPY_HTOD_ASYNC("cuMemcpyHtoDAsync", Group.WORK),
  /** Copies from the device. */
  MEMCPY_DTOH_ASYNC("cuMemcpyDtoHAsync", Group.WORK);

  /** The purpose of a function, which decides whether it counts as memory management. */
  public enum Group {
    /** Allocates, frees or describes memory. */
    MEMORY,
    /** Orders work and waits for it. */
    ORDER,
    /** Submits work. */
    WORK
  }

  private enum Trait {
    RETURN,
    UNSAFE_IN_CAPTURE
  }

  private static final Map<String, DriverFunction> BY_NAME = new HashMap<>();

  static {
    for (DriverFunction function : values()) {
      BY_NAME.put(function.functionName, function);
    }
  }

  private final String functionName;
  private final Group group;
  private final boolean giveBack;
  private final boolean unsafeInCapture;

  DriverFunction(String functionName, Group group, Trait... traits) {
    this.functionName = functionName;
    this.group = group;
    List<Trait> all = List.of(traits);
    this.giveBack = all.contains(Trait.RETURN);
    this.unsafeInCapture = all.contains(Trait.UNSAFE_IN_CAPTURE);
  }

  /** Returns the driver's name, such as {@code cuMemAlloc}. */
  public String getFunctionName() {
    return functionName;
  }

  /** Returns the purpose. */
  public Group getGroup() {
    return group;
  }

  /** Returns whether a capturing thread must relax its capture mode to call the function. */
  public boolean isUnsafeInCapture() {
    return unsafeInCapture;
  }

  /** Returns whether the function releases something that another function has returned. */
  public boolean isReturn() {
    return giveBack;
  }

  /**
   * Returns the function of a name.
   *
   * @param name such as {@code cuMemAlloc}
   * @throws InvalidArgumentException if the simulator has no such function; the message lists its
   *     functions
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
