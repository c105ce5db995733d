package org.vramkit.agent;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import jcuda.Pointer;
import jcuda.driver.CUhostFn;
import jcuda.runtime.cudaHostFn;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.agent.Arguments.Binding;

@DisplayName("An earlier version of a binding")
class EarlierBindingsTest {
  @Test
  @DisplayName("of JCuda, which has no host functions, gets its other arguments")
  void withoutHostFunctions() throws ReflectiveOperationException {
    ClassLoader earlier = new Without(Set.of(CUhostFn.class, cudaHostFn.class));
    assertThrows(ClassNotFoundException.class, () -> earlier.loadClass(CUhostFn.class.getName()));
    Class<?> binding = earlier.loadClass(Binding.class.getName());
    Method find =
        earlier
            .loadClass(ArgumentAdapters.class.getName())
            .getDeclaredMethod("find", binding, Class.class, Class.class);
    find.setAccessible(true);
    assertNotNull(
        find.invoke(
            null,
            Stream.of(binding.getEnumConstants())
                .filter(each -> each.toString().equals(Binding.JCUDA.name()))
                .findFirst()
                .orElseThrow(),
            Pointer.class,
            earlier.loadClass(CudaPointer.class.getName())));
  }

  /** Has the agent's classes, as they are beside a binding that lacks some of its own. */
  private static final class Without extends ClassLoader {
    private final Set<Class<?>> missing;

    Without(Set<Class<?>> missing) {
      super(EarlierBindingsTest.class.getClassLoader());
      this.missing = missing;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (missing.stream().anyMatch(each -> each.getName().equals(name))) {
        throw new ClassNotFoundException(name);
      }
      Class<?> known = findLoadedClass(name);
      if (known != null || !name.startsWith(CudaAgent.class.getPackageName())) {
        return known != null ? known : super.loadClass(name, resolve);
      }
      String file = name.replace('.', '/') + ".class";
      try (InputStream from = Objects.requireNonNull(getParent().getResourceAsStream(file), file)) {
        byte[] bytes = from.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
