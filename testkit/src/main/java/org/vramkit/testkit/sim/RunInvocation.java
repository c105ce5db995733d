package org.vramkit.testkit.sim;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;

/**
 * One of the runs of a repeated test.
 *
 * @param run which one
 * @param listener told of its end
 */
record RunInvocation(Run run, RunListener listener) implements TestTemplateInvocationContext {
  @Override
  public String getDisplayName(int invocationIndex) {
    return run.toString();
  }

  @Override
  public void prepareInvocation(ExtensionContext context) {
    TestGpu.store(context).put(RunInvocation.class, this);
  }
}
