package org.vramkit.testkit.sim;

import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/** Repeats a {@link SimulatedTest}. */
final class RepeatedRuns implements TestTemplateInvocationContextProvider {
  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return AnnotationSupport.isAnnotated(context.getTestMethod(), SimulatedTest.class);
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    SimulatedTest repeated =
        AnnotationSupport.findAnnotation(context.getTestMethod(), SimulatedTest.class)
            .orElseThrow();
    return Runs.repeated(context, repeated).map(run -> new RunInvocation(run, RunListener.NONE));
  }
}
