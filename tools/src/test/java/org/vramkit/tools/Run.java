package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/** One run of the command line in this process. */
public record Run(int code, String out, String err) {
  public static Run of(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Run run = to(out, args);
    return new Run(run.code(), out.toString(StandardCharsets.UTF_8), run.err());
  }

  static Run to(OutputStream out, String... args) {
    StringWriter err = new StringWriter();
    int code = Main.run(args, out, new PrintWriter(err));
    return new Run(code, "", err.toString());
  }

  /** Standard output that cannot take anything. */
  static OutputStream broken(String reason) {
    return new OutputStream() {
      @Override
      public void write(int value) throws IOException {
        throw new IOException(reason);
      }
    };
  }

  /** It ended with this code, and told why in one line that holds the parts. */
  void failed(int expected, String... parts) {
    assertEquals(expected, code, err);
    assertEquals(1, err.lines().count(), err);
    assertTrue(err.startsWith("vramkit: "), err);
    for (String part : parts) {
      assertTrue(err.contains(part), () -> "'" + err + "' lacks '" + part + "'");
    }
  }

  public JsonNode json() throws IOException {
    return new ObjectMapper().readTree(out);
  }
}
