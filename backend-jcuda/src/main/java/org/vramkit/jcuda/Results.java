package org.vramkit.jcuda;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import jcuda.CudaException;
import jcuda.driver.CUresult;

/**
 * Results of JCuda's calls as numbers, whether the application has JCuda throw or not: that is one
 * switch for the whole process, and the application's. JCuda's exceptions carry a name but no
 * number.
 */
final class Results {
  /** {@code CUDA_ERROR_UNKNOWN}, for names that JCuda itself made up. */
  static final int UNKNOWN = 999;

  private static final Map<String, Integer> NUMBERS = numbers();

  private Results() {}

  private static Map<String, Integer> numbers() {
    Map<String, Integer> numbers = new HashMap<>();
    for (int result = 0; result <= UNKNOWN; result++) {
      // Numbers without a name share a text; the first one keeps it.
      numbers.putIfAbsent(CUresult.stringFor(result), result);
    }
    return numbers;
  }

  /** The call's result. */
  static int of(IntSupplier call) {
    try {
      return call.getAsInt();
    } catch (CudaException e) {
      return NUMBERS.getOrDefault(String.valueOf(e.getMessage()), UNKNOWN);
    }
  }
}
