package org.vramkit.cuda.driver;

/**
 * A {@link CudaDriver} composed of the call groups of a binding.
 *
 * @param getBinding the binding's name and version, for display
 * @param devices devices, version and names of results
 * @param contexts contexts
 * @param streams streams
 * @param events events
 * @param memory plain and page-locked allocation
 * @param copies fills and copies
 * @param pools allocation in stream order
 * @param poolAttributes attributes of pools, or {@link PoolAttributeCalls#ABSENT}
 * @param virtualMemory virtual memory, or {@link VirtualMemoryCalls#ABSENT}
 * @param graphs capture and graphs, or {@link GraphCalls#ABSENT}
 * @param kernels modules and kernels
 * @param hostPages pageable memory, or {@link HostPages#NONE}
 */
public record BoundDriver(
    String getBinding,
    DeviceCalls devices,
    ContextCalls contexts,
    StreamCalls streams,
    EventCalls events,
    MemoryCalls memory,
    CopyCalls copies,
    PoolCalls pools,
    PoolAttributeCalls poolAttributes,
    VirtualMemoryCalls virtualMemory,
    GraphCalls graphs,
    KernelCalls kernels,
    HostPages hostPages)
    implements CudaDriver {}
