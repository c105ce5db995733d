package org.vramkit.javacpp;

import org.vramkit.cuda.CudaBackendProvider;

/** Announces CUDA through JavaCPP, above JCuda: it has virtual memory. */
public final class JavaCppBackendProvider extends CudaBackendProvider {
  /** The name by which it is chosen. */
  public static final String NAME = "javacpp";

  private static final int PRIORITY = 200;

  private static final String NATIVES =
      "org.bytedeco:cuda and org.bytedeco:javacpp with the classifier of the platform, such as"
          + " linux-x86_64";

  /** For {@link java.util.ServiceLoader}. */
  public JavaCppBackendProvider() {
    super(NAME, PRIORITY, JavaCppDriver::load, NATIVES);
  }
}
