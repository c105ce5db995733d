package org.vramkit.cuda.driver;

/**
 * The result of loading a binding. It is kept for the life of the process, because only the first
 * failure contains the reason; later failures only name the class. Immutable.
 */
public final class BindingLoad {
  /** Returns if loading succeeded, or throws its failure. */
  private final Runnable outcome;

  private BindingLoad(Runnable outcome) {
    this.outcome = outcome;
  }

  /** Loads a binding and keeps its failure, if any. */
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
   * Does nothing if loading succeeded; otherwise throws the failure.
   *
   * @throws LinkageError if loading failed with one; the same object on each call
   * @throws RuntimeException if loading failed with one; the same object on each call
   */
  public void require() {
    outcome.run();
  }
}
