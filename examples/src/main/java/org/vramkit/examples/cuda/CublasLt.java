package org.vramkit.examples.cuda;

import static org.bytedeco.cuda.global.cublas.cublasLtMatmulPreferenceCreate;

import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;

/** Creates objects of cuBLASLt, and checks the statuses that it returns. */
public final class CublasLt {
  private CublasLt() {}

  /** A call that stores the address of a new object. */
  public interface Creation {
    /** Returns the status of the call. */
    int create(PointerPointer<?> to);
  }

  /** Returns the object that a call has created. */
  public static Pointer created(Creation creation) {
    try (PointerPointer<?> cell = new PointerPointer<>(1)) {
      check(creation.create(cell), "a creation");
      return cell.get(0);
    }
  }

  /** Creates a preference; the reference to the call alone is ambiguous. */
  public static int createPreference(PointerPointer<?> to) {
    return cublasLtMatmulPreferenceCreate(to);
  }

  /** Throws an {@link IllegalStateException} unless a status is that of success. */
  public static void check(int status, String call) {
    if (status != 0) {
      throw new IllegalStateException(call + " returned status " + status);
    }
  }
}
