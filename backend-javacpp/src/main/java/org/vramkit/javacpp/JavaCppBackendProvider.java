package org.vramkit.javacpp;

import org.vramkit.cuda.CudaBackendProvider;

/**
 * The provider of CUDA through JavaCPP. Its priority is higher than that of JCuda, because JavaCPP
 * supports virtual memory.
 */
public final class JavaCppBackendProvider extends CudaBackendProvider {
  /** The name that selects this backend. */
  public static final String NAME = "javacpp";

  private static final int PRIORITY = 200;

  private static final String NATIVES =
      "org.bytedeco:cuda and org.bytedeco:javacpp with the classifier of the platform, such as"
          + " linux-x86_64";

  /** Creates the provider; called by {@link java.util.ServiceLoader}. */
  public JavaCppBackendProvider() {
    super(NAME, PRIORITY, JavaCppDriver::load, NATIVES);
  }
}
