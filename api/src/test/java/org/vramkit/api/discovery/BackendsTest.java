package org.vramkit.api.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.api.spi.BackendProvider;

/** With the real service loader, over a class path of its own for each test. */
@DisplayName("Backends")
class BackendsTest {
  private final Thread thread = Thread.currentThread();
  private final ClassLoader before = thread.getContextClassLoader();
  @TempDir private Path classPath;

  /** Works. */
  public static final class Working extends FakeProvider {
    public Working() {
      super("working", 10);
    }
  }

  /** Works, too. */
  public static final class Better extends FakeProvider {
    public Better() {
      super("better", 20);
    }
  }

  /** Cannot be constructed, as with a class that it needs missing. */
  public static final class Unlinked extends FakeProvider {
    public Unlinked() {
      super(missing(), 30);
    }

    private static String missing() {
      throw new NoClassDefFoundError("org/example/Binding");
    }
  }

  /** Fails when it is asked for its name. */
  public static final class Nameless extends FakeProvider {
    public Nameless() {
      super("nameless", 30);
    }

    @Override
    public String getName() {
      throw new UnsatisfiedLinkError("no example in java.library.path");
    }
  }

  @BeforeEach
  @AfterEach
  void restore() {
    thread.setContextClassLoader(before);
    System.clearProperty(Backends.PROPERTY);
  }

  private URLClassLoader offer(ClassLoader parent, String... providers) throws IOException {
    Path services = Files.createDirectories(classPath.resolve("META-INF/services"));
    Files.write(services.resolve(BackendProvider.class.getName()), List.of(providers));
    URLClassLoader loader = new URLClassLoader(new URL[] {classPath.toUri().toURL()}, parent);
    thread.setContextClassLoader(loader);
    return loader;
  }

  @Test
  @DisplayName("finds providers through the context class loader, best first")
  void contextClassLoader() throws IOException {
    try (URLClassLoader loader = offer(before, Working.class.getName(), Better.class.getName())) {
      assertEquals("better", Backends.open().getName());
      assertEquals("working", Backends.open("working").getName());
      assertEquals(
          List.of("better", "working"),
          Backends.list().stream().map(BackendDescription::name).toList());
      assertEquals(loader, thread.getContextClassLoader());
    }
  }

  @Test
  @DisplayName("obeys the system property, and a call beats it")
  void systemProperty() throws IOException {
    try (URLClassLoader loader = offer(before, Working.class.getName(), Better.class.getName())) {
      assertNull(Backends.getConfiguredName());
      System.setProperty(Backends.PROPERTY, "working");
      assertEquals("working", Backends.getConfiguredName());
      assertEquals("working", Backends.open().getName());
      assertEquals("better", Backends.open("better").getName());
      System.setProperty(Backends.PROPERTY, "wroking");
      assertThrows(BackendNotAvailableException.class, Backends::open);
      assertEquals(loader, thread.getContextClassLoader());
    }
  }

  @Test
  @DisplayName("a provider that fails to load, link or name itself costs only itself")
  void brokenProviders() throws IOException {
    try (URLClassLoader loader =
        offer(
            new Unlinkable(before),
            Unlinked.class.getName(),
            "org.example.NotThere",
            Nameless.class.getName(),
            Unlinkable.NAME,
            Working.class.getName())) {
      assertEquals("working", Backends.open().getName());
      BackendNotAvailableException error =
          assertThrows(BackendNotAvailableException.class, () -> Backends.open("other"));
      String failures = String.valueOf(error.getMessage());
      for (String part :
          List.of(
              "VRK-B004", "org/example/Binding", "java.library.path", "bad magic", "Unlinkable")) {
        assertTrue(failures.contains(part), () -> part + " in: " + failures);
      }
      assertTrue(
          Backends.list().stream()
              .filter(each -> each.name().equals(BackendDescription.UNNAMED))
              .anyMatch(each -> each.reason().contains("org/example/Binding")));
      assertEquals(loader, thread.getContextClassLoader());
    }
  }

