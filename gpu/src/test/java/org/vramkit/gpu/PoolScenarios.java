package org.vramkit.gpu;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;

/** Scenarios of pools and scatters on any backend; each test opens its own. */
abstract class PoolScenarios
    implements WorkspaceScenarios,
        BufferScenarios,
        PageLockedScenarios,
        GraphScenarios,
        ScatterScenarios {
  private Backend backend;

  abstract Backend open();

  /** Checks that the test has freed all resources. */
  abstract void assertClean(Backend used);

  @BeforeEach
  void openBackend() {
    backend = open();
  }

  @AfterEach
  void closeBackend() {
    try {
      assertClean(backend);
    } finally {
      backend.close();
    }
  }

  @Override
  public Backend getBackend() {
    return backend;
  }

  @Override
  public Device getDevice() {
    return backend.getDevice(0);
  }
}
