package org.vramkit.testkit.sim;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.vramkit.sim.SimScope;

/**
 * Where code of a test that opens a backend itself has the test's simulator. Lives in the store of
 * the test's context, as the simulator does.
 */
@SuppressWarnings("deprecation") // CloseableResource, from 5.13 on
record TestScope(SimScope scope) implements AutoCloseable, Store.CloseableResource {

  /** The scope of a test. */
  static SimScope of(ExtensionContext context) {
    return TestGpu.store(context)
        .getOrComputeIfAbsent(
            TestScope.class,
            key -> new TestScope(SimScope.of(() -> TestGpu.of(context).getBackend())),
            TestScope.class)
        .scope();
  }

  /** The scope of a test, or of the factory that made a dynamic test; null outside of tests. */
  static @Nullable SimScope find(ExtensionContext context) {
    if (context.getTestMethod().isPresent()) {
      return of(context);
    }
    TestScope inherited = TestGpu.store(context).get(TestScope.class, TestScope.class);
    return inherited == null ? null : inherited.scope();
  }

  @Override
  public void close() {
    scope.close();
  }
}
