package org.vramkit.api.error;

/**
 * The status that a driver call returned.
 *
 * @param code the driver's code, for CUDA a {@code CUresult}; 0 if no driver was called
 * @param name the driver's name for the code, such as {@code CUDA_ERROR_OUT_OF_MEMORY}
 * @param call the driver function that returned it, such as {@code cuMemAlloc}
 */
public record DriverStatus(int code, String name, String call) {

  /** The status of an error that Vramkit detected before any driver call. */
  public static final DriverStatus NONE = new DriverStatus(0, "none", "none");

  /** {@code CUDA_ERROR_INVALID_VALUE}. */
  public static final int INVALID_VALUE = 1;

  /** {@code CUDA_ERROR_OUT_OF_MEMORY}. */
  public static final int OUT_OF_MEMORY = 2;

  /** {@code CUDA_ERROR_INVALID_HANDLE}. */
  public static final int INVALID_HANDLE = 400;

  /** {@code CUDA_ERROR_ILLEGAL_ADDRESS}: the process's CUDA context is lost. */
  public static final int ILLEGAL_ADDRESS = 700;

  /** {@code CUDA_ERROR_NOT_SUPPORTED}. */
  public static final int NOT_SUPPORTED = 801;

  /** {@code CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED}. */
  public static final int STREAM_CAPTURE_UNSUPPORTED = 900;

  /** {@code CUDA_ERROR_STREAM_CAPTURE_INVALIDATED}. */
  public static final int STREAM_CAPTURE_INVALIDATED = 901;

  /** {@code CUDA_ERROR_STREAM_CAPTURE_MERGE}. */
  public static final int STREAM_CAPTURE_MERGE = 902;

  /** {@code CUDA_ERROR_STREAM_CAPTURE_UNMATCHED}. */
  public static final int STREAM_CAPTURE_UNMATCHED = 903;

  /** {@code CUDA_ERROR_STREAM_CAPTURE_UNJOINED}. */
  public static final int STREAM_CAPTURE_UNJOINED = 904;

  /** {@code CUDA_ERROR_STREAM_CAPTURE_ISOLATION}. */
  public static final int STREAM_CAPTURE_ISOLATION = 905;

  /** {@code CUDA_ERROR_STREAM_CAPTURE_IMPLICIT}. */
  public static final int STREAM_CAPTURE_IMPLICIT = 906;

  /** {@code CUDA_ERROR_CAPTURED_EVENT}. */
  public static final int CAPTURED_EVENT = 907;

  /** {@code CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD}. */
  public static final int STREAM_CAPTURE_WRONG_THREAD = 908;

  /** Returns whether a driver call returned this status. */
  public boolean isFromDriver() {
    return !equals(NONE);
  }

  @Override
  public String toString() {
    return isFromDriver() ? call + " returned " + code + " (" + name + ")" : "no driver call";
  }
}
