package org.vramkit.sim.examples;

import java.lang.reflect.Method;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.vramkit.sim.hazard.HazardCode;

/**
 * All examples of docs/simulator.md, one for each code.
 *
 * <p>How to document a new code: write the shortest program that gives it as a static method with
 * {@link Gives} in one of the classes listed here (by what it is about; a new class if none fits);
 * add a section to docs/simulator.md with the code as its heading, what it means, and a line that
 * begins with {@code Fix:}; then have the test put the program and its report there: {@code ./mvnw
 * -pl backend-sim -am test -Dtest=Documented*Test -Dvramkit.docs=write
 * -Dsurefire.failIfNoSpecifiedTests=false}. Without that property the test compares.
 */
final class Examples {
  private static final List<Class<?>> CLASSES =
      List.of(
          OrderExamples.class,
          PoolExamples.class,
          MemoryExamples.class,
          VirtualMemoryExamples.class,
          CallExamples.class,
          KernelExamples.class,
          HostExamples.class);

  private Examples() {}

  /** The example of each code. */
  static Map<HazardCode, Method> byCode() {
    Map<HazardCode, Method> examples = new EnumMap<>(HazardCode.class);
    for (Class<?> type : CLASSES) {
      for (Method method : type.getDeclaredMethods()) {
        Gives gives = method.getAnnotation(Gives.class);
        if (gives != null && examples.put(gives.value(), method) != null) {
          throw new IllegalStateException("two examples for " + gives.value());
        }
      }
    }
    return examples;
  }

  /** Names of the classes, to read their sources. */
  static List<String> names() {
    return CLASSES.stream().map(Class::getSimpleName).toList();
  }
}
