package org.vramkit.cuda;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.CopyCalls;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.DeviceAttribute;
import org.vramkit.cuda.driver.DeviceCalls;
import org.vramkit.cuda.driver.EventCalls;
import org.vramkit.cuda.driver.GraphCalls;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.MemoryCalls;
import org.vramkit.cuda.driver.PoolAttributeCalls;
import org.vramkit.cuda.driver.PoolCalls;
import org.vramkit.cuda.driver.StreamCalls;
import org.vramkit.cuda.driver.VirtualMemoryCalls;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;

/**
 * The calls of a CUDA driver, played by the simulator: what is written for a real driver runs under
 * the checker. Also plays the driver's current context of each thread and its count of users, which
 * the simulator has not, and refuses what a driver does not survive: the use of a handle that was
 * destroyed.
 */
public final class SimulatedDriver implements CudaDriver {
  /** {@code CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED}. */
  private static final int STREAM_CAPTURE_UNSUPPORTED = 900;

  final SimBackend sim;

  /** Users of each device's primary context. Guarded by itself. */
  final int[] retained;

  /** What each event was made with. Guarded by itself. */
  final List<Integer> eventFlags = Collections.synchronizedList(new ArrayList<>());

  /** Uses of destroyed handles, which on a real driver may end the process. */
  final List<String> crimes = new ArrayList<>();

  private final ThreadLocal<Handle> current = ThreadLocal.withInitial(() -> new Context(-1));
  private final List<Handle> contexts = new ArrayList<>();
  private final Map<Long, PinnedBuffer> managed = new ConcurrentHashMap<>();
  private final Handle defaultStream = () -> 0;
  private final PoolCalls pools = makePools();
  private final GraphCalls graphCalls = makeGraphs();
  private int version = 13000;
  private boolean poolAttributes = true;
  private boolean virtualMemory = true;
  private boolean graphs = true;

  public SimulatedDriver(SimBackend sim) {
    this.sim = sim;
    this.retained = new int[sim.getDevices().size()];
    for (int ordinal = 0; ordinal < retained.length; ordinal++) {
      contexts.add(new Context(ordinal));
    }
  }

  SimulatedDriver version(int value) {
    version = value;
    return this;
  }

  SimulatedDriver withoutVirtualMemory() {
    virtualMemory = false;
    return this;
  }

  SimulatedDriver withoutGraphs() {
    graphs = false;
    return this;
  }

  SimulatedDriver withoutPoolAttributes() {
    poolAttributes = false;
    return this;
  }

  /** The context of no device, which is current before any call. */
  record Context(int ordinal) implements Handle {
    @Override
    public long getAddress() {
      return ordinal < 0 ? 0 : 0x1000 + ordinal;
    }
  }

  private record StreamHandle(SimStream stream) implements Handle {
    @Override
    public long getAddress() {
      return stream.getHandle();
    }
  }

  private record EventHandle(SimEvent event) implements Handle {
    @Override
    public long getAddress() {
      return event.getHandle();
    }
  }

  /** What was captured, and what can be launched: the simulator makes both at once. */
  private record GraphHandle(Graph graph, long number) implements Handle {
    @Override
    public long getAddress() {
      return number;
    }
  }

  private record PoolHandle(DriverPool pool, long number) implements Handle {
    @Override
    public long getAddress() {
      return number;
    }
  }

  private record Pinned(PinnedBuffer buffer) implements HostMemory {
    @Override
    public long getAddress() {
      return buffer.getAddress();
    }

    @Override
    public ByteBuffer view(long offset, int bytes) {
      return buffer.getBytes(offset, bytes);
    }
  }

  /** The ordinal of the context that is current on this thread; -1 for none. */
  public int currentOrdinal() {
    return ((Context) current.get()).ordinal();
  }

  private SimDevice device() {
    return sim.getDevice(currentOrdinal());
  }

  /** A call that needs a current context. */
  private int here(Runnable body) {
    return currentOrdinal() < 0 ? 201 : code(body);
  }

  private int code(Runnable body) {
    return ask(
        () -> {
          body.run();
          return true;
        });
  }

  private int ask(Supplier<Boolean> body) {
    try {
      return body.get() ? CudaResult.SUCCESS : CudaResult.NOT_READY;
    } catch (GpuException e) {
      return e.getStatus().isFromDriver() ? e.getStatus().code() : CudaResult.INVALID_VALUE;
    } catch (ClosedException e) {
      crimes.add(e.toString());
      return CudaResult.INVALID_HANDLE;
    }
  }

