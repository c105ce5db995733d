package org.vramkit.testkit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.vramkit.api.device.Backend;

/** Opens a backend before each test and closes it afterwards. */
abstract class KitFixture implements KitContext {

  private @Nullable Backend backend;

  /**
   * Opens the backend of a test; called for every test. The backend needs at least one device.
   * Tests that need two devices are skipped if it has only one.
   */
  protected abstract Backend openBackend();

  /**
   * Asserts that a checker found no hazard and no leak. Called after each test has released its
   * resources, before the backend is closed. No effect unless overridden.
   *
   * @param used the backend of the ended test
   */
  protected void assertClean(Backend used) {}

  /**
   * Clears a checker's reports. Called by a test that has misused the backend on purpose and seen
   * the expected error. No effect unless overridden.
   *
   * @param misused the backend of the running test
   */
  protected void forgetMisuse(Backend misused) {}

  @BeforeEach
  final void open() {
    backend = openBackend();
  }

  @AfterEach
  final void close() {
    Backend used = backend;
    if (used != null) {
      try (used) {
        release();
        assertClean(used);
      } finally {
        backend = null;
      }
    }
  }

  /** Releases the kit's own resources of a test. */
  void release() {}

  @Override
  public final Backend getBackend() {
    return running(backend);
  }

  static <T> T running(@Nullable T ofTest) {
    if (ofTest == null) {
      throw new IllegalStateException("no test is running");
    }
    return ofTest;
  }

  @Override
  public final void forgetMisuse() {
    forgetMisuse(getBackend());
  }
}
