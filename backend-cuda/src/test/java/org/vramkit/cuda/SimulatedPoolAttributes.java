package org.vramkit.cuda;

import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.PoolAttributeCalls;

/** Statistics, thresholds and reuse policies of driver pools. */
final class SimulatedPoolAttributes extends SimulatedCalls implements PoolAttributeCalls {
  SimulatedPoolAttributes(SimulatedProcess process) {
    super(process);
  }

  @Override
  public int cuMemPoolSetAttribute(Handle handle, int attribute, long value) {
    DriverPool pool = ((SimulatedPools.PoolHandle) handle).pool();
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
    DriverPool pool = ((SimulatedPools.PoolHandle) handle).pool();
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
}
