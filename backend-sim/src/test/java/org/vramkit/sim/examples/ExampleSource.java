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
        method("@Gives\\([^)]*HazardCode\\." + code + "\\b[^)]*\\)\\s+static void \\w+");
    for (String name : Examples.names()) {
      Matcher matcher = method.matcher(read(name));
      if (matcher.find()) {
        return matcher.group(1).stripIndent() + "\n";
      }
    }
    throw new IllegalStateException("no source of an example for " + code);
  }

  /** The same of a method of any class of examples. */
  static String ofMethod(String type, String name) throws IOException {
    Matcher matcher = method("static void " + name).matcher(read(type));
    if (!matcher.find()) {
      throw new IllegalStateException("no method " + name + " in " + type);
    }
    return matcher.group(1).stripIndent() + "\n";
  }

  /** A method from its head to the brace that closes it, which stands below the head. */
  private static Pattern method(String head) {
    return Pattern.compile(head + "\\([^{]*\\{\n(.*?)\n  \\}\n", Pattern.DOTALL);
  }

  private static String read(String name) throws IOException {
    Path file = Project.root().resolve("backend-sim/src/test/java/org/vramkit/sim/examples");
    return Files.readString(file.resolve(name + ".java")).replace("\r\n", "\n");
  }
}
