package org.vramkit.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("A bug between streams of an unmodified program")
class StreamBugsTest {
  /** A program of a class, whose methods are one each. */
  record Program(Class<?> type, Method method) {
    SimBackend run(boolean right) throws ReflectiveOperationException {
      SimBackend backend = CudaProcess.begin().backend;
      Object program =
          type == JCudaStreamBugs.class
              ? JCudaStreamBugs.start(right)
              : new JavaCppStreamBugs(right);
      method.invoke(program);
      backend.finish();
      return backend;
    }

    boolean isIn(StackTraceElement frame) {
      return frame.getClassName().equals(type.getName())
          && frame.getMethodName().equals(method.getName());
    }

    @Override
    public String toString() {
      return method.getName();
    }
  }

  static Stream<Program> programs() {
    return Stream.of("JCudaStreamBugs", "JavaCppStreamBugs")
        .map(StreamBugsTest::load)
        .flatMap(
            type ->
                Arrays.stream(type.getDeclaredMethods())
                    .filter(each -> each.getReturnType() == void.class && isProgram(each))
                    .map(each -> new Program(type, each)));
  }

  /** Loads a class of programs once the agent is there. */
  private static Class<?> load(String name) {
    new SimulatedCudaExtension();
    try {
      return Class.forName("org.vramkit.agent." + name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isProgram(Method method) {
    return !method.isSynthetic()
        && method.getParameterCount() == 0
        && (method.getModifiers() & (Modifier.STATIC | Modifier.PRIVATE)) == 0;
  }

  @BeforeEach
  @AfterEach
  void end() {
    CudaProcess.end();
  }

  @Test
  @DisplayName("is one of twenty")
  void count() {
    assertEquals(20, programs().count());
  }

  @ParameterizedTest
  @MethodSource("programs")
  @DisplayName("is found, with the program's line")
  void found(Program program) throws ReflectiveOperationException {
    List<HazardReport> hazards = program.run(false).getHazards();
    assertFalse(hazards.isEmpty());
    assertTrue(
        hazards.stream()
            .flatMap(each -> Stream.of(each.earlier(), each.later()))
            .anyMatch(each -> each != null && each.stack().stream().anyMatch(program::isIn)),
        hazards.toString());
  }

  @ParameterizedTest
  @MethodSource("programs")
  @DisplayName("is not found in its correct twin")
  void twin(Program program) throws ReflectiveOperationException {
    assertEquals(List.of(), program.run(true).getHazards());
  }
}