  private SimStream stream(Handle handle) {
    return handle instanceof StreamHandle ours ? ours.stream() : device().getDefaultStream();
  }

  @Override
  public String getBinding() {
    return "simulated driver";
  }

  @Override
  public DeviceCalls devices() {
    return new DeviceCalls() {
      @Override
      public String nameOf(int result) {
        return "SIMULATED_" + result;
      }

      @Override
      public int cuInit() {
        return CudaResult.SUCCESS;
      }

      @Override
      public int cuDriverGetVersion(int[] result) {
        result[0] = version;
        return CudaResult.SUCCESS;
      }

      @Override
      public int cuDeviceGetCount(int[] count) {
        count[0] = sim.getDevices().size();
        return CudaResult.SUCCESS;
      }

      @Override
      public int cuDeviceGetName(byte[] name, int ordinal) {
        byte[] text =
            sim.getDevice(ordinal).getProperties().name().getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(text, 0, name, 0, text.length);
        return CudaResult.SUCCESS;
      }

      @Override
      public int cuDeviceTotalMem(long[] bytes, int ordinal) {
        bytes[0] = sim.getDevice(ordinal).getProperties().totalMemoryBytes();
        return CudaResult.SUCCESS;
      }

      @Override
      public int cuDeviceGetAttribute(int[] value, int attribute, int ordinal) {
        for (DeviceAttribute each : DeviceAttribute.values()) {
          if (each.getNumber() == attribute) {
            value[0] = SimulatedDriver.this.value(each, ordinal);
            return CudaResult.SUCCESS;
          }
        }
        return CudaResult.INVALID_VALUE;
      }

      @Override
      public int cuDeviceCanAccessPeer(int[] can, int ordinal, int peer) {
        return code(
            () -> {
              SimDevice from = sim.getDevice(ordinal);
              can[0] =
                  from.supports(Capability.PEER_ACCESS)
                          && from.getPeerAccess().canAccess(sim.getDevice(peer))
                      ? 1
                      : 0;
            });
      }
    };
  }

  private int value(DeviceAttribute attribute, int ordinal) {
    SimDevice device = sim.getDevice(ordinal);
    DeviceProperties properties = device.getProperties();
    return switch (attribute) {
      case CLOCK_RATE -> properties.clockKilohertz();
      case MULTIPROCESSOR_COUNT -> properties.multiprocessors();
      case INTEGRATED -> properties.integrated() ? 1 : 0;
      case ECC_ENABLED -> properties.errorCorrection() ? 1 : 0;
      case MEMORY_CLOCK_RATE -> properties.memoryClockKilohertz();
      case GLOBAL_MEMORY_BUS_WIDTH -> properties.memoryBusBits();
      case L2_CACHE_SIZE -> Math.toIntExact(properties.l2CacheBytes());
      case COMPUTE_CAPABILITY_MAJOR -> properties.computeMajor();
      case COMPUTE_CAPABILITY_MINOR -> properties.computeMinor();
      case CONCURRENT_MANAGED_ACCESS -> device.supports(Capability.MANAGED_MEMORY) ? 1 : 0;
      case VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ->
          device.supports(Capability.VIRTUAL_MEMORY) ? 1 : 0;
      case MEMORY_POOLS_SUPPORTED -> device.supports(Capability.DRIVER_POOLS) ? 1 : 0;
    };
  }

  @Override
  public ContextCalls contexts() {
    return new ContextCalls() {
      @Override
      public int cuDevicePrimaryCtxRetain(Handle[] context, int ordinal) {
        synchronized (retained) {
          retained[ordinal]++;
        }
        context[0] = contexts.get(ordinal);
        return CudaResult.SUCCESS;
      }

      @Override
      public int cuDevicePrimaryCtxRelease(int ordinal) {
        synchronized (retained) {
          retained[ordinal]--;
        }
        return CudaResult.SUCCESS;
      }

      @Override
      public int cuCtxGetCurrent(Handle[] context) {
        context[0] = current.get();
        return CudaResult.SUCCESS;
      }

      @Override
      public int cuCtxSetCurrent(Handle context) {
        current.set(context);
        return CudaResult.SUCCESS;
      }

      @Override
      public int cuCtxSynchronize() {
        return here(() -> device().synchronize());
      }

      @Override
      public int cuCtxEnablePeerAccess(Handle peer) {
        return here(
            () -> device().getPeerAccess().enable(sim.getDevice(((Context) peer).ordinal())));
      }

      @Override
      public int cuCtxDisablePeerAccess(Handle peer) {
        return here(
            () -> device().getPeerAccess().disable(sim.getDevice(((Context) peer).ordinal())));
      }
    };
  }

