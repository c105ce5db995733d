package org.vramkit.gpu;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.vramkit.api.device.Backend;
import org.vramkit.testkit.BackendKit;

@Tag("gpu")
@DisplayName("JavaCpp keeps the contract of a backend on a real GPU")
class JavaCppBackendKitTest extends BackendKit {

  @Override
  protected Backend openBackend() {
    return RealGpu.open("javacpp");
  }

  @Override
  protected void assertClean(Backend used) {
    RealGpu.assertQuiet("javacpp");
  }
}
