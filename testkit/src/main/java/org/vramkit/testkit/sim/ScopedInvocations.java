package org.vramkit.testkit.sim;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.vramkit.sim.SimScope;

/** Runs all code of a test, and of nothing but one test, in the scope of the test's simulator. */
interface ScopedInvocations extends InvocationInterceptor {

  @SuppressWarnings("try") // the scope is held, not used
  private static <T extends @Nullable Object> T inside(
      ExtensionContext context, Invocation<T> invocation) throws Throwable {
    SimScope scope = TestScope.find(context);
    if (scope == null) {
      return invocation.proceed();
    }
    try (SimScope.Entry inside = scope.enter()) {
      return invocation.proceed();
    }
  }

  @Override
  default <T> T interceptTestClassConstructor(
      Invocation<T> invocation,
      ReflectiveInvocationContext<Constructor<T>> constructor,
      ExtensionContext context)
      throws Throwable {
    return inside(context, invocation);
  }

  @Override
  default void interceptBeforeEachMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    inside(context, invocation);
  }

  @Override
  default void interceptTestMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    inside(context, invocation);
  }

  @Override
  default void interceptTestTemplateMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    inside(context, invocation);
  }

  @Override
  default <T> T interceptTestFactoryMethod(
      Invocation<T> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    return inside(context, invocation);
  }

  @Override
  default void interceptDynamicTest(
      Invocation<@Nullable Void> invocation,
      DynamicTestInvocationContext test,
      ExtensionContext context)
      throws Throwable {
    inside(context, invocation);
  }

  @Override
  default void interceptAfterEachMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    inside(context, invocation);
  }
}
