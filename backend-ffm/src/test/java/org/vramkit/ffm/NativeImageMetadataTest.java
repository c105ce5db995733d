package org.vramkit.ffm;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The native image metadata of the backend match its code")
class NativeImageMetadataTest {
  private static final String METADATA =
      "/META-INF/native-image/org.vramkit/vramkit-backend-ffm/reachability-metadata.json";

  /** JNI type names, whose layouts are the same on every system, unlike {@code long}. */
  private static final Map<MemoryLayout, String> NAMES =
      Map.of(
          ValueLayout.JAVA_BYTE, "jbyte",
          ValueLayout.JAVA_INT, "jint",
          ValueLayout.JAVA_LONG, "jlong",
          ValueLayout.ADDRESS, "void*");

  /** Names in class files that indicate a use of metadata for native images. */
  private static final Set<String> TOLD =
      Set.of("downcallHandle", "upcallStub", "java/lang/reflect/", "forName", "getResource");

  private static JsonNode metadata() throws IOException {
    try (InputStream file = FfmDriver.class.getResourceAsStream(METADATA)) {
      return new ObjectMapper().readTree(Objects.requireNonNull(file, METADATA));
    }
  }

  private static String lineOf(String result, Stream<String> parameters, boolean critical) {
    return result
        + parameters.collect(Collectors.joining(", ", " (", ")"))
        + (critical ? " critical" : "");
  }

  private static String lineOf(Downcall call) {
    return lineOf(
        call.descriptor.returnLayout().map(NativeImageMetadataTest::nameOf).orElse("void"),
        call.descriptor.argumentLayouts().stream().map(NativeImageMetadataTest::nameOf),
        call.critical);
  }

  private static String nameOf(MemoryLayout layout) {
    return Objects.requireNonNull(NAMES.get(layout), () -> "no name for " + layout);
  }

  private static String lineOf(JsonNode call) {
    JsonNode options = call.path("options");
    if (!options.isMissingNode()) {
      assertEquals("{\"critical\":{\"allowHeapAccess\":false}}", options.toString());
    }
    return lineOf(
        call.get("returnType").textValue(),
        StreamSupport.stream(call.get("parameterTypes").spliterator(), false)
            .map(JsonNode::textValue),
        options.has("critical"));
  }

  @Test
  @DisplayName("23.3 every function that is called is listed by its descriptor, and no other")
  void downcalls() throws IOException {
    List<String> listed = new ArrayList<>();
    metadata().at("/foreign/downcalls").forEach(each -> listed.add(lineOf(each)));
    Set<String> called =
        Arrays.stream(Downcall.values())
            .map(NativeImageMetadataTest::lineOf)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(called, new TreeSet<>(listed), METADATA);
    assertEquals(called.size(), listed.size(), "one line for each");
  }

  @Test
  @DisplayName("23.3 the names of types are those of the JDK's linker")
  void names() {
    Map<String, MemoryLayout> known = Linker.nativeLinker().canonicalLayouts();
    NAMES.forEach(
        (layout, name) ->
            assertTrue(
                name.equals("void*") || layout.equals(known.getOrDefault(name, layout)), name));
  }

  @Test
  @DisplayName("23.3 nothing is called but by what is compared, and nothing is looked up by name")
  void nothingElse() throws IOException, URISyntaxException {
    Path classes =
        Path.of(FfmDriver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Map<String, Set<String>> found = new TreeMap<>();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path each : files.filter(file -> file.toString().endsWith(".class")).toList()) {
        String bytes = Files.readString(each, ISO_8859_1);
        Set<String> told = TOLD.stream().filter(bytes::contains).collect(Collectors.toSet());
        if (!told.isEmpty()) {
          found.put(each.getFileName().toString(), told);
        }
      }
    }
    assertEquals(Map.of("Downcall.class", Set.of("downcallHandle")), found);
    assertEquals(Set.of("foreign"), fieldsOf(metadata()));
    assertEquals(Set.of("downcalls"), fieldsOf(metadata().get("foreign")));
  }

  private static Set<String> fieldsOf(JsonNode object) {
    Set<String> names = new TreeSet<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
