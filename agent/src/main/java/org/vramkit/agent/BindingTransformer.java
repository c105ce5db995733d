package org.vramkit.agent;

import static net.bytebuddy.matcher.ElementMatchers.any;
import static net.bytebuddy.matcher.ElementMatchers.isDeclaredBy;
import static net.bytebuddy.matcher.ElementMatchers.isNative;
import static net.bytebuddy.matcher.ElementMatchers.named;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.implementation.InvokeDynamic;
import net.bytebuddy.pool.TypePool;
import org.jspecify.annotations.Nullable;

/**
 * Gives the native methods of the bindings a body, when their classes are loaded: one {@code
 * invokedynamic} instruction that {@link NativeCalls} links to a handler. Calls that load native
 * libraries of CUDA are left out.
 */
final class BindingTransformer implements ClassFileTransformer {
  private static final Method LINK;
  private static final Method LOAD;

  static {
    try {
      LINK =
          NativeCalls.class.getMethod(
              "link", MethodHandles.Lookup.class, String.class, MethodType.class);
      LOAD = NativeCalls.class.getMethod("load");
    } catch (NoSuchMethodException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static boolean installed;

  private BindingTransformer() {}

  static synchronized boolean isInstalled() {
    return installed;
  }

  /** Installs the transformer, unless it is installed. */
  static synchronized void install(Instrumentation instrumentation) {
    if (installed) {
      return;
    }
    List<String> loaded = new ArrayList<>();
    for (Class<?> each : instrumentation.getAllLoadedClasses()) {
      if (NativeCalls.isAnswered(each.getName())) {
        loaded.add(each.getName());
      }
    }
    if (!loaded.isEmpty()) {
      throw new IllegalStateException(
          loaded
              + " was loaded before the agent, which cannot change it any more: begin the JVM with"
              + " -javaagent:vramkit-agent.jar");
    }
    instrumentation.addTransformer(new BindingTransformer());
    installed = true;
  }

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      @Nullable String internalName,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] classFile) {
    String name = internalName == null ? "" : internalName.replace('/', '.');
    if (!NativeCalls.isAnswered(name)) {
      return null;
    }
    try {
      return transform(name, loader, classFile);
    } catch (RuntimeException | Error e) {
      // The JVM would ignore it, and go on with the native methods.
      System.err.println("vramkit: the agent cannot change " + name + ": " + e);
      throw e;
    }
  }

  private static byte[] transform(String name, @Nullable ClassLoader loader, byte[] classFile) {
    ClassFileLocator files =
        new ClassFileLocator.Compound(
            ClassFileLocator.Simple.of(name, classFile),
            ClassFileLocator.ForClassLoader.of(loader));
    return new ByteBuddy()
        .with(TypeValidation.DISABLED)
        .redefine(TypePool.Default.of(files).describe(name).resolve(), files)
        .method(isNative())
        .intercept(InvokeDynamic.bootstrap(LINK).withMethodArguments())
        .visit(MemberSubstitution.relaxed().method(named("loadLibrary")).stub().on(any()))
        .visit(
            MemberSubstitution.relaxed()
                .method(named("load").and(isDeclaredBy(named("org.bytedeco.javacpp.Loader"))))
                .replaceWith(LOAD)
                .on(any()))
        .make()
        .getBytes();
  }
}
