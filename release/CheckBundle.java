import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * Checks a bundle against the rules of Maven Central and the project's own, and prints a line for
 * each. Ends with 1 if a rule is broken.
 *
 * <p>usage: {@code java CheckBundle.java BUNDLE.zip FOLDER}, which unpacks the bundle into the
 * folder. Signatures are verified by {@code gpg} and the keys it knows.
 *
 * @see <a href="https://central.sonatype.org/publish/requirements/">the rules</a>
 */
final class CheckBundle {
  private static final long LARGEST = 1L << 30;
  private static final long LARGEST_OF_FIVE_LINES = 1_200_000;
  private static final long LARGEST_ON_SIMULATOR = 1_800_000;
  private static final int JAVA_17 = 61;
  private static final int JAVA_22 = 66;
  private static final Set<String> FOR_JAVA_22 = Set.of("vramkit-backend-ffm", "vramkit-interop");
  private static final String OWN_VERSION = "${project.version}";
  private static final Set<String> CHECKSUMS = Set.of("md5", "sha1", "sha256", "sha512");

  /** One published artifact: the folder {@code org/vramkit/NAME/VERSION}. */
  private record Artifact(Path folder, Element pom) {
    String name() {
      return folder.getParent().getFileName().toString();
    }

    String version() {
      return folder.getFileName().toString();
    }

    boolean hasClasses() {
      return !Set.of("pom", "maven-archetype").contains(text(pom, "packaging"));
    }

    Path file(String suffix) {
      return folder.resolve(name() + "-" + version() + suffix);
    }
  }

  private final Path root;
  private final List<Path> files;
  private final List<Artifact> artifacts;
  private boolean isBroken;

