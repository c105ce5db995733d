package org.vramkit.ffm;

import java.util.List;
import org.vramkit.cuda.driver.CudaDriver;

/**
 * The functions of {@code libcuda} with the parameters of its header, over a driver in Java: 64
 * bits are a long, 32 bits an int, an unsigned char a byte. Pointers and structures are read and
 * written as in C. Each method with {@link Since} is a function; the annotation gives its variant.
 */
final class PlayedFunctions {
  private PlayedFunctions() {}

  /** Returns the objects whose methods are these functions. */
  static List<Object> over(CudaDriver driver) {
    PlayedHandles streams = new PlayedHandles();
    streams.add(0, driver.streams().getDefaultStream());
    PlayedMemory memory = new PlayedMemory(driver, streams);
    return List.of(
        new PlayedDevices(driver),
        new PlayedStreams(driver, streams),
        memory,
        new PlayedPools(driver, streams),
        new PlayedVirtualMemory(driver),
        new PlayedGraphs(driver, streams),
        new PlayedKernels(driver, streams, memory));
  }
}
