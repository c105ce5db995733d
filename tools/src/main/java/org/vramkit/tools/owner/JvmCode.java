package org.vramkit.tools.owner;

import java.util.regex.Pattern;

/** Tells a program on the JVM from the JDK, from Vramkit and from frameworks, by packages. */
final class JvmCode {
  private static final Pattern RUNTIME =
      Pattern.compile(
          "(?:jdk\\.internal|java\\.lang\\.(?:invoke|reflect))\\..*|(?:com\\.sun|jdk)\\.proxy.*"
              + "|.*(?:\\$\\$FastClass|\\$\\$Enhancer|GeneratedMethodAccessor).*");

  // Programs, benchmarks and tests of Vramkit are programs.
  private static final Pattern OWN_PROGRAM =
      Pattern.compile(
          "org\\.vramkit\\.(?:(?:examples|bench|gpu)\\..*|.*(?:Test|Examples)(?:\\$.*)?\\.[^.]+)");

  private static final Pattern LIBRARY =
      Pattern.compile(
          "(?:java|javax|jdk|sun|com\\.sun|kotlin|kotlinx|scala|groovy|clojure"
              + "|org\\.(?:vramkit|bytedeco|apache|springframework|junit|codehaus|tensorflow"
              + "|pytorch|nd4j|deeplearning4j|slf4j|eclipse|jboss|openjdk)|jcuda|ai\\.djl"
              + "|ai\\.rapids|ai\\.onnxruntime|com\\.(?:nvidia|google\\.(?:inject|common))"
              + "|io\\.(?:netty|micrometer|grpc|vertx|quarkus)|reactor|akka|uk\\.ac\\.manchester"
              + "|worker\\.org\\.gradle)\\..*");

  private JvmCode() {}

  static Provenance of(Frame frame) {
    // The loader and the module come before the class.
    String name = frame.name().substring(frame.name().lastIndexOf('/') + 1);
    if (RUNTIME.matcher(name).matches()) {
      return Provenance.RUNTIME;
    }
    return LIBRARY.matcher(name).matches() && !OWN_PROGRAM.matcher(name).matches()
        ? Provenance.LIBRARY
        : Provenance.PROGRAM;
  }
}
