package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPools;

@Tag("gpu")
@DisplayName("Creating pools through JCuda does not overwrite objects on the Java heap")
class JCudaPoolHandleTest {

  /** Number of open pools; few, because each reserves addresses for the whole device. */
  private static final int POOLS_AT_ONCE = 20;

  @Test
  @DisplayName("objects made between 400 pools keep class, length and content through a collection")
  void neighbours() {
    List<Object> neighbours = new ArrayList<>();
    try (Backend backend = RealGpu.open("jcuda")) {
      DriverPools pools = backend.getDevice(0).getDriverPools();
      for (int round = 0; round < 20; round++) {
        List<DriverPool> created = new ArrayList<>();
        try {
          for (int i = 0; i < POOLS_AT_ONCE; i++) {
            created.add(pools.create(0));
            neighbours.add(new int[] {neighbours.size()});
          }
        } finally {
          created.forEach(DriverPool::close);
        }
      }
    }
    System.gc();
    for (int i = 0; i < neighbours.size(); i++) {
      assertArrayEquals(new int[] {i}, (int[]) neighbours.get(i));
    }
  }
}
