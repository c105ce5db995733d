package org.vramkit.api.error;

/**
 * What the driver said: the number and the name of its status, and the call that returned it.
 *
 * @param code the driver's number, for CUDA a {@code CUresult}; 0 when no driver was involved
 * @param name the driver's name of it, such as {@code CUDA_ERROR_OUT_OF_MEMORY}
 * @param call the driver function that returned it, such as {@code cuMemAlloc}
 */
public record DriverStatus(int code, String name, String call) {

  /** The status of an error that Vramkit found before it asked any driver. */
  public static final DriverStatus NONE = new DriverStatus(0, "none", "none");

  /** {@code CUDA_ERROR_INVALID_VALUE}. */
  public static final int INVALID_VALUE = 1;

  /** {@code CUDA_ERROR_OUT_OF_MEMORY}. */
  public static final int OUT_OF_MEMORY = 2;

  /** {@code CUDA_ERROR_INVALID_HANDLE}. */
  public static final int INVALID_HANDLE = 400;

  /** {@code CUDA_ERROR_ILLEGAL_ADDRESS}: the process's CUDA is lost. */
  public static final int ILLEGAL_ADDRESS = 700;

  /** {@code CUDA_ERROR_NOT_SUPPORTED}. */
  public static final int NOT_SUPPORTED = 801;

  /** Whether a driver was involved at all. */
  public boolean isFromDriver() {
    return !equals(NONE);
  }

  @Override
  public String toString() {
    return isFromDriver() ? call + " returned " + code + " (" + name + ")" : "no driver call";
  }
}
