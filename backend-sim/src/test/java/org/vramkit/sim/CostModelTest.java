package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.DriverCall;
import org.vramkit.sim.driver.DriverFunction;

@DisplayName("What driver calls cost")
class CostModelTest {

  @ParameterizedTest(name = "{0} of {1} MiB: {2} to {3} us")
  @CsvSource({
    "MEM_ALLOC MEM_FREE, 1, 74, 78",
    "MEM_ALLOC MEM_FREE, 64, 126, 139",
    "MEM_ALLOC MEM_FREE, 2048, 910, 926",
    "MEM_ALLOC_ASYNC MEM_FREE_ASYNC, 1, 0.77, 1.24",
    "MEMSET_D8_ASYNC, 1, 3.2, 4.4",
    "EVENT_RECORD EVENT_QUERY, 0, 1.7, 1.9",
    "EVENT_QUERY, 0, 1.2, 1.4",
    "EVENT_CREATE EVENT_DESTROY, 0, 0.15, 0.17",
    "MEM_CREATE, 2, 6.2, 13.8",
    "MEM_CREATE, 256, 11, 31",
    "MEM_MAP, 256, 0.8, 0.8",
    "MEM_SET_ACCESS, 2, 17, 30",
    "MEM_SET_ACCESS, 20, 20, 37",
    "MEM_UNMAP, 256, 21, 25",
    "MEM_RELEASE, 256, 55, 105"
  })
  @DisplayName("The default model gives what was measured on an H200")
  void measured(String functions, long mib, double least, double most) {
    double micros =
        Arrays.stream(functions.split(" "))
                .mapToLong(
                    name ->
                        CostModel.H200.getNanos(DriverFunction.valueOf(name), mib * ByteSize.MIB))
                .sum()
            / 1000.0;
    assertTrue(least <= micros && micros <= most, micros + " us");
  }

  @Test
  @DisplayName("Access to a range, and its unmapping, cost as often as it has mappings")
  void mappings() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      VirtualMemory memory = device.getVirtualMemory();
      long page = memory.getGranularity();
      long range = memory.reserve(10 * page);
      long[] handles = new long[10];
      for (int i = 0; i < handles.length; i++) {
        handles[i] = memory.create(page);
        memory.map(range + i * page, page, handles[i]);
      }
      memory.setAccess(range, 10 * page, device);
      memory.unmap(range, 10 * page);
      for (DriverFunction function :
          List.of(DriverFunction.MEM_SET_ACCESS, DriverFunction.MEM_UNMAP)) {
        assertEquals(
            10 * CostModel.H200.getNanos(function, page),
            backend.getDriverCalls().getEstimatedNanos(function.getFunctionName()));
      }
      for (long handle : handles) {
        memory.release(handle);
      }
      memory.unreserve(range, 10 * page);
    }
  }

  @Test
  @DisplayName("Costs pass on the host's clock, and their sum is the estimate")
  void estimate() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      long begin = backend.getTimeNanos();
      backend.getDriverCalls().reset();
      long address = device.getMemory().allocate(64 * ByteSize.MIB);
      device.getMemory().free(address);
      device.createEvent().close();
      long sum =
          backend.getDriverCalls().getRecent().stream().mapToLong(DriverCall::costNanos).sum();
      assertEquals(sum, backend.getDriverCalls().getEstimatedNanos());
      assertEquals(sum, backend.getTimeNanos() - begin);
      assertEquals(4, backend.getDriverCalls().getTotal());
      assertEquals(1, backend.getDriverCalls().getCount("cuMemAlloc"));
    }
  }
}
