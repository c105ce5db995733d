package org.vramkit.agent;

import java.lang.reflect.Field;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.bytedeco.javacpp.Loader;

/** Prints the sizes and offsets of structs that JavaCPP's native library for CUDA knows. */
final class RealLayouts {
  private static final String PACKAGE = "org.bytedeco.cuda.cudart.";

  private RealLayouts() {}

  @SuppressWarnings("unchecked")
  public static void main(String[] arguments) throws ReflectiveOperationException {
    System.load(arguments[0]);
    Field known = Loader.class.getDeclaredField("memberOffsets");
    known.setAccessible(true);
    Map<Class<?>, Map<String, Integer>> layouts =
        (Map<Class<?>, Map<String, Integer>>) known.get(null);
    Map<String, String> lines = new TreeMap<>();
    layouts.forEach(
        (type, offsets) -> {
          if (type.getName().startsWith(PACKAGE)) {
            lines.put(type.getSimpleName(), offsets.get("sizeof") + fields(offsets));
          }
        });
    lines.forEach((name, line) -> System.out.println(name + " " + line));
  }

  private static String fields(Map<String, Integer> offsets) {
    Comparator<Map.Entry<String, Integer>> order = Map.Entry.comparingByValue();
    return offsets.entrySet().stream()
        .filter(each -> !each.getKey().equals("sizeof"))
        .sorted(order.thenComparing(Map.Entry.comparingByKey()))
        .map(each -> " " + each.getKey() + "=" + each.getValue())
        .collect(Collectors.joining());
  }
}
