package org.vramkit.sim.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vramkit.sim.hazard.HazardCode;

/** The sources of the examples. */
final class ExampleSource {
  private ExampleSource() {}

  /** The body of a code's example as it stands in its file, without the method's indentation. */
  static String of(HazardCode code) throws IOException {
    Pattern method =
        Pattern.compile(
            "@Gives\\([^)]*HazardCode\\."
                + code
                + "\\b[^)]*\\)\\s+static void [^{]*\\{\n(.*?)\n  \\}\n",
            Pattern.DOTALL);
    for (String name : Examples.names()) {
      Matcher matcher = method.matcher(read(name));
      if (matcher.find()) {
        return matcher.group(1).stripIndent() + "\n";
      }
    }
    throw new IllegalStateException("no source of an example for " + code);
  }

  private static String read(String name) throws IOException {
    Path file = Project.root().resolve("backend-sim/src/test/java/org/vramkit/sim/examples");
    return Files.readString(file.resolve(name + ".java")).replace("\r\n", "\n");
  }
}