  @Override
  public StreamCalls streams() {
    return new StreamCalls() {
      @Override
      public Handle getDefaultStream() {
        return defaultStream;
      }

      @Override
      public int cuStreamCreate(Handle[] stream, int flags) {
        StreamKind kind = flags == NON_BLOCKING ? StreamKind.NON_BLOCKING : StreamKind.BLOCKING;
        return here(() -> stream[0] = new StreamHandle(device().createStream(kind)));
      }

      @Override
      public int cuStreamQuery(Handle stream) {
        return ask(() -> stream(stream).isIdle());
      }

      @Override
      public int cuStreamSynchronize(Handle stream) {
        return code(() -> stream(stream).synchronize());
      }

      @Override
      public int cuStreamWaitEvent(Handle stream, Handle event) {
        return code(() -> stream(stream).waitFor(((EventHandle) event).event()));
      }

      @Override
      public int cuStreamDestroy(Handle stream) {
        return code(() -> stream(stream).close());
      }
    };
  }

  @Override
  public EventCalls events() {
    return new EventCalls() {
      @Override
      public int cuEventCreate(Handle[] event, int flags) {
        eventFlags.add(flags);
        return here(() -> event[0] = new EventHandle(device().createEvent()));
      }

      @Override
      public int cuEventRecord(Handle event, Handle stream) {
        return code(() -> event(event).record(stream(stream)));
      }

      @Override
      public int cuEventQuery(Handle event) {
        return ask(() -> event(event).isComplete());
      }

      @Override
      public int cuEventSynchronize(Handle event) {
        return code(() -> event(event).synchronize());
      }

      @Override
      public int cuEventDestroy(Handle event) {
        return code(() -> event(event).close());
      }

      private SimEvent event(Handle event) {
        return ((EventHandle) event).event();
      }
    };
  }

  @Override
  public MemoryCalls memory() {
    return new MemoryCalls() {
      @Override
      public int cuMemGetInfo(long[] freeAndTotal) {
        return here(
            () -> {
              MemoryInfo info = device().getMemoryInfo();
              freeAndTotal[0] = info.freeBytes();
              freeAndTotal[1] = info.totalBytes();
            });
      }

      @Override
      public int cuMemAlloc(long[] address, long bytes) {
        return here(() -> address[0] = device().getMemory().allocate(bytes));
      }

      @Override
      public int cuMemFree(long address) {
        PinnedBuffer buffer = managed.remove(address);
        return buffer == null
            ? here(() -> device().getMemory().free(address))
            : code(buffer::close);
      }

      @Override
      public int cuMemAllocHost(HostMemory[] memory, long bytes) {
        return here(() -> memory[0] = new Pinned(device().getPinnedMemory().allocate(bytes)));
      }

      @Override
      public int cuMemFreeHost(HostMemory memory) {
        return code(((Pinned) memory).buffer()::close);
      }

      @Override
      public int cuMemAllocManaged(HostMemory[] memory, long bytes) {
        return here(
            () -> {
              PinnedBuffer buffer = device().getManagedMemory().allocate(bytes);
              managed.put(buffer.getAddress(), buffer);
              memory[0] = new Pinned(buffer);
            });
      }

      @Override
      public int cuMemHostRegister(HostMemory[] memory, ByteBuffer bytes) {
        return here(() -> memory[0] = new Pinned(device().getPinnedMemory().register(bytes)));
      }

      @Override
      public int cuMemHostUnregister(HostMemory memory) {
        return cuMemFreeHost(memory);
      }
    };
  }

