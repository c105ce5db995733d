package org.vramkit.tools;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jgrapht.Graph;
import org.jgrapht.alg.connectivity.KosarajuStrongConnectivityInspector;
import org.jgrapht.graph.DefaultEdge;
import org.jgrapht.graph.SimpleDirectedGraph;

/**
 * Which classes of the project on the class path refer to which others, by {@code jdeps}. It reads
 * the constants of class files, so it sees casts, arrays and patterns too, which ArchUnit 1.5.0
 * does not.
 */
final class Dependencies {
  private static final Pattern ARROW = Pattern.compile("\\s+->\\s+");

  private final Map<String, Set<String>> uses = new TreeMap<>();

  Dependencies() {
    try {
      Path jar = Files.createTempFile("classes", ".jar");
      write(jar);
      read(jar);
      Files.delete(jar);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Dependencies(Path file) {
    read(file);
  }

  private void read(Path file) {
    StringWriter out = new StringWriter();
    int code =
        ToolProvider.findFirst("jdeps")
            .orElseThrow(() -> new IllegalStateException("no jdeps; run the tests on a JDK"))
            .run(
                new PrintWriter(out),
                new PrintWriter(out),
                "-verbose:class",
                "-filter:none",
                file.toString());
    if (code != 0) {
      throw new IllegalStateException("jdeps: " + out);
    }
    out.toString().lines().forEach(this::read);
  }

  /**
   * Writes all classes to one jar: jdeps takes a folder with a descriptor for a whole module, and
   * ten times as long for a thousand files.
   */
  private static void write(Path jar) throws IOException {
    List<Path> folders =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .map(Path::of)
            .map(Dependencies::classesOf)
            .filter(entry -> entry.endsWith(Path.of("target", "classes")))
            .distinct()
            .toList();
    Set<String> names = new TreeSet<>();
    try (ZipOutputStream target = new ZipOutputStream(Files.newOutputStream(jar))) {
      target.setLevel(0);
      for (Path folder : folders) {
        for (Path file : classFiles(folder)) {
          String name = folder.relativize(file).toString().replace(File.separatorChar, '/');
          if (names.add(name)) {
            target.putNextEntry(new ZipEntry(name));
            Files.copy(file, target);
          }
        }
      }
    }
  }

  /** Returns the classes that a jar of this build was made of; other entries as they are. */
  private static Path classesOf(Path entry) {
    Path folder = entry.getParent();
    return folder != null && folder.endsWith("target") ? folder.resolve("classes") : entry;
  }

  private static List<Path> classFiles(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(
              file ->
                  file.toString().endsWith(".class") && !file.toString().endsWith("-info.class"))
          .toList();
    }
  }

  /** Returns the classes that a class of the tests refers to. */
  static Set<String> ofClass(Class<?> type) {
    String file = "target/test-classes/" + type.getName().replace('.', '/') + ".class";
    return new Dependencies(Path.of(file)).uses.getOrDefault(type.getName(), Set.of());
  }

  /** Reads a line: a class, an arrow, a class, and the archive or module of the latter. */
  private void read(String line) {
    String[] sides = ARROW.split(line.strip(), 2);
    if (line.startsWith("   ") && sides.length == 2) {
      uses.computeIfAbsent(sides[0], any -> new TreeSet<>()).add(sides[1].split("\\s", 2)[0]);
    }
  }

  /** Returns the classes, with nested ones. */
  Collection<String> classes() {
    return uses.keySet();
  }

  /**
   * Returns a line for each use of a class of one package by another, within some packages.
   *
   * @param from names of packages; ending in {@code ..} with those below
   * @param but packages among them that may
   * @param to used packages, as {@code from}
   */
  List<String> of(List<String> from, List<String> but, List<String> to) {
    return find(from, but, used -> isIn(used, to));
  }

  /** Returns a line for each use of a class outside of some packages, as of {@link #of}. */
  List<String> beyond(List<String> from, List<String> allowed) {
    return find(from, List.of(), used -> !isIn(used, allowed));
  }

  private List<String> find(List<String> from, List<String> but, Predicate<String> isForbidden) {
    List<String> found = new ArrayList<>();
    uses.forEach(
        (type, others) -> {
          if (isIn(type, from) && !isIn(type, but)) {
            others.stream()
                .filter(isForbidden)
                .forEach(other -> found.add(type + " uses " + other));
          }
        });
    return found;
  }

  private static boolean isIn(String type, List<String> packages) {
    String own = packageOf(type);
    return packages.stream()
        .anyMatch(
            each ->
                each.endsWith("..")
                    ? (own + ".").startsWith(each.substring(0, each.length() - 1))
                    : own.equals(each));
  }

  static String packageOf(String type) {
    return type.substring(0, Math.max(0, type.lastIndexOf('.')));
  }

  static String outermost(String type) {
    int nested = type.indexOf('$');
    return nested < 0 ? type : type.substring(0, nested);
  }

  /**
   * Returns the groups of more than one that all refer to each other, directly or by way of others.
   *
   * @param groupOf the group of an outermost class of the project
   * @param withinPackages whether only uses within a package count
   */
  List<Set<String>> cycles(Function<String, String> groupOf, boolean withinPackages) {
    Graph<String, DefaultEdge> graph = new SimpleDirectedGraph<>(DefaultEdge.class);
    uses.forEach(
        (type, others) -> {
          String from = groupOf.apply(outermost(type));
          graph.addVertex(from);
          for (String other : others) {
            String to = groupOf.apply(outermost(other));
            boolean isCounted =
                uses.containsKey(other)
                    && (!withinPackages || packageOf(type).equals(packageOf(other)));
            if (isCounted && !to.equals(from)) {
              graph.addVertex(to);
              graph.addEdge(from, to);
            }
          }
        });
    return new KosarajuStrongConnectivityInspector<>(graph)
        .stronglyConnectedSets().stream().filter(cycle -> cycle.size() > 1).toList();
  }
}
