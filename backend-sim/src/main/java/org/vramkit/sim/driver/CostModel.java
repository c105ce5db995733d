package org.vramkit.sim.driver;

import static org.vramkit.api.units.ByteSize.GIB;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.timeline.Point;

/**
 * The cost of each driver call to the calling thread, and the overhead of a kernel. Immutable.
 *
 * <p>A call may cost more while the device has work queued than while it is idle. The figures
 * exclude any wait for that work.
 *
 * <p>The figures of {@link #H200} were measured on an NVIDIA H200 (driver 580, CUDA 13.0) in
 * November 2026, with a few runs each, so trust their ratios more than their values. If only a pair
 * of calls was measured, each call has half of the cost of the pair. Two figures are fitted: they
 * were chosen so that four replays take the measured driver time. They are the figures of plain
 * memory and {@code cuMemCreate}. The comments in the source say which figures are assumed, without
 * a measurement.
 */
public final class CostModel {
  /** The default model. */
  public static final CostModel H200 = measured();

  /** A model without costs: virtual time advances only by the durations of kernels. */
  public static final CostModel FREE =
      new CostModel(
          allAt(Cost.constant(0)), CostCurve.constant(0), CostCurve.constant(0), Map.of(), 0);

  private final Map<DriverFunction, Cost> costs;

  /** The additional cost of an allocation that makes a driver's pool grow, by the new bytes. */
  private final CostCurve poolGrowth;

  /** The additional cost of a trim, by the bytes that it returns. */
  private final CostCurve poolTrim;

  /** The additional cost of access by another device, and of its end, for each block. */
  private final Map<DriverFunction, Long> otherDevice;

  private final long kernelOverheadNanos;

  /** The costs of one function, on an idle device and on one with queued work. */
  private record Cost(CostCurve idle, CostCurve busy) {
    static Cost constant(long nanos) {
      return always(CostCurve.constant(nanos));
    }

    static Cost always(CostCurve curve) {
      return new Cost(curve, curve);
    }
  }

  private CostModel(
      Map<DriverFunction, Cost> costs,
      CostCurve poolGrowth,
      CostCurve poolTrim,
      Map<DriverFunction, Long> otherDevice,
      long kernelOverheadNanos) {
    this.costs = costs;
    this.poolGrowth = poolGrowth;
    this.poolTrim = poolTrim;
    this.otherDevice = otherDevice;
    this.kernelOverheadNanos = kernelOverheadNanos;
  }

  /**
   * Returns the time in nanoseconds that a call keeps the host busy, without waiting for work. The
   * cost depends on the bytes, 0 for none, and on whether unfinished work is queued.
   */
  public long getNanos(DriverFunction function, long bytes, boolean busy) {
    Objects.requireNonNull(function, "function");
    Cost cost = costs.get(function);
    return cost == null ? 0 : (busy ? cost.busy : cost.idle).getNanos(bytes);
  }

  /**
   * Returns the cost of a call on a range of several mappings, given their bytes. The first mapping
   * costs as much as a call on it alone. Each other mapping costs two thirds of that: over 64
   * mappings of 2 MiB, 1,831 us were measured for access and 1,121 us for an unmapping, idle.
   */
  public long getRangeNanos(DriverFunction function, long[] mappings, boolean busy) {
    Objects.requireNonNull(mappings, "mappings");
    long sum = 0;
    for (int i = 0; i < mappings.length; i++) {
      long alone = getNanos(function, mappings[i], busy);
      sum = Point.after(sum, i == 0 ? alone : alone - alone / 3);
    }
    return sum;
  }

  /**
   * Returns the nanoseconds that an allocation costs besides because a driver's pool grows by these
   * bytes, 0 for no growth.
   */
  public long getPoolGrowthNanos(long bytes) {
    return bytes == 0 ? 0 : poolGrowth.getNanos(bytes);
  }

  /** Returns the nanoseconds that a trim costs besides because it returns these bytes. */
  public long getPoolTrimNanos(long bytes) {
    return bytes == 0 ? 0 : poolTrim.getNanos(bytes);
  }