  @Override
  public CopyCalls copies() {
    return new CopyCalls() {
      @Override
      public int cuMemsetD8Async(long target, byte value, long bytes, Handle stream) {
        return code(() -> stream(stream).fill(target, value, bytes));
      }

      @Override
      public int cuMemcpyAsync(long target, long source, long bytes, Handle stream) {
        return code(() -> stream(stream).copy(target, source, bytes));
      }

      @Override
      public int cuMemcpyHtoDAsync(long target, ByteBuffer source, Handle stream) {
        return code(() -> stream(stream).copyToDevice(target, source));
      }

      @Override
      public int cuMemcpyHtoDAsync(
          long target, HostMemory source, long offset, long bytes, Handle stream) {
        PinnedBuffer pinned = ((Pinned) source).buffer();
        return code(() -> stream(stream).copyToDevice(target, pinned, offset, bytes));
      }

      @Override
      public int cuMemcpyDtoHAsync(ByteBuffer target, long source, Handle stream) {
        return code(() -> stream(stream).copyToHost(target, source));
      }

      @Override
      public int cuMemcpyDtoHAsync(
          HostMemory target, long offset, long source, long bytes, Handle stream) {
        PinnedBuffer pinned = ((Pinned) target).buffer();
        return code(() -> stream(stream).copyToHost(pinned, offset, source, bytes));
      }
    };
  }

  @Override
  public GraphCalls graphs() {
    return graphs ? graphCalls : GraphCalls.ABSENT;
  }

  private GraphCalls makeGraphs() {
    return new GraphCalls() {
      private final AtomicLong numbers = new AtomicLong(0x7000);

      /** What each thread may do, and what ends it where that is not what it was. */
      private final ThreadLocal<List<Graphs.Relaxation>> relaxed =
          ThreadLocal.withInitial(ArrayList::new);

      /** As an H200 with driver 580 does it: no such call while this thread may capture. */
      private boolean isRefused() {
        return relaxed.get().isEmpty()
            && sim.getDevices().stream().anyMatch(each -> each.getGraphs().isAnyCapturing());
      }

      private Graphs graphs(Handle stream) {
        return stream(stream).getDevice().getGraphs();
      }

      @Override
      public int cuStreamBeginCapture(Handle stream, int mode) {
        return code(() -> graphs(stream).beginCapture(stream(stream)));
      }

      @Override
      public int cuStreamEndCapture(Handle stream, Handle[] graph) {
        return code(
            () ->
                graph[0] =
                    new GraphHandle(
                        graphs(stream).endCapture(stream(stream)), numbers.incrementAndGet()));
      }

      @Override
      public int cuStreamIsCapturing(Handle stream, int[] status) {
        return code(() -> status[0] = graphs(stream).isCapturing(stream(stream)) ? 1 : 0);
      }

      @Override
      public int cuThreadExchangeStreamCaptureMode(int[] mode) {
        return here(
            () -> {
              List<Graphs.Relaxation> open = relaxed.get();
              boolean relax = mode[0] == RELAXED;
              mode[0] = open.isEmpty() ? 0 : RELAXED;
              if (relax && open.isEmpty()) {
                open.add(device().getGraphs().relax());
              } else if (!relax) {
                open.forEach(Graphs.Relaxation::close);
                open.clear();
              }
            });
      }

      @Override
      public int cuGraphInstantiate(Handle[] executable, Handle graph) {
        if (isRefused()) {
          return STREAM_CAPTURE_UNSUPPORTED;
        }
        executable[0] = graph;
        return CudaResult.SUCCESS;
      }

      @Override
      public int cuGraphLaunch(Handle executable, Handle stream) {
        return code(() -> ((GraphHandle) executable).graph().launch(stream(stream)));
      }

      @Override
      public int cuGraphExecDestroy(Handle executable) {
        return isRefused()
            ? STREAM_CAPTURE_UNSUPPORTED
            : code(() -> ((GraphHandle) executable).graph().close());
      }

      @Override
      public int cuGraphDestroy(Handle graph) {
        return isRefused() ? STREAM_CAPTURE_UNSUPPORTED : CudaResult.SUCCESS;
      }
    };
  }

  @Override
  public PoolCalls pools() {
    return pools;
  }

