package org.vramkit.sim.program;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.CheckerOptions;

/**
 * The checker's options by name. By reflection over the record, so that an option that is added is
 * stored and printed without anybody having to think of it.
 */
public final class CheckerFields {
  private CheckerFields() {}

  /** All options, in the order of the record: truths, whole numbers, and constants of enums. */
  public static Map<String, Object> of(CheckerOptions options) {
    Objects.requireNonNull(options, "options");
    Map<String, Object> values = new LinkedHashMap<>();
    for (RecordComponent component : CheckerOptions.class.getRecordComponents()) {
      try {
        values.put(component.getName(), component.getAccessor().invoke(options));
      } catch (IllegalAccessException | InvocationTargetException e) {
        throw new IllegalStateException("a public record cannot be read", e);
      }
    }
    return values;
  }

  /** The defaults, but for the options that are given: truths, numbers, names of constants. */
  static CheckerOptions with(Map<String, Object> given) {
    RecordComponent[] components = CheckerOptions.class.getRecordComponents();
    Map<String, Object> values = of(CheckerOptions.DEFAULT);
    given.forEach(
        (name, value) -> {
          Object known = values.get(name);
          if (known == null) {
            throw new InvalidArgumentException(
                "the checker has no option '" + name + "'; it has " + values.keySet());
          }
          values.put(name, converted(name, value, known));
        });
    try {
      return CheckerOptions.class
          .getDeclaredConstructor(
              Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new))
          .newInstance(values.values().toArray());
    } catch (ReflectiveOperationException e) {
      throw new InvalidArgumentException("the checker refuses the options " + values + ": " + e);
    }
  }

  private static Object converted(String name, Object value, Object like) {
    if (like instanceof Boolean && value instanceof Boolean) {
      return value;
    }
    if (like instanceof Integer && value instanceof Long number && number == number.intValue()) {
      return number.intValue();
    }
    if (like instanceof Long && value instanceof Long) {
      return value;
    }
    if (like instanceof Enum<?> constant) {
      for (Object other : constant.getDeclaringClass().getEnumConstants()) {
        if (((Enum<?>) other).name().equals(value)) {
          return other;
        }
      }
    }
    throw new InvalidArgumentException(
        "the checker's option '" + name + "' cannot be " + value + "; its default is " + like);
  }
}
