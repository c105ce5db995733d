package org.vramkit.testkit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.vramkit.api.device.Backend;

/** Opens a backend for each test and closes it afterwards. */
abstract class KitFixture implements KitContext {

  private @Nullable Backend backend;

  /**
   * Opens the backend under test, or the one that the subject runs on, for every test. It needs at
   * least one device; tests that need two are skipped otherwise.
   */
  protected abstract Backend openBackend();

  /**
   * Called after each test, before the backend is closed: the place to assert that a checker found
   * no hazard and no leak. Does nothing by default.
   *
   * @param used the backend of the test that just ended
   */
  protected void assertClean(Backend used) {}

  /**
   * Called by a test that misused the backend on purpose, after the expected error: the place to
   * clear a checker's reports. Does nothing by default.
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

  /** Releases what the kit itself holds for a test. */
  void release() {}

  @Override
  public final Backend getBackend() {
    if (backend == null) {
      throw new IllegalStateException("no test is running");
    }
    return backend;
  }

  @Override
  public final void forgetMisuse() {
    forgetMisuse(getBackend());
  }
}