  private PoolCalls makePools() {
    return new PoolCalls() {
      /** Where memory of pools came from: the driver frees it without being told. */
      private final Map<Long, DriverPool> origins = new ConcurrentHashMap<>();

      private final AtomicLong numbers = new AtomicLong(0x9000);

      @Override
      public int cuMemAllocAsync(long[] address, long bytes, Handle stream) {
        return code(
            () -> {
              Stream on = stream(stream);
              address[0] = on.getDevice().getStreamOrderedMemory().allocate(bytes, on);
            });
      }

      @Override
      public int cuMemFreeAsync(long address, Handle stream) {
        return code(
            () -> {
              Stream on = stream(stream);
              StreamOrderedMemory origin = origins.remove(address);
              (origin != null ? origin : on.getDevice().getStreamOrderedMemory()).free(address, on);
            });
      }

      @Override
      public int cuMemPoolCreate(Handle[] pool, int ordinal, long maximumBytes) {
        return code(
            () ->
                pool[0] =
                    new PoolHandle(
                        sim.getDevice(ordinal).getDriverPools().create(maximumBytes),
                        numbers.incrementAndGet()));
      }

      @Override
      public int cuMemPoolDestroy(Handle pool) {
        return code(((PoolHandle) pool).pool()::close);
      }

      @Override
      public int cuMemAllocFromPoolAsync(long[] address, long bytes, Handle pool, Handle stream) {
        DriverPool from = ((PoolHandle) pool).pool();
        return code(
            () -> {
              address[0] = from.allocate(bytes, stream(stream));
              origins.put(address[0], from);
            });
      }

      @Override
      public int cuMemPoolTrimTo(Handle pool, long keepBytes) {
        return code(() -> ((PoolHandle) pool).pool().trim(keepBytes));
      }
    };
  }

  @Override
  public PoolAttributeCalls poolAttributes() {
    if (!poolAttributes) {
      return PoolAttributeCalls.ABSENT;
    }
    return new PoolAttributeCalls() {
      @Override
      public int cuMemPoolSetAttribute(Handle handle, int attribute, long value) {
        DriverPool pool = ((PoolHandle) handle).pool();
        return code(
            () -> {
              switch (attribute) {
                case REUSE_FOLLOW_EVENT_DEPENDENCIES ->
                    pool.setReuse(DriverPoolReuse.FOLLOW_EVENT_DEPENDENCIES, value != 0);
                case REUSE_ALLOW_OPPORTUNISTIC ->
                    pool.setReuse(DriverPoolReuse.OPPORTUNISTIC, value != 0);
                case REUSE_ALLOW_INTERNAL_DEPENDENCIES ->
                    pool.setReuse(DriverPoolReuse.INTERNAL_DEPENDENCIES, value != 0);
                default -> pool.setReleaseThreshold(value);
              }
            });
      }

      @Override
      public int cuMemPoolGetAttribute(Handle handle, int attribute, long[] value) {
        DriverPool pool = ((PoolHandle) handle).pool();
        return code(
            () ->
                value[0] =
                    switch (attribute) {
                      case USED_MEM_CURRENT -> pool.getStatistics().usedBytes();
                      case USED_MEM_HIGH -> pool.getStatistics().usedPeakBytes();
                      case RESERVED_MEM_CURRENT -> pool.getStatistics().reservedBytes();
                      default -> pool.getStatistics().reservedPeakBytes();
                    });
      }
    };
  }

  @Override
  public VirtualMemoryCalls virtualMemory() {
    if (!virtualMemory) {
      return VirtualMemoryCalls.ABSENT;
    }
    return new VirtualMemoryCalls() {
      @Override
      public int cuMemGetAllocationGranularity(long[] bytes, int ordinal) {
        return code(() -> bytes[0] = of(ordinal).getVirtualMemory().getGranularity());
      }

      @Override
      public int cuMemAddressReserve(long[] address, long bytes) {
        return here(() -> address[0] = device().getVirtualMemory().reserve(bytes));
      }

      @Override
      public int cuMemAddressFree(long address, long bytes) {
        return here(() -> device().getVirtualMemory().unreserve(address, bytes));
      }

      @Override
      public int cuMemCreate(long[] handle, long bytes, int ordinal) {
        return code(() -> handle[0] = of(ordinal).getVirtualMemory().create(bytes));
      }

      @Override
      public int cuMemRelease(long handle) {
        return here(() -> device().getVirtualMemory().release(handle));
      }

      @Override
      public int cuMemMap(long address, long bytes, long handle) {
        return here(() -> device().getVirtualMemory().map(address, bytes, handle));
      }

      @Override
      public int cuMemSetAccess(long address, long bytes, int ordinal) {
        return here(() -> device().getVirtualMemory().setAccess(address, bytes, of(ordinal)));
      }

      @Override
      public int cuMemUnmap(long address, long bytes) {
        return here(() -> device().getVirtualMemory().unmap(address, bytes));
      }

      private SimDevice of(int ordinal) {
        return sim.getDevice(ordinal);
      }
    };
  }
}
