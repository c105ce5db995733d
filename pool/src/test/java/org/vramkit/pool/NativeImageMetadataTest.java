package org.vramkit.pool;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.CachingAllocator;

@DisplayName("The native image metadata of the pools match their code")
class NativeImageMetadataTest {
  private static final String METADATA =
      "/META-INF/native-image/org.vramkit/vramkit-pool/reachability-metadata.json";

  private static final Pattern TYPE = Pattern.compile("\"type\": \"([^\"]+)\"");

  /** How class files name what a native image has to be told of. */
  private static final Set<String> TOLD =
      Set.of("forName", "java/lang/reflect/", "getResource", "loadLibrary", "java/lang/foreign/");

  private static Map<String, String> classFiles() throws IOException, URISyntaxException {
    Path classes =
        Path.of(CachingAllocator.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path each : files.filter(file -> file.toString().endsWith(".class")).toList()) {
        found.put(each.getFileName().toString(), Files.readString(each, ISO_8859_1));
      }
    }
    return found;
  }

  @Test
  @DisplayName("23.3 one class asks by name, for the flight recorder, and that is listed alone")
  void reflection() throws IOException, URISyntaxException {
    Map<String, String> classes = classFiles();
    Map<String, Set<String>> found = new TreeMap<>();
    classes.forEach(
        (name, bytes) -> {
          Set<String> told = TOLD.stream().filter(bytes::contains).collect(Collectors.toSet());
          if (!told.isEmpty()) {
            found.put(name, told);
          }
        });
    assertEquals(Map.of("FlightLog.class", Set.of("forName")), found);
    Set<String> asked =
        Pattern.compile("jdk\\.[a-z]+\\.\\w+")
            .matcher(Objects.requireNonNull(classes.get("FlightLog.class")))
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(Set.of("jdk.jfr.Event"), asked);
    try (InputStream file = CachingAllocator.class.getResourceAsStream(METADATA)) {
      String metadata = new String(Objects.requireNonNull(file, METADATA).readAllBytes(), UTF_8);
      assertEquals(
          asked,
          TYPE.matcher(metadata)
              .results()
              .map(each -> each.group(1))
              .collect(Collectors.toCollection(TreeSet::new)));
    }
  }
}
