package org.vramkit.agent;

import static net.bytebuddy.matcher.ElementMatchers.any;
import static net.bytebuddy.matcher.ElementMatchers.isStatic;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.not;
import static net.bytebuddy.matcher.ElementMatchers.takesArgument;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.implementation.InvokeDynamic;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;
import org.jspecify.annotations.Nullable;

/**
 * Gives the native methods of the bindings a body, when their classes are loaded: one {@code
 * invokedynamic} instruction that {@link NativeCalls} links to a handler. JCuda's calls that load
 * native libraries are left out, and JavaCPP's loader loads none for these classes.
 */
final class BindingTransformer implements ClassFileTransformer {
  private static final String LOADER = "org.bytedeco.javacpp.Loader";
  private static final Method LINK;

  static {
    try {
      LINK =
          NativeCalls.class.getMethod(
              "link", MethodHandles.Lookup.class, String.class, MethodType.class);
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
      boolean isAnswered = NativeCalls.isAnswered(each.getName());
      if (isAnswered
          && Stream.of(each.getDeclaredMethods()).anyMatch(BindingTransformer::isNative)) {
        loaded.add(each.getName());
      }
    }
    if (!loaded.isEmpty()) {
      throw new IllegalStateException(
          loaded
              + " was loaded before the agent, which cannot change it any more: begin the JVM with"
              + " -javaagent:vramkit-agent.jar");
    }
    boolean retransforms = instrumentation.isRetransformClassesSupported();
    instrumentation.addTransformer(new BindingTransformer(), retransforms);
    if (retransforms) {
      changeLoader(instrumentation);
    }
    installed = true;
  }

  private static boolean isNative(Method method) {
    return Modifier.isNative(method.getModifiers());
  }

  /** Changes JavaCPP's loader if other libraries have used it. */
  private static void changeLoader(Instrumentation instrumentation) {
    for (Class<?> each : instrumentation.getAllLoadedClasses()) {
      if (each.getName().equals(LOADER)) {
        try {
          instrumentation.retransformClasses(each);
        } catch (UnmodifiableClassException e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      @Nullable String internalName,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] classFile) {
    String name = internalName == null ? "" : internalName.replace('/', '.');
    if (!NativeCalls.isAnswered(name) && !name.equals(LOADER)) {
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
    TypeDescription type = TypePool.Default.of(files).describe(name).resolve();
    DynamicType.Builder<?> changed =
        new ByteBuddy().with(TypeValidation.DISABLED).redefine(type, files);
    DynamicType.Builder<?> answered =
        name.equals(LOADER)
            ? changed.visit(
                Advice.to(Loading.class).on(named("load").and(takesArgument(0, Class.class))))
            : changed
                .method(ElementMatchers.isNative().and(isStatic()))
                .intercept(InvokeDynamic.bootstrap(LINK).withMethodArguments())
                .method(ElementMatchers.isNative().and(not(isStatic())))
                .intercept(InvokeDynamic.bootstrap(LINK).withThis(type).withMethodArguments())
                .visit(MemberSubstitution.relaxed().method(named("loadLibrary")).stub().on(any()));
    return answered.make().getBytes();
  }

  /** Code that begins JavaCPP's methods that load libraries. */
  private static final class Loading {
    /** Returns true to return null at once. */
    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter(@Advice.Argument(0) Class<?> type) {
      return NativeCalls.load(type);
    }
  }
}
