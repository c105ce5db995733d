package org.vramkit.gpu;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.vramkit.api.device.Backend;
import org.vramkit.testkit.BackendKit;

@Tag("gpu")
@EnabledForJreRange(min = JRE.JAVA_22)
@DisplayName("The JDK's foreign functions keep the contract of a backend on a real GPU")
class FfmBackendKitTest extends BackendKit {

  @Override
  protected Backend openBackend() {
    return RealGpu.open("ffm");
  }

  @Override
  protected void assertClean(Backend used) {
    RealGpu.assertQuiet("ffm");
  }
}
