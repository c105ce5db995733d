package org.vramkit.sim.driver;

import static org.vramkit.api.units.ByteSize.GIB;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * What each driver call costs the calling thread, and what a kernel costs beyond its bytes.
 * Immutable.
 *
 * <p>The figures of {@link #H200} were measured on an NVIDIA H200 (driver 580, CUDA 13.0) in
 * November 2026, a few runs each: trust their ratios. Where only a pair of calls was measured, each
 * has half of it. Figures that nobody measured are marked as assumed where they are set.
 */
public final class CostModel {

  /** The default. */
  public static final CostModel H200 = measured();

  /** Nothing costs anything: virtual time moves only by kernels' own durations. */
  public static final CostModel FREE = new CostModel(allAt(CostCurve.constant(0)), 0);

  private final Map<DriverFunction, CostCurve> curves;
  private final long kernelOverheadNanos;

  private CostModel(Map<DriverFunction, CostCurve> curves, long kernelOverheadNanos) {
    this.curves = curves;
    this.kernelOverheadNanos = kernelOverheadNanos;
  }

  /**
   * What a call costs the host.
   *
   * @param function which
   * @param bytes what it concerns; 0 if nothing
   * @return nanoseconds, without the time that a synchronising call waits
   */
  public long getNanos(DriverFunction function, long bytes) {
    Objects.requireNonNull(function, "function");
    CostCurve curve = curves.get(function);
    return curve == null ? 0 : curve.getNanos(bytes);
  }

  /** What a kernel, fill or copy costs its stream before it touches a byte, in nanoseconds. */
  public long getKernelOverheadNanos() {
    return kernelOverheadNanos;
  }

  /**
   * The same model with another curve for one function; of a range with several mappings it is the
   * cost of each.
   */
  public CostModel with(DriverFunction function, CostCurve curve) {
    Objects.requireNonNull(function, "function");
    Objects.requireNonNull(curve, "curve");
    Map<DriverFunction, CostCurve> changed = new EnumMap<>(curves);
    changed.put(function, curve);
    return new CostModel(changed, kernelOverheadNanos);
  }

  /**
   * The same model with another overhead of kernels.
   *
   * @param nanos nanoseconds, not negative
   */
  public CostModel withKernelOverhead(long nanos) {
    if (nanos < 0) {
      throw new InvalidArgumentException("kernel overhead must not be negative: " + nanos + " ns");
    }
    return new CostModel(curves, nanos);
  }

  private static Map<DriverFunction, CostCurve> allAt(CostCurve curve) {
    Map<DriverFunction, CostCurve> curves = new EnumMap<>(DriverFunction.class);
    for (DriverFunction function : DriverFunction.values()) {
      curves.put(function, curve);
    }
    return curves;
  }

  private static CostModel measured() {
    // Assumed for every function that is not named below: as much as asking an event, the cheapest
    // measured call that talks to the driver's queues.
    Map<DriverFunction, CostCurve> curves = allAt(CostCurve.constant(1_300));
    // Pair: 74-78 us at 1 MiB, 126-139 us at 64 MiB, 918 us at 2 GiB.
    CostCurve plain = CostCurve.through(MIB, 38_000, 64 * MIB, 66_000, 2 * GIB, 459_000);
    curves.put(DriverFunction.MEM_ALLOC, plain);
    curves.put(DriverFunction.MEM_FREE, plain);
    // Pair: 1.08 us, from C.
    CostCurve async = CostCurve.constant(540);
    curves.put(DriverFunction.MEM_ALLOC_ASYNC, async);
    curves.put(DriverFunction.MEM_ALLOC_FROM_POOL_ASYNC, async);
    curves.put(DriverFunction.MEM_FREE_ASYNC, async);
    curves.put(DriverFunction.MEM_CREATE, byPages(7_000, 8_500, 15_000));
    curves.put(DriverFunction.MEM_MAP, CostCurve.constant(800));
    // For each mapping of the range: 128 of 2 MiB cost 2220 us and 1550 us, one of 256 MiB 39 and
    // 22 us. In replays one of 2 MiB took 19-21 us and 15 us.
    curves.put(DriverFunction.MEM_SET_ACCESS, byPages(20_000, 21_000, 40_000));
    curves.put(DriverFunction.MEM_UNMAP, byPages(15_000, 16_000, 23_000));
    curves.put(DriverFunction.MEM_RELEASE, byPages(9_000, 14_000, 70_000));
    // Record and query 1.8 us, query alone 1.3 us.
    curves.put(DriverFunction.EVENT_RECORD, CostCurve.constant(500));
    curves.put(DriverFunction.EVENT_QUERY, CostCurve.constant(1_300));
    // Pair: 0.16 us.
    curves.put(DriverFunction.EVENT_CREATE, CostCurve.constant(80));
    curves.put(DriverFunction.EVENT_DESTROY, CostCurve.constant(80));
    // Assumed: as much as recording an event.
    curves.put(DriverFunction.STREAM_WAIT_EVENT, CostCurve.constant(500));
    // 3.2-4.4 us for a fill; launches and copies are assumed to cost the host as much.
    for (DriverFunction function : DriverFunction.values()) {
      if (function.getGroup() == DriverFunction.Group.WORK) {
        curves.put(function, CostCurve.constant(3_800));
      }
    }
    // Assumed: 2 us until the first byte of a kernel moves.
    return new CostModel(curves, 2_000);
  }

  private static CostCurve byPages(long at2, long at20, long at256) {
    return CostCurve.through(2 * MIB, at2, 20 * MIB, at20, 256 * MIB, at256);
  }
}
