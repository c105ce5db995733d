package org.vramkit.cuda.driver;

/**
 * How loading a binding went, to be kept once for the process: only the first failure tells the
 * reason, later ones but name the class. Immutable.
 */
public final class BindingLoad {
  /** Does nothing, or throws what loading met. */
  private final Runnable outcome;

  private BindingLoad(Runnable outcome) {
    this.outcome = outcome;
  }

  /** Loads, and keeps what kept the binding from it: bindings wrap some failures of the linker. */
  public static BindingLoad attempt(Runnable loading) {
    try {
      loading.run();
      return new BindingLoad(() -> {});
    } catch (LinkageError e) {
      return new BindingLoad(
          () -> {
            throw e;
          });
    } catch (RuntimeException e) {
      return new BindingLoad(
          () -> {
            throw e;
          });
    }
  }

  /**
   * Returns if the binding is loaded.
   *
   * @throws LinkageError what loading met, as is a {@link RuntimeException}; the same each time
   */
  public void require() {
    outcome.run();
  }
}
