package org.vramkit.gpu;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;

/** What is built on devices and allocators, on devices of any backend, each test on its own. */
abstract class PoolScenarios
    implements WorkspaceScenarios,
        BufferScenarios,
        PageLockedScenarios,
        GraphScenarios,
        ScatterScenarios {
  private Backend backend;

  abstract Backend open();

  /** Nothing is left of the test. */
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
