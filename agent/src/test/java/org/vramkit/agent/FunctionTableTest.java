package org.vramkit.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import jcuda.driver.CUarray;
import jcuda.driver.JCudaDriver;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.agent.Arguments.Binding;

@SimulatedCuda
@DisplayName("The table of functions")
class FunctionTableTest {
  /** Constants of JavaCPP's class that are named like functions. */
  private static final Set<String> CONSTANTS = Set.of("cudaStreamLegacy", "cudaStreamPerThread");

  static List<String> bindings() {
    return NativeCalls.BINDINGS;
  }

  /** Returns the types of the native methods of a binding, by functions, from its class. */
  private static Map<String, List<MethodType>> natives(String binding) {
    Map<String, List<MethodType>> natives = new TreeMap<>();
    for (MethodDescription each :
        TypePool.Default.ofSystemLoader()
            .describe(binding)
            .resolve()
            .getDeclaredMethods()
            .filter(ElementMatchers.isNative())) {
      String function = each.getName().replaceFirst("Native$", "");
      if (CallRow.isFunction(function) && !CONSTANTS.contains(function)) {
        natives
            .computeIfAbsent(function, key -> new ArrayList<>())
            .add(
                MethodType.fromMethodDescriptorString(
                    each.getDescriptor(), FunctionTableTest.class.getClassLoader()));
      }
    }
    return natives;
  }

  @Test
  @DisplayName("57.7 has each native method of the bindings, and others only of newer presets")
  void complete() {
    TreeSet<String> natives = new TreeSet<>();
    bindings().forEach(binding -> natives.addAll(natives(binding).keySet()));
    assertTrue(natives.size() > 800, natives.size() + " natives");
    TreeSet<String> rows = new TreeSet<>(CallRow.all().keySet());
    rows.removeIf(each -> !natives.contains(each) && isNewer(each));
    assertEquals(natives, rows);
  }

  private static boolean isNewer(String function) {
    return Objects.requireNonNull(CallRow.find(function)).reason().endsWith("(CUDA 13.3)");
  }

  @ParameterizedTest
  @MethodSource("bindings")
  @DisplayName("names a handler that takes the arguments of each form of a function, or a reason")
  void handlers(String name) throws ReflectiveOperationException {
    Binding binding = NativeCalls.bindingOf(name);
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, List<MethodType>> each : natives(name).entrySet()) {
      CallRow row = Objects.requireNonNull(CallRow.find(each.getKey()), each.getKey());
      boolean isUsed = row.isSimulated() && (binding == Binding.JAVACPP || !row.onlyInJavaCpp());
      for (MethodType type : each.getValue()) {
        MethodHandle handler = isUsed ? NativeCalls.handler(binding, row, type) : null;
        if (isUsed ? handler == null : !row.isSimulated() && row.reason().isBlank()) {
          wrong.add(row.function() + type);
        }
      }
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  @DisplayName("uses each handler")
  void used() {
    Set<String> wanted =
        CallRow.all().values().stream().map(CallRow::handler).collect(Collectors.toSet());
    for (Binding each : Binding.values()) {
      assertTrue(wanted.containsAll(NativeCalls.handlers(each).keySet()));
    }
  }

  @Test
  @DisplayName("makes a call that is not simulated an error that names it")
  void refused() {
    UnsupportedOperationException refused =
        assertThrows(
            UnsupportedOperationException.class, () -> JCudaDriver.cuArrayDestroy(new CUarray()));
    assertEquals("cuArrayDestroy is not simulated: CUDA arrays", refused.getMessage());
  }
}
