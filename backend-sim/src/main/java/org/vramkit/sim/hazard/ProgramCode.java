package org.vramkit.sim.hazard;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Tells the classes of a program from those of the JDK, of Vramkit and of frameworks, by their
 * packages. The owner of a block is the innermost frame of the program.
 */
public final class ProgramCode {
  private static final Pattern GENERATED =
      Pattern.compile(
          "(?:jdk\\.internal|java\\.lang\\.(?:invoke|reflect))\\..*|(?:com\\.sun|jdk)\\.proxy.*"
              + "|.*(?:\\$\\$FastClass|\\$\\$Enhancer|GeneratedMethodAccessor).*");

  // Programs, benchmarks and tests of Vramkit are programs.
  private static final Pattern OWN_PROGRAM =
      Pattern.compile(
          "org\\.vramkit\\.(?:(?:examples|bench|gpu)\\..*|.*(?:Test|Examples)(?:\\$.*)?)");

  private static final Pattern LIBRARY =
      Pattern.compile(
          "(?:java|javax|jdk|sun|com\\.sun|kotlin|kotlinx|scala|groovy|clojure"
              + "|org\\.(?:vramkit|bytedeco|apache|springframework|junit|codehaus|tensorflow"
              + "|pytorch|nd4j|deeplearning4j|slf4j|eclipse|jboss|openjdk)|jcuda|ai\\.djl"
              + "|ai\\.rapids|ai\\.onnxruntime|com\\.(?:nvidia|google\\.(?:inject|common))"
              + "|io\\.(?:netty|micrometer|grpc|vertx|quarkus)|reactor|akka|uk\\.ac\\.manchester"
              + "|worker\\.org\\.gradle)\\..*");

  private ProgramCode() {}

  /**
   * Returns whether a class calls others by reflection, method handles or proxies.
   *
   * @param className the name with its package
   */
  public static boolean isGenerated(String className) {
    return GENERATED.matcher(Objects.requireNonNull(className, "className")).matches();
  }

  /**
   * Returns whether a class is the program's own.
   *
   * @param className the name with its package
   */
  public static boolean isProgram(String className) {
    return !isGenerated(className)
        && (!LIBRARY.matcher(className).matches() || OWN_PROGRAM.matcher(className).matches());
  }
}