  /**
   * Returns the nanoseconds that a call costs besides for each block of one device that it opens to
   * another device, or closes: each block of plain memory for peer access, and for access to a
   * range of mappings all of them as one.
   */
  public long getOtherDeviceNanos(DriverFunction function) {
    Objects.requireNonNull(function, "function");
    return otherDevice.getOrDefault(function, 0L);
  }

  /**
   * Returns the nanoseconds that a kernel, fill or copy takes before it accesses the first byte.
   */
  public long getKernelOverheadNanos() {
    return kernelOverheadNanos;
  }

  /**
   * Returns a copy with another curve for one function, on idle and busy devices. What a call costs
   * besides stays, such as the growth of a driver's pool.
   */
  public CostModel with(DriverFunction function, CostCurve curve) {
    Objects.requireNonNull(curve, "curve");
    return with(function, curve, curve);
  }

  /**
   * Returns a copy with other curves for one function: on an idle device, and on a busy one. What a
   * call costs besides stays.
   */
  public CostModel with(DriverFunction function, CostCurve idle, CostCurve busy) {
    Objects.requireNonNull(function, "function");
    Objects.requireNonNull(idle, "idle");
    Objects.requireNonNull(busy, "busy");
    Map<DriverFunction, Cost> changed = new EnumMap<>(costs);
    changed.put(function, new Cost(idle, busy));
    return new CostModel(changed, poolGrowth, poolTrim, otherDevice, kernelOverheadNanos);
  }

  /** Returns a copy with another overhead of kernels, in nanoseconds, not negative. */
  public CostModel withKernelOverhead(long nanos) {
    if (nanos < 0) {
      throw new InvalidArgumentException("kernel overhead must not be negative: " + nanos + " ns");
    }
    return new CostModel(costs, poolGrowth, poolTrim, otherDevice, nanos);
  }

  private static Map<DriverFunction, Cost> allAt(Cost cost) {
    Map<DriverFunction, Cost> costs = new EnumMap<>(DriverFunction.class);
    for (DriverFunction function : DriverFunction.values()) {
      costs.put(function, cost);
    }
    return costs;
  }

  private static CostModel measured() {
    // Assumed for every function that is not named below: the cost of an event query, the cheapest
    // measured call that accesses the driver's queues.
    Map<DriverFunction, Cost> costs = allAt(Cost.constant(1_300));
    // Measured, a pair: 74-78 us at 1 MiB, 126-139 us at 64 MiB, 918 us at 2 GiB. Fitted: 1.8 times
    // as much, because replays took 1.6 to 1.9 times as long as with the measured figures.
    Cost plain = Cost.always(CostCurve.through(MIB, 68_000, 64 * MIB, 119_000, 2 * GIB, 826_000));
    costs.put(DriverFunction.MEM_ALLOC, plain);
    costs.put(DriverFunction.MEM_FREE, plain);
    // Measured from C, a pair: 1.08 us.
    Cost async = Cost.constant(540);
    costs.put(DriverFunction.MEM_ALLOC_ASYNC, async);
    costs.put(DriverFunction.MEM_ALLOC_FROM_POOL_ASYNC, async);
    costs.put(DriverFunction.MEM_FREE_ASYNC, async);
    // Measured: 10-16 us for any size. Fitted: 20, because replays with many of these calls
    // exceeded the modelled time most.
    costs.put(DriverFunction.MEM_CREATE, Cost.constant(20_000));
    costs.put(DriverFunction.MEM_MAP, Cost.constant(900));
    // Measured alone: 37-46 us on an idle device, 43-58 with 20 ms of work queued.
    costs.put(
        DriverFunction.MEM_SET_ACCESS,
        new Cost(handle(41_000, 42_000, 45_000), handle(49_000, 54_000, 58_000)));
    // Measured alone: 23-27 us on an idle device, 33-42 on a busy one.
    costs.put(
        DriverFunction.MEM_UNMAP,
        new Cost(handle(25_000, 25_000, 26_000), handle(36_000, 38_000, 42_000)));
    // 10-15 us for 2 MiB, 25-42 for 32 MiB, 82 for 256 MiB, idle or not.
    costs.put(DriverFunction.MEM_RELEASE, Cost.always(handle(12_500, 34_000, 82_000)));
    // Record and query 1.8 us, query alone 1.3 us.
    costs.put(DriverFunction.EVENT_RECORD, Cost.constant(500));
    costs.put(DriverFunction.EVENT_QUERY, Cost.constant(1_300));
    // Measured, a pair: 0.16 us.
    costs.put(DriverFunction.EVENT_CREATE, Cost.constant(80));
    costs.put(DriverFunction.EVENT_DESTROY, Cost.constant(80));
    // 3.2-4.4 us for a fill, as assumed for a host function.
    costs.put(DriverFunction.MEMSET_D8_ASYNC, Cost.constant(3_800));
    costs.put(DriverFunction.LAUNCH_HOST_FUNC, Cost.constant(3_800));
    putMedians(costs);
    // Assumed: 2 us until the first byte of a kernel moves.
    return new CostModel(
        costs,
        // The rest are medians of two H200, driver 580.159. 137 us for 64 MiB, 2,073 for 1 GiB.
        CostCurve.through(64 * MIB, 137_000, GIB, 2_073_000),
        // 123 us for 64 MiB, 1,323 for 1 GiB.
        CostCurve.through(64 * MIB, 123_000, GIB, 1_323_000),
        Map.of(
            // 761 us without blocks, 5,424 with 200 of 2 MiB.
            DriverFunction.CTX_ENABLE_PEER_ACCESS,
            23_300L,
            // 22 us without blocks, 3,081 with 200 of 2 MiB.
            DriverFunction.CTX_DISABLE_PEER_ACCESS,
            15_300L,
            // 878 us for another device and 24.5 for the owner over 2 MiB, 906 and 45 over 20 MiB.
            DriverFunction.MEM_SET_ACCESS,
            857_000L),
        2_000);
  }

