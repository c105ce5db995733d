package org.vramkit.api.owner;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Tells the classes of a program from those of the JDK, of Vramkit and of frameworks, by their
 * packages. The owner of a block is the innermost frame of the program.
 */
public final class ProgramCode {
  /** Stands for the owner of a stack if no frame is the program's. */
  public static final String NO_OWNER = "no frame of the program";

  /** Stands for the owner of a block whose stack is unknown. */
  public static final String NO_STACK = "no stack";

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

  /**
   * Returns the owner: the innermost frame of the program; empty if no frame is the program's.
   *
   * @param stack the nearest frame first
   */
  public static Optional<StackTraceElement> ownerOf(List<StackTraceElement> stack) {
    return stack.stream().filter(frame -> isProgram(frame.getClassName())).findFirst();
  }

  /**
   * Returns the owner's name as recordings have it, {@code class.method(file:line)}; {@link
   * #NO_OWNER} or {@link #NO_STACK} if there is none.
   *
   * @param stack the nearest frame first; empty if unknown
   */
  public static String nameOwner(List<StackTraceElement> stack) {
    return stack.isEmpty() ? NO_STACK : ownerOf(stack).map(ProgramCode::name).orElse(NO_OWNER);
  }

  /** Returns a frame as recordings have it, without the class loader and the module. */
  public static String name(StackTraceElement frame) {
    return frame.getClassName()
        + "."
        + frame.getMethodName()
        + "("
        + (frame.getFileName() == null ? "unknown" : frame.getFileName())
        + ":"
        + Math.max(0, frame.getLineNumber())
        + ")";
  }
}