  /** A web application's loader: has a copy of its own of some classes, before its parent's. */
  private static final class ChildFirst extends URLClassLoader {
    private final List<String> copied;

    ChildFirst(ClassLoader parent, Class<?>... copied) {
      super(
          Arrays.stream(copied)
              .map(each -> each.getProtectionDomain().getCodeSource().getLocation())
              .distinct()
              .toArray(URL[]::new),
          parent);
      this.copied = Arrays.stream(copied).map(Class::getName).toList();
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (copied.stream().noneMatch(name::startsWith)) {
        return super.loadClass(name, resolve);
      }
      Class<?> known = findLoadedClass(name);
      return known == null ? findClass(name) : known;
    }
  }

  @Test
  @DisplayName("42.18 of one backend with two copies uses the context class loader's, and no error")
  void copies() throws Exception {
    try (URLClassLoader container = offer(before, Working.class.getName());
        ChildFirst application = new ChildFirst(container, Working.class, FakeProvider.class)) {
      BackendScan scan = BackendScan.of(List.of(application, container));
      assertEquals(List.of(), scan.failures());
      assertEquals(1, scan.candidates().size());
      Object chosen = scan.candidates().get(0).provider();
      assertEquals((ClassLoader) application, chosen.getClass().getClassLoader());
      BackendSelector selector = new BackendSelector(scan, (level, line) -> {});
      assertEquals("working", selector.open(null).getName());
    }
  }

  @Test
  @DisplayName("42.18 of a copy that has the interfaces twice tells the jar and the class loader")
  void copyOfAll() throws Exception {
    try (URLClassLoader container = offer(before, Working.class.getName());
        ChildFirst application =
            new ChildFirst(container, Working.class, FakeProvider.class, BackendProvider.class)) {
      BackendScan scan = BackendScan.of(List.of(application, container));
      assertEquals(1, scan.candidates().size());
      assertEquals(1, scan.failures().size());
      String failure = scan.failures().get(0);
      URL jar = BackendProvider.class.getProtectionDomain().getCodeSource().getLocation();
      assertTrue(failure.contains("not a subtype"), failure);
      assertTrue(failure.contains(jar.toString()), failure);
      assertTrue(failure.contains("class loader " + before), failure);
    }
  }

  @Test
  @DisplayName("42.18 if the copy of the context class loader cannot load, the other copy is used")
  void brokenCopy() throws Exception {
    try (URLClassLoader container = offer(before, Working.class.getName())) {
      ClassLoader application =
          new ClassLoader(container) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve)
                throws ClassNotFoundException {
              if (name.equals(Working.class.getName())) {
                throw new NoClassDefFoundError("org/vramkit/api/spi/Missing");
              }
              return super.loadClass(name, resolve);
            }
          };
      BackendScan scan = BackendScan.of(List.of(application, container));
      assertEquals(1, scan.failures().size(), scan::toString);
      assertEquals(1, scan.candidates().size());
      assertEquals(before, scan.candidates().get(0).provider().getClass().getClassLoader());
    }
  }

  @Test
  @DisplayName("works without a context class loader")
  void noContextClassLoader() {
    thread.setContextClassLoader(null);
    assertEquals(List.of(), Backends.list());
    BackendNotAvailableException error =
        assertThrows(BackendNotAvailableException.class, Backends::open);
    assertTrue(String.valueOf(error.getMessage()).startsWith("VRK-B001"), error.getMessage());
  }

  /** A loader in which one class exists and cannot be linked. */
  private static final class Unlinkable extends ClassLoader {
    static final String NAME = "org.example.Unlinkable";

    Unlinkable(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.equals(NAME)) {
        throw new ClassFormatError("bad magic in " + name);
      }
      throw new ClassNotFoundException(name);
    }
  }
}
