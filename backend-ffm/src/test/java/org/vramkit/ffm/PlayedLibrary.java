package org.vramkit.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.vramkit.cuda.driver.CudaDriver;

/**
 * A {@code libcuda} of native functions that call back into {@link PlayedFunctions}. Like the real
 * library it returns functions by name and version: the newest variant that is not newer than the
 * version. A lookup with a version that no variant has returns a function that fails when called.
 */
final class PlayedLibrary implements SymbolLookup {
  private static final int UNKNOWN = 999;
  private static final int NOT_FOUND = 500;

  /** Violations of the driver's rules, because exceptions must not pass through native code. */
  final List<Throwable> failures = new CopyOnWriteArrayList<>();

  /** The requested functions, with their versions. */
  final Map<String, Integer> asked = new ConcurrentHashMap<>();

  private final Map<String, Function> functions = new TreeMap<>();
  private final Map<String, MemorySegment> exports = new TreeMap<>();
  private final Set<String> absent = new HashSet<>();

  PlayedLibrary(CudaDriver driver) {
    this(driver, /* byVersion= */ true);
  }

  /**
   * Creates a library of CUDA 12.0 or newer, which has {@code cuGetProcAddress_v2}, or an older
   * one.
   */
  PlayedLibrary(CudaDriver driver, boolean byVersion) {
    PlayedFunctions.over(driver).forEach(this::add);
    if (byVersion) {
      exports.clear();
      exports.put("cuGetProcAddress_v2", stub(this, method("cuGetProcAddress_v2")));
    }
  }

  /** Adds the functions of an object. */
  private void add(Object played) {
    for (Method each : played.getClass().getDeclaredMethods()) {
      Since since = each.getAnnotation(Since.class);
      if (since != null) {
        MemorySegment stub = stub(played, each);
        functions.put(each.getName(), new Function(stub, since.value()));
        exports.put(since.exported().isEmpty() ? each.getName() : since.exported(), stub);
      }
    }
  }

  /** Removes functions by their plain names. */
  PlayedLibrary without(String... names) {
    absent.addAll(Arrays.asList(names));
    exports.keySet().removeIf(each -> absent.contains(each.replaceFirst("_v2$", "")));
    return this;
  }

  /** Returns the versions of all functions by plain name. */
  Map<String, Integer> getVersions() {
    Map<String, Integer> versions = new TreeMap<>();
    functions.forEach((name, function) -> versions.put(name, function.since()));
    return versions;
  }

  /** A native function, and the version from which it is returned. */
  private record Function(MemorySegment stub, int since) {}

  private static Method method(String name) {
    return Arrays.stream(PlayedLibrary.class.getDeclaredMethods())
        .filter(each -> each.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private MemorySegment stub(Object target, Method method) {
    try {
      MethodHandle body = MethodHandles.lookup().unreflect(method).bindTo(target);
      MethodHandle failed =
          MethodHandles.lookup()
              .bind(this, "failed", MethodType.methodType(int.class, Throwable.class));
      MethodHandle safe =
          MethodHandles.catchException(
              body,
              Throwable.class,
              MethodHandles.dropArguments(failed, 1, body.type().parameterList()));
      return Linker.nativeLinker().upcallStub(safe, descriptor(method), Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("cannot play " + method, e);
    }
  }

  private static FunctionDescriptor descriptor(Method method) {
    MemoryLayout[] parameters =
        Arrays.stream(method.getParameterTypes())
            .map(
                type ->
                    type == long.class
                        ? ValueLayout.JAVA_LONG
                        : type == int.class ? ValueLayout.JAVA_INT : ValueLayout.JAVA_BYTE)
            .toArray(MemoryLayout[]::new);
    return FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters);
  }

  @SuppressWarnings("UnusedMethod") // called by a method handle
  private int failed(Throwable thrown) {
    failures.add(thrown);
    return UNKNOWN;
  }

  /** The function that looks up all others. */
  int cuGetProcAddress_v2(long symbol, long pfn, int version, long flags, long status) {
    MemorySegment all = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    String name = all.getString(symbol);
    asked.put(name, version);
    Function known = flags == 1 && !absent.contains(name) ? functions.get(name) : null;
    MemorySegment found =
        known != null && known.since() == version ? known.stub() : MemorySegment.NULL;
    all.set(ValueLayout.ADDRESS, pfn, found);
    all.set(ValueLayout.JAVA_INT, status, found.address() != 0 ? 0 : known != null ? 2 : 1);
    return found.address() != 0 ? 0 : NOT_FOUND;
  }

  @Override
  public Optional<MemorySegment> find(String name) {
    return Optional.ofNullable(exports.get(name));
  }
}
