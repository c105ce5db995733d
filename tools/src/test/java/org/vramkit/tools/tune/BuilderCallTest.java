package org.vramkit.tools.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("42.13 A call to paste")
class BuilderCallTest {
  @TempDir private Path folder = Path.of("");

  private static String call(String option, String value) {
    return BuilderCall.of(option, value);
  }

  @Test
  @DisplayName("uses the builder's method for an option, with a value of its type")
  void methods() {
    assertEquals(".moveTime(0.02)", call("move-time", "0.02"));
    assertEquals(".threadCache(16 * ByteSize.MIB)", call("thread-cache", "16MiB"));
    assertEquals(".decay(Duration.ofMillis(500))", call("decay", "0.5"));
    assertEquals(".decay(Duration.ofNanos(400000))", call("decay", "0.0004"));
    assertEquals(".limit(2 * ByteSize.GIB)", call("limit", "2GiB"));
    assertEquals(".limit(1000)", call("limit", "1000"));
    assertEquals(".threadCache(0)", call("thread-cache", "0"));
    assertEquals(".steal(StealPolicy.WITH_WAIT)", call("steal", "with-wait"));
    assertEquals(".virtualMemory(VirtualMemoryUse.OFF)", call("virtual-memory", "off"));
    assertEquals(".roundingDivisions(\"256:4,512:8\")", call("rounding-divisions", "256:4,512:8"));
  }

  @Test
  @DisplayName("names the option if no method accepts its value")
  void byName() {
    assertEquals(".set(\"history\", \"1MiB,stacks\")", call("history", "1MiB,stacks"));
    assertEquals(".set(\"accessible-from\", \"1,2\")", call("accessible-from", "1,2"));
    assertEquals(".set(\"steal\", \"sometimes\")", call("steal", "sometimes"));
    assertEquals(".set(\"colour\", \"red\")", call("colour", "red"));
  }

  @Test
  @DisplayName("compiles, for every combination")
  void compiles() {
    StringBuilder source =
        new StringBuilder(
            """
            import java.time.Duration;
            import org.vramkit.api.device.Device;
            import org.vramkit.api.units.ByteSize;
            import org.vramkit.pool.caching.*;
            import org.vramkit.pool.direct.*;
            import org.vramkit.pool.driverpool.*;
            import org.vramkit.pool.streamordered.*;
            class Pasted {
              static void all(Device device) {
            """);
    List<Combination> all = Grid.combinations(2, Map.of("decay", List.of("1", "0.5")));
    all.forEach(each -> source.append("    ").append(each.getCode()).append(";\n"));
    source.append("}}");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter problems = new StringWriter();
    boolean isCompiled =
        compiler
            .getTask(
                problems,
                null,
                null,
                List.of("-d", folder.toString(), "-cp", System.getProperty("java.class.path")),
                null,
                List.of(source(source.toString())))
            .call();
    assertTrue(isCompiled, problems::toString);
    assertTrue(all.size() > 60, () -> "" + all.size());
  }

  private static JavaFileObject source(String text) {
    return new SimpleJavaFileObject(
        URI.create("string:///Pasted.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreErrors) {
        return text;
      }
    };
  }
}
