package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPools;

@Tag("gpu")
@DisplayName("Creating pools through JCuda leaves the heap's objects whole")
class JCudaPoolHandleTest {

  @Test
  @DisplayName("objects made between 500 pools keep class, length and content through a collection")
  void neighbours() {
    try (Backend backend = RealGpu.open("jcuda")) {
      DriverPools pools = backend.getDevice(0).getDriverPools();
      List<DriverPool> created = new ArrayList<>();
      List<Object> neighbours = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        created.add(pools.create(0));
        neighbours.add(new int[] {i});
      }
      System.gc();
      for (int i = 0; i < 500; i++) {
        int[] each = (int[]) neighbours.get(i);
        assertEquals(1, each.length);
        assertEquals(i, each[0]);
      }
      created.forEach(DriverPool::close);
    }
  }
}
