package org.vramkit.gpu;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.vramkit.api.device.Backend;
import org.vramkit.testkit.BackendKit;

@Tag("gpu")
@DisplayName("JCuda keeps the contract of a backend on a real GPU")
class JCudaBackendKitTest extends BackendKit {

  @Override
  protected Backend openBackend() {
    return RealGpu.open("jcuda");
  }

  @Override
  protected void assertClean(Backend used) {
    RealGpu.assertQuiet("jcuda");
  }
}
