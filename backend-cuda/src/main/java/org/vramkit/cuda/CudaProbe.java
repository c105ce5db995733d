package org.vramkit.cuda;

import java.util.function.Supplier;
import org.vramkit.api.spi.Availability;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;

/**
 * Checks whether CUDA can be used on this machine, and gives the reason in one line. Never throws.
 */
public final class CudaProbe {
  /**
   * The oldest supported driver, which has all functions that are called without a check: CUDA
   * 11.0.
   */
  private static final int OLDEST = 11000;

  private CudaProbe() {}

  /**
   * Loads a binding and queries the driver for devices.
   *
   * @param loading returns the binding, or throws the reason why it cannot be loaded
   * @param natives the artifact with the binding's native libraries, for the message
   */
  public static Availability probe(Supplier<CudaDriver> loading, String natives) {
    CudaDriver driver;
    try {
      driver = loading.get();
    } catch (LinkageError | RuntimeException e) {
      return Availability.no(LoadFailure.explain(e, natives));
    }
    try {
      return ask(driver);
    } catch (LinkageError | RuntimeException e) {
      return Availability.no(LoadFailure.explain(e, natives));
    }
  }

  private static Availability ask(CudaDriver driver) {
    int[] version = new int[1];
    int result = driver.devices().cuInit();
    if (result == CudaResult.NO_DEVICE) {
      return Availability.no(
          "the NVIDIA driver sees no GPU; is one hidden by CUDA_VISIBLE_DEVICES?");
    }
    if (result != CudaResult.SUCCESS) {
      return Availability.no(refusal("cuInit", result, driver));
    }
    result = driver.devices().cuDriverGetVersion(version);
    if (result != CudaResult.SUCCESS) {
      return Availability.no(refusal("cuDriverGetVersion", result, driver));
    }
    if (version[0] < OLDEST) {
      return Availability.no(
          "the NVIDIA driver supports "
              + DriverVersion.text(version[0])
              + ", which is older than "
              + DriverVersion.text(OLDEST)
              + "; update it");
    }
    int[] count = new int[1];
    result = driver.devices().cuDeviceGetCount(count);
    if (result != CudaResult.SUCCESS) {
      return Availability.no(refusal("cuDeviceGetCount", result, driver));
    }
    return count[0] == 0
        ? Availability.no("the NVIDIA driver sees no GPU")
        : Availability.yes(
            count[0]
                + (count[0] == 1 ? " GPU" : " GPUs")
                + ", driver for "
                + DriverVersion.text(version[0])
                + ", "
                + driver.getBinding());
  }

  private static String refusal(String call, int result, CudaDriver driver) {
    return "the NVIDIA driver failed: "
        + call
        + " returned "
        + result
        + " ("
        + driver.devices().nameOf(result)
        + ")";
  }
}
