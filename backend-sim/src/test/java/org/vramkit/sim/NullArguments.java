package org.vramkit.sim;

import java.io.IOException;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Calls everything public with nulls, one at a time. */
final class NullArguments {
  private final List<Object> samples;
  private int tried;

  /** With things of all kinds, as receivers and as the other arguments. */
  NullArguments(List<Object> samples) {
    this.samples = samples;
  }

  /** How many nulls were given. */
  int tried() {
    return tried;
  }

  /** Calls that do not refuse a null by the name of the parameter, one a line. */
  String wrong(List<Class<?>> types) throws ReflectiveOperationException {
    List<String> wrong = new ArrayList<>();
    for (Class<?> type : types) {
      for (Executable call : calls(type).toList()) {
        AnnotatedType[] annotated = call.getAnnotatedParameterTypes();
        Parameter[] parameters = call.getParameters();
        for (int i = 0; i < parameters.length; i++) {
          if (!parameters[i].getType().isPrimitive()
              && !annotated[i].isAnnotationPresent(Nullable.class)) {
            tried++;
            String found = outcome(type, call, parameters, i);
            if (!found.equals(parameters[i].getName())) {
              wrong.add(call + ", " + parameters[i].getName() + ": " + found);
            }
          }
        }
      }
    }
    return String.join("\n", wrong);
  }

  /**
   * The public classes beside one, and in folders beneath it, but for exceptions.
   *
   * @param folders names; empty for the package of the class itself
   */
  static List<Class<?>> publicTypes(Class<?> one, Set<String> folders)
      throws IOException, URISyntaxException {
    Path classes = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path root = classes.resolve(one.getPackageName().replace('.', '/'));
    List<Class<?>> types = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
        Path folder = root.relativize(file.getParent());
        String name =
            classes.relativize(file).toString().replace(file.getFileSystem().getSeparator(), ".");
        if (folders.contains(folder.toString()) && !name.contains("package-info")) {
          types.add(type(name.substring(0, name.length() - ".class".length())));
        }
      }
    }
    types.removeIf(type -> !isPublic(type) || Throwable.class.isAssignableFrom(type));
    return types;
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new LinkageError("a class that was just listed", e);
    }
  }

  private static boolean isPublic(@Nullable Class<?> type) {
    return type == null
        || (Modifier.isPublic(type.getModifiers()) && isPublic(type.getEnclosingClass()));
  }

  private static Stream<Executable> calls(Class<?> type) {
    Set<String> ofLanguage = Set.of("equals", "valueOf", "compareTo");
    return Stream.concat(
            Arrays.stream(type.getConstructors()), Arrays.stream(type.getDeclaredMethods()))
        .filter(call -> Modifier.isPublic(call.getModifiers()) && !call.isSynthetic())
        .filter(call -> !ofLanguage.contains(call.getName()))
        .map(Executable.class::cast);
  }

  private Object sample(Class<?> type) {
    if (type == int.class) {
      return 1;
    }
    if (type == long.class) {
      return 1L;
    }
    if (type == byte.class) {
      return (byte) 1;
    }
    if (type == double.class) {
      return 1.0;
    }
    if (type == boolean.class) {
      return true;
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    return samples.stream()
        .filter(type::isInstance)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no sample of " + type));
  }

  /** What a call with a null in place of one argument says. */
  private String outcome(Class<?> type, Executable call, Parameter[] parameters, int nothing)
      throws ReflectiveOperationException {
    @Nullable Object[] arguments = new @Nullable Object[parameters.length];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = i == nothing ? null : sample(parameters[i].getType());
    }
    try {
      if (call instanceof java.lang.reflect.Constructor<?> constructor) {
        constructor.newInstance(arguments);
      } else {
        Method method = (Method) call;
        method.setAccessible(true);
        method.invoke(Modifier.isStatic(call.getModifiers()) ? null : sample(type), arguments);
      }
      return "nothing is thrown";
    } catch (InvocationTargetException e) {
      return e.getCause() instanceof NullPointerException refusal
          ? String.valueOf(refusal.getMessage())
          : String.valueOf(e.getCause());
    }
  }
}
