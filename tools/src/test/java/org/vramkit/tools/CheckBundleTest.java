package org.vramkit.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("17.24 The check of a release's bundle")
class CheckBundleTest {
  private static final String PREFIX = "org/vramkit/vramkit-x/1/vramkit-x-1";
  private static final String POM =
      "<project><groupId>org.vramkit</groupId><artifactId>vramkit-x</artifactId>"
          + "<version>1</version></project>";

  @TempDir private Path folder = Path.of("");

  private static byte[] zip(Map<String, byte[]> entries) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      for (Map.Entry<String, byte[]> each : entries.entrySet()) {
        zip.putNextEntry(new ZipEntry(each.getKey()));
        zip.write(each.getValue());
      }
    }
    return bytes.toByteArray();
  }

  private static byte[] jar(String... names) throws IOException {
    Map<String, byte[]> entries = new LinkedHashMap<>();
    entries.put(
        "META-INF/MANIFEST.MF",
        "Manifest-Version: 1.0\nAutomatic-Module-Name: org.vramkit.x\n".getBytes(UTF_8));
    for (String name : names) {
      entries.put(name, new byte[] {0, 0, 0, 0, 0, 0, 0, 61});
    }
    return zip(entries);
  }

  private String check(byte[] jar, byte[] sources, byte[] javadoc)
      throws IOException, InterruptedException {
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put(PREFIX + ".pom", POM.getBytes(UTF_8));
    files.put(PREFIX + ".jar", jar);
    files.put(PREFIX + "-sources.jar", sources);
    files.put(PREFIX + "-javadoc.jar", javadoc);
    Path bundle = Files.write(folder.resolve("bundle.zip"), zip(files));
    Path out = folder.resolve("out.txt");
    new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            folder.toString(),
            "CheckBundle",
            bundle.toString(),
            folder.resolve("unpacked").toString())
        .redirectErrorStream(true)
        .redirectOutput(out.toFile())
        .start()
        .waitFor();
    return Files.readString(out);
  }

  @Test
  @DisplayName("looks into each jar: classes, sources and pages of Javadoc for each package")
  void contents() throws IOException, InterruptedException {
    // Compiled once, not by each process.
    String[] options = {"-d", folder.toString(), "../release/CheckBundle.java"};
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, options));
    byte[] classes = jar("org/vramkit/x/A.class", "org/vramkit/x/more/B.class");
    byte[] sources = jar("org/vramkit/x/A.java", "org/vramkit/x/more/B.kt");
    byte[] pages =
        jar(
            "index.html",
            "org.vramkit.x/org/vramkit/x/package-summary.html",
            "x/org.vramkit.x.more/index.html");
    String good = check(classes, sources, pages);
    assertTrue(good.contains("ok      jars are there and have classes\n"), good);
    assertTrue(good.contains("ok      sources are there for each package\n"), good);
    assertTrue(good.contains("ok      Javadoc is there for each exported package\n"), good);

    String empty = check(classes, jar(), jar());
    assertTrue(empty.contains("BROKEN  sources are there for each package: [vramkit-x]"), empty);
    assertTrue(
        empty.contains("BROKEN  Javadoc is there for each exported package: [vramkit-x]"), empty);
    byte[] oneSource = jar("org/vramkit/x/A.java");
    String partial = check(classes, oneSource, jar("index.html"));
    assertTrue(partial.contains("BROKEN  sources are there for each package"), partial);
    assertTrue(partial.contains("BROKEN  Javadoc is there for each exported package"), partial);
    assertTrue(
        check(jar(), sources, pages).contains("BROKEN  jars are there and have classes"),
        "a jar without classes");
  }
}
