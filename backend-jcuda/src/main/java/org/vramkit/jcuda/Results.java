package org.vramkit.jcuda;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import jcuda.CudaException;
import jcuda.driver.CUresult;

/**
 * Converts results of JCuda's calls to numbers, whether or not the application has enabled JCuda's
 * exceptions, which is a process-wide setting. JCuda's exceptions contain a name but no number.
 */
final class Results {
  /** {@code CUDA_ERROR_UNKNOWN}, for names that only JCuda defines. */
  static final int UNKNOWN = 999;

  private static final Map<String, Integer> NUMBERS = numbers();

  private Results() {}

  private static Map<String, Integer> numbers() {
    Map<String, Integer> numbers = new HashMap<>();
    for (int result = 0; result <= UNKNOWN; result++) {
      // Numbers without a name have the same text; the first one is kept.
      numbers.putIfAbsent(CUresult.stringFor(result), result);
    }
    return numbers;
  }

  /** Makes a call and returns its result, whether JCuda returns or throws it. */
  static int of(IntSupplier call) {
    try {
      return call.getAsInt();
    } catch (CudaException e) {
      return NUMBERS.getOrDefault(String.valueOf(e.getMessage()), UNKNOWN);
    }
  }
}
