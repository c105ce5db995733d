package org.vramkit.jcuda;

import org.vramkit.cuda.CudaBackendProvider;

/** The provider of CUDA through JCuda. */
public final class JCudaBackendProvider extends CudaBackendProvider {
  /** The name that selects this backend. */
  public static final String NAME = "jcuda";

  private static final int PRIORITY = 100;

  private static final String NATIVES =
      "org.jcuda:jcuda-natives with the classifier of the platform, such as linux-x86_64";

  /** Creates the provider; called by {@link java.util.ServiceLoader}. */
  public JCudaBackendProvider() {
    super(NAME, PRIORITY, JCudaCalls::load, NATIVES);
  }
}