  /** Adds medians of up to 2,000 calls each, with page-locked copies of 4 KiB. */
  private static void putMedians(Map<DriverFunction, Cost> costs) {
    // Alone; 92 us right after large frees.
    costs.put(DriverFunction.MEM_GET_INFO, Cost.constant(6_500));
    costs.put(DriverFunction.MEM_ALLOC_HOST, locked(894_000, 8_560_000, 128_000_000));
    costs.put(DriverFunction.MEM_FREE_HOST, locked(479_000, 2_530_000, 36_200_000));
    costs.put(DriverFunction.MEM_HOST_REGISTER, locked(218_000, 982_000, 9_430_000));
    costs.put(DriverFunction.MEM_HOST_UNREGISTER, locked(104_000, 371_000, 3_880_000));
    // Without blocks, 761 to 1,209 us, and 22 to 37.
    costs.put(DriverFunction.CTX_ENABLE_PEER_ACCESS, Cost.constant(761_000));
    costs.put(DriverFunction.CTX_DISABLE_PEER_ACCESS, Cost.constant(22_300));
    costs.put(DriverFunction.STREAM_CREATE, Cost.constant(1_750));
    costs.put(DriverFunction.STREAM_DESTROY, Cost.constant(3_960));
    costs.put(DriverFunction.STREAM_WAIT_EVENT, Cost.constant(340));
    costs.put(DriverFunction.STREAM_QUERY, Cost.constant(1_500));
    costs.put(DriverFunction.STREAM_SYNCHRONIZE, Cost.constant(1_580));
    costs.put(DriverFunction.EVENT_SYNCHRONIZE, Cost.constant(1_500));
    costs.put(DriverFunction.CTX_SYNCHRONIZE, Cost.constant(1_730));
    costs.put(DriverFunction.LAUNCH_KERNEL, Cost.constant(4_210));
    costs.put(DriverFunction.GRAPH_LAUNCH, Cost.constant(2_330));
    costs.put(DriverFunction.MEMCPY_DTOD_ASYNC, Cost.constant(5_060));
    costs.put(DriverFunction.MEMCPY_HTOD_ASYNC, Cost.constant(2_980));
    costs.put(DriverFunction.MEMCPY_DTOH_ASYNC, Cost.constant(2_400));
  }

  private static Cost locked(long at1, long at16, long at256) {
    return Cost.always(CostCurve.through(MIB, at1, 16 * MIB, at16, 256 * MIB, at256));
  }

  private static CostCurve handle(long at2, long at32, long at256) {
    return CostCurve.through(2 * MIB, at2, 32 * MIB, at32, 256 * MIB, at256);
  }
}
