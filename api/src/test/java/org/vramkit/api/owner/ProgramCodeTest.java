package org.vramkit.api.owner;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("42.1 The owner of a stack")
class ProgramCodeTest {
  private static final StackTraceElement ALLOCATOR = frame("org.vramkit.pool.caching.Any", 200);
  private static final StackTraceElement STREAM = frame("java.util.stream.ReferencePipeline$3", 5);
  private static final StackTraceElement PROXY = frame("com.acme.Model$$FastClassByGuice", 1);
  private static final StackTraceElement MODEL = frame("com.acme.Model", 71);
  private static final StackTraceElement MAIN = frame("com.acme.Main", 3);

  private static StackTraceElement frame(String type, int line) {
    return new StackTraceElement("app", "com.acme", "1", type, "run", "Some.java", line);
  }

  @Test
  @DisplayName("is the innermost frame of the program, named without its module")
  void program() {
    assertEquals(
        "com.acme.Model.run(Some.java:71)",
        ProgramCode.nameOwner(List.of(ALLOCATOR, STREAM, PROXY, MODEL, MAIN)));
  }

  @Test
  @DisplayName("has a name of its own if no frame is the program's, and if no stack is known")
  void none() {
    assertAll(
        () -> assertEquals("no frame of the program", ProgramCode.nameOwner(List.of(STREAM))),
        () -> assertEquals("no stack", ProgramCode.nameOwner(List.of())));
  }

  @Test
  @DisplayName("has the file unknown and line 0 where the compiler left none")
  void withoutDebugInformation() {
    StackTraceElement bare = new StackTraceElement("com.acme.Model", "load", null, -1);
    assertEquals("com.acme.Model.load(unknown:0)", ProgramCode.nameOwner(List.of(bare)));
  }
}
