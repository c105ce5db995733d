package org.vramkit.agent;

import java.lang.reflect.Method;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/** Installs the agent, and gives each test a process of its own on the test's simulator. */
final class SimulatedCudaExtension
    implements BeforeEachCallback, AfterEachCallback, InvocationInterceptor {

  /** Constructor for JUnit. */
  SimulatedCudaExtension() {
    if (!BindingTransformer.isInstalled()) {
      CudaAgent.install(ByteBuddyAgent.install());
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    CudaProcess.end();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    CudaProcess.end();
  }

  // The scope of the test's simulator is open in intercepted methods only.

  @Override
  public void interceptBeforeEachMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    CudaProcess.begin();
    invocation.proceed();
  }

  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    CudaProcess.begin();
    invocation.proceed();
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    CudaProcess.begin();
    invocation.proceed();
  }
}
