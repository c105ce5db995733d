package org.vramkit.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import jcuda.driver.CUgraph;
import jcuda.driver.JCudaDriver;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("The table of functions")
class FunctionTableTest {
  static List<String> bindings() {
    return NativeCalls.BINDINGS;
  }

  /** Returns the parameters of the native methods of a binding, by functions, from its class. */
  private static Map<String, String> natives(String binding) {
    Map<String, String> natives = new TreeMap<>();
    for (MethodDescription each :
        TypePool.Default.ofSystemLoader()
            .describe(binding)
            .resolve()
            .getDeclaredMethods()
            .filter(ElementMatchers.isNative())) {
      natives.put(
          each.getName().replaceFirst("Native$", ""),
          each.getParameters().asTypeList().asErasures().stream()
              .map(type -> type.getActualName())
              .collect(Collectors.joining(", ")));
    }
    return natives;
  }

  private static String parameters(Method handler) {
    return Arrays.stream(handler.getParameterTypes())
        .map(Class::getTypeName)
        .collect(Collectors.joining(", "));
  }

  @Test
  @DisplayName("has each native method of the bindings, and no other function")
  void complete() {
    TreeSet<String> natives = new TreeSet<>();
    bindings().forEach(binding -> natives.addAll(natives(binding).keySet()));
    assertTrue(natives.size() > 300, natives.size() + " natives");
    assertEquals(natives, new TreeSet<>(CallRow.all().keySet()));
  }

  @ParameterizedTest
  @MethodSource("bindings")
  @DisplayName("names a handler with the parameters of the native method, or says what is missing")
  void handlers(String binding) {
    Map<String, Method> handlers = NativeCalls.handlers(binding);
    List<String> wrong = new ArrayList<>();
    natives(binding)
        .forEach(
            (function, parameters) -> {
              CallRow row = Objects.requireNonNull(CallRow.find(function), function);
              Method handler = handlers.get(function);
              boolean right =
                  row.isSimulated()
                      ? handler != null && parameters(handler).equals(parameters)
                      : handler == null && !row.reason().isBlank();
              if (!right) {
                wrong.add(function + "(" + parameters + "): " + row + ", " + handler);
              }
            });
    assertEquals(List.of(), wrong);
    assertTrue(natives(binding).keySet().containsAll(handlers.keySet()), handlers::toString);
  }

  @Test
  @DisplayName("makes a call that is not simulated an error that names it")
  void refused() {
    UnsupportedOperationException refused =
        assertThrows(
            UnsupportedOperationException.class, () -> JCudaDriver.cuGraphCreate(new CUgraph(), 0));
    assertEquals(
        "cuGraphCreate is not simulated: nodes of graphs; capture work of streams instead",
        refused.getMessage());
  }
}