  private CheckBundle(Path root) throws IOException {
    this.root = root;
    try (Stream<Path> all = Files.walk(root)) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    }
    List<Artifact> found = new ArrayList<>();
    for (Path file : files) {
      if (file.toString().endsWith(".pom")) {
        found.add(new Artifact(file.getParent(), parse(Files.readAllBytes(file))));
      }
    }
    artifacts = List.copyOf(found);
  }

  public static void main(String[] args) throws IOException {
    if (args.length != 2 || !Files.isRegularFile(Path.of(args[0]))) {
      System.err.println(
          "usage: java CheckBundle.java BUNDLE.zip FOLDER; './mvnw -Prelease verify' makes the"
              + " bundle");
      System.exit(2);
    }
    Path bundle = Path.of(args[0]);
    Path root = Path.of(args[1]);
    unpack(bundle, root);
    CheckBundle check = new CheckBundle(root);
    check.all(Files.size(bundle));
    System.out.printf(
        "%s: %d artifacts, %d files, %.1f MB%n",
        bundle.normalize(), check.artifacts.size(), check.files.size(), Files.size(bundle) / 1e6);
    System.exit(check.isBroken ? 1 : 0);
  }

  private static void unpack(Path bundle, Path root) throws IOException {
    if (Files.exists(root)) {
      try (Stream<Path> old = Files.walk(root)) {
        for (Path each : old.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
    Files.createDirectories(root);
    try (ZipFile zip = new ZipFile(bundle.toFile())) {
      for (ZipEntry entry : zip.stream().filter(each -> !each.isDirectory()).toList()) {
        Path target = root.resolve(entry.getName()).normalize();
        if (!target.startsWith(root.normalize())) {
          throw new IOException("the bundle has an entry outside of itself: " + entry.getName());
        }
        Files.createDirectories(target.getParent());
        try (InputStream content = zip.getInputStream(entry)) {
          Files.copy(content, target);
        }
      }
    }
  }

  private void all(long size) throws IOException {
    rule("the bundle has artifacts", List.of("no pom"), problem -> artifacts.isEmpty());
    rule("it is smaller than 1 GiB", List.of(size + " bytes"), problem -> size >= LARGEST);
    rule("files are named by coordinates", files, file -> !isNamedByCoordinates(file));
    rule("poms state the coordinates of their folder", artifacts, this::hasOtherCoordinates);
    rule("no version is a snapshot", artifacts, a -> a.version().endsWith("-SNAPSHOT"));
    rule(
        "jars are there and have classes",
        artifacts,
        a -> a.hasClasses() && packages(a).isEmpty());
    rule("sources are there for each package", artifacts, a -> a.hasClasses() && lacksSources(a));
    rule("Javadoc is there for each exported package", artifacts, CheckBundle::lacksJavadoc);
    rule("MD5 of every file is there and right", files, file -> hasWrongChecksum(file, "MD5"));
    rule("SHA-1 of every file is there and right", files, file -> hasWrongChecksum(file, "SHA-1"));
    signatures();
    for (String element : List.of("name", "description", "url")) {
      rule("poms have " + element, artifacts, a -> text(a.pom(), element).isEmpty());
    }
    rule(
        "poms have a licence, name and url",
        artifacts,
        a -> lacks(a, "licenses/license", "name", "url"));
    rule("poms have developers", artifacts, a -> lacks(a, "developers/developer", "name"));
    rule(
        "poms have scm, two connections and url",
        artifacts,
        a -> lacks(a, "scm", "connection", "developerConnection", "url"));
    rule("poms have no parent, all is in them", artifacts, a -> child(a.pom(), "parent") != null);
    rule(
        "poms have no property to resolve but their version",
        artifacts,
        a -> read(a.file(".pom")).replace(OWN_VERSION, "").contains("${"));
    rule("poms name no snapshot", artifacts, a -> read(a.file(".pom")).contains("-SNAPSHOT"));
    rule(
        "poms name no repository",
        artifacts,
        a ->
            child(a.pom(), "repositories") != null || child(a.pom(), "pluginRepositories") != null);
    rule("poms depend on nothing of tests", artifacts, a -> dependencies(a).contains("test"));
    rule("the BOM names what is here and nothing else", List.of(bom()), diff -> !diff.isEmpty());
    rule("jars have a module name", artifacts, a -> a.hasClasses() && !hasModuleName(a));
    rule("jars run on Java 17, two on Java 22", artifacts, a -> a.hasClasses() && !runs(a));
    rule(
        "api, pool and ffm are smaller than 1.2 MB",
        List.of("backend-cuda, backend-ffm"),
        each -> sizeOfFiveLines("backend-cuda", "backend-ffm") > LARGEST_OF_FIVE_LINES);
    rule(
        "api, pool and the simulator are smaller than 1.8 MB",
        List.of("backend-sim, ptx"),
        each -> sizeOfFiveLines("backend-sim", "ptx") > LARGEST_ON_SIMULATOR);
    rule(
        "jars have a bill of materials, CycloneDX",
        artifacts,
        a -> a.hasClasses() && lacksMaterials(a));
    rule("vramkit.jar has the licence of all that is in it", artifacts, this::lacksLicenses);
    rule(
        "jars hold no file's own time, so that they are reproducible",
        files.stream().filter(file -> file.toString().endsWith(".jar")).toList(),
        this::hasOwnTimes);
  }

  /** Prints whether all of some things keep a rule, or which break it. */
  private <T> void rule(String rule, List<T> all, Predicate<T> isBroken) {
    List<String> broken = all.stream().filter(isBroken).map(this::name).toList();
    print(broken.isEmpty() ? "ok" : "BROKEN", rule, broken.isEmpty() ? "" : ": " + broken);
    this.isBroken |= !broken.isEmpty();
  }

  private static void print(String result, String rule, String detail) {
    System.out.printf("%-8s%s%s%n", result, rule, detail);
  }

  private String name(Object thing) {
    if (thing instanceof Artifact artifact) {
      return artifact.name();
    }
    return thing instanceof Path file ? root.relativize(file).toString() : thing.toString();
  }

  private boolean isNamedByCoordinates(Path file) {
    Path version = file.getParent();
    Path artifact = version.getParent();
    return artifact.getParent().equals(root.resolve("org/vramkit"))
        && file.getFileName()
            .toString()
            .startsWith(artifact.getFileName() + "-" + version.getFileName());
  }

  private boolean hasOtherCoordinates(Artifact artifact) {
    Element pom = artifact.pom();
    return !text(pom, "groupId").equals("org.vramkit")
        || !text(pom, "artifactId").equals(artifact.name())
        || !text(pom, "version").equals(artifact.version());
  }

  /** The names of a jar's files; none if it is missing. */
  private static Set<String> entries(Path jar) {
    if (!Files.isRegularFile(jar)) {
      return Set.of();
    }
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      return zip.stream()
          .filter(entry -> !entry.isDirectory() && entry.getSize() != 0)
          .map(ZipEntry::getName)
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(jar.toString(), e);
    }
  }

  /** The folders that hold classes of an artifact's jar. */
  private static Set<String> packages(Artifact artifact) {
    return entries(artifact.file(".jar")).stream()
        .filter(name -> name.endsWith(".class") && !name.startsWith("META-INF/"))
        .filter(name -> name.contains("/"))
        .map(name -> name.substring(0, name.lastIndexOf('/') + 1))
        .collect(Collectors.toSet());
  }

  private static boolean lacksSources(Artifact artifact) {
    Set<String> sources = entries(artifact.file("-sources.jar"));
    return !packages(artifact).stream()
        .allMatch(
            folder ->
                sources.stream()
                    .anyMatch(
                        name ->
                            name.startsWith(folder) && name.matches(".*/\\w[\\w-]*\\.(java|kt)")));
  }

  /** Whether there is no page for a package that users see, by Javadoc or by Dokka. */
  private static boolean lacksJavadoc(Artifact artifact) {
    if (!artifact.hasClasses()) {
      return false;
    }
    Set<String> pages =
        entries(artifact.file("-javadoc.jar")).stream()
            .filter(name -> name.endsWith(".html"))
            .collect(Collectors.toSet());
    return !pages.contains("index.html")
        || !exported(artifact).stream()
            .allMatch(
                name ->
                    pages.stream()
                        .anyMatch(
                            page ->
                                page.endsWith(name.replace('.', '/') + "/package-summary.html")
                                    || page.endsWith(name + "/index.html")));
  }

  /** The packages that a module exports: all of one without a descriptor. */
  private static Set<String> exported(Artifact artifact) {
    ModuleDescriptor module =
        ModuleFinder.of(artifact.file(".jar")).findAll().iterator().next().descriptor();
    return module.isAutomatic()
        ? module.packages()
        : module.exports().stream()
            .filter(export -> !export.isQualified())
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toSet());
  }

  private static boolean lacks(Artifact artifact, String path, String... elements) {
    Element element = artifact.pom();
    for (String step : path.split("/")) {
      element = element == null ? null : child(element, step);
    }
    Element holder = element;
    return holder == null || Stream.of(elements).anyMatch(each -> text(holder, each).isEmpty());
  }

  /** Whether a file is one of its own, not a checksum or a signature of another. */
  private static boolean isContent(Path file) {
    String name = file.getFileName().toString();
    String extension = name.substring(name.lastIndexOf('.') + 1);
    return !CHECKSUMS.contains(extension) && !extension.equals("asc");
  }

  private static boolean hasWrongChecksum(Path file, String algorithm) {
    if (!isContent(file)) {
      return false;
    }
    Path sum =
        file.resolveSibling(file.getFileName() + "." + algorithm.replace("-", "").toLowerCase());
    if (!Files.exists(sum)) {
      return true;
    }
    try {
      byte[] digest = MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file));
      return !read(sum).strip().equals(HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has " + algorithm, e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void signatures() {
    if (files.stream().noneMatch(file -> file.toString().endsWith(".asc"))) {
      print(
          "NO KEY",
          "files are signed",
          ": Central refuses this bundle; put a key into MAVEN_GPG_KEY");
      return;
    }
    rule(
        "files are signed, and gpg finds each signature right",
        files,
        file -> isContent(file) && !isSigned(file));
  }

  private static boolean isSigned(Path file) {
    Path signature = file.resolveSibling(file.getFileName() + ".asc");
    try {
      return Files.exists(signature)
          && new ProcessBuilder("gpg", "--batch", "--verify", signature.toString(), file.toString())
                  .redirectErrorStream(true)
                  .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                  .start()
                  .waitFor()
              == 0;
    } catch (IOException e) {
      throw new UncheckedIOException("gpg verifies signatures; install it", e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while gpg ran", e);
    }
  }

  private static String dependencies(Artifact artifact) {
    Element dependencies = child(artifact.pom(), "dependencies");
    return dependencies == null
        ? ""
        : children(dependencies).map(each -> text(each, "scope")).collect(Collectors.joining(" "));
  }

  /** What the BOM names and the bundle lacks, and the other way round. */
  private String bom() {
    Map<String, String> here = new TreeMap<>();
    artifacts.stream().filter(Artifact::hasClasses).forEach(a -> here.put(a.name(), a.version()));
    Map<String, String> named = new TreeMap<>();
    for (Artifact artifact : artifacts) {
      if (artifact.name().equals("vramkit-bom")) {
        children(child(child(artifact.pom(), "dependencyManagement"), "dependencies"))
            .forEach(
                each ->
                    named.put(
                        text(each, "artifactId"),
                        text(each, "version").replace(OWN_VERSION, artifact.version())));
      }
    }
    return named.equals(here) ? "" : "it names " + named + ", here are " + here;
  }

  private static boolean hasModuleName(Artifact artifact) {
    Path jar = artifact.file(".jar");
    try (JarFile file = new JarFile(jar.toFile())) {
      Manifest manifest = file.getManifest();
      boolean isNamed =
          manifest != null
              && manifest.getMainAttributes().getValue("Automatic-Module-Name") != null;
      return (isNamed || file.getEntry("module-info.class") != null)
          && ModuleFinder.of(jar).findAll().size() == 1;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean runs(Artifact artifact) {
    int limit = FOR_JAVA_22.contains(artifact.name()) ? JAVA_22 : JAVA_17;
    return classVersions(artifact.file(".jar")).allMatch(version -> version <= limit);
  }

  private static Stream<Integer> classVersions(Path jar) {
    Set<Integer> versions = new TreeSet<>();
    each(
        jar,
        entry -> entry.getName().endsWith(".class"),
        content -> versions.add((content[6] & 0xff) << 8 | content[7] & 0xff));
    return versions.stream();
  }

  /** The bytes that README's five lines need of Vramkit, with what makes up a backend. */
  private long sizeOfFiveLines(String... backend) {
    return artifacts.stream()
        .filter(Artifact::hasClasses)
        .filter(
            artifact ->
                Stream.concat(Stream.of("api", "pool"), Stream.of(backend))
                    .anyMatch(module -> artifact.name().equals("vramkit-" + module)))
        .mapToLong(artifact -> artifact.file(".jar").toFile().length())
        .sum();
  }

  private static boolean lacksMaterials(Artifact artifact) {
    Path materials = artifact.file("-cyclonedx.json");
    return !Files.exists(materials) || !read(materials).contains("\"bomFormat\" : \"CycloneDX\"");
  }

  /** Whether a third-party artifact in vramkit.jar comes without a text of its licence. */
  private boolean lacksLicenses(Artifact artifact) {
    Path jar = artifact.file("-cli.jar");
    if (!artifact.name().equals("vramkit-tools")) {
      return false;
    }
    Set<String> folders = new TreeSet<>();
    List<String> table = new ArrayList<>();
    each(
        jar,
        entry -> entry.getName().startsWith("META-INF/licenses/"),
        content -> table.add(new String(content)),
        entry -> folders.add(entry.getName().split("/")[2]));
    List<String> others =
        table.stream()
            .flatMap(String::lines)
            .map(String::strip)
            .filter(line -> line.startsWith("(") && line.contains(" - http"))
            // The text of Apache's licence is that of Vramkit itself.
            .filter(line -> !line.startsWith("(The Apache") && !line.startsWith("(Apache"))
            .map(line -> line.replaceAll(".*\\([^:(]+:([^:]+):.*", "$1"))
            .toList();
    return others.isEmpty()
        || others.stream().anyMatch(name -> folders.stream().noneMatch(name::startsWith));
  }

  /** Whether an entry's time is that of the build, which is minutes old. */
  private boolean hasOwnTimes(Path jar) {
    List<String> recent = new ArrayList<>();
    long hourAgo = System.currentTimeMillis() - 3_600_000;
    each(jar, entry -> entry.getTime() > hourAgo, content -> recent.add(""));
    return !recent.isEmpty();
  }

  private static void each(Path jar, Predicate<ZipEntry> wanted, Function<byte[], Object> read) {
    each(jar, wanted, read, entry -> entry);
  }

  private static void each(
      Path jar,
      Predicate<ZipEntry> wanted,
      Function<byte[], Object> read,
      Function<ZipEntry, Object> note) {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : zip.stream().filter(e -> !e.isDirectory()).filter(wanted).toList()) {
        note.apply(entry);
        try (InputStream content = zip.getInputStream(entry)) {
          read.apply(content.readAllBytes());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Element parse(byte[] xml) {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      return factory.newDocumentBuilder().parse(new ByteArrayInputStream(xml)).getDocumentElement();
    } catch (Exception e) {
      throw new IllegalStateException("a pom that is no XML", e);
    }
  }

  private static Stream<Element> children(Element parent) {
    NodeList nodes = parent.getChildNodes();
    return IntStream.range(0, nodes.getLength())
        .mapToObj(nodes::item)
        .filter(node -> node.getNodeType() == Node.ELEMENT_NODE)
        .map(Element.class::cast);
  }

  private static Element child(Element parent, String name) {
    return children(parent).filter(each -> each.getTagName().equals(name)).findFirst().orElse(null);
  }

  private static String text(Element parent, String name) {
    Element child = child(parent, name);
    return child == null ? "" : child.getTextContent().strip();
  }
}
