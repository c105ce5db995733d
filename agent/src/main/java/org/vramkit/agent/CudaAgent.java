package org.vramkit.agent;

import java.lang.instrument.Instrumentation;
import java.nio.Buffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.Count;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.HazardReport;

/**
 * The Java agent: it lets a simulated GPU answer the native methods of JCuda and JavaCPP. Begin the
 * JVM with {@code -javaagent:vramkit-agent.jar}; when the program ends, hazards are printed to
 * standard error. With the argument {@code fail}, as in {@code -javaagent:vramkit-agent.jar=fail},
 * the JVM then ends with status 1. In tests, {@link SimulatedCuda} installs it.
 */
public final class CudaAgent {
  private static final String FAIL = "fail";

  private CudaAgent() {}

  /** Installs the agent before the program begins. */
  public static void premain(@Nullable String argument, Instrumentation instrumentation) {
    boolean fails = FAIL.equals(argument);
    if (!fails && argument != null && !argument.isEmpty()) {
      throw new IllegalArgumentException(
          "the agent takes the argument " + FAIL + " or none, not '" + argument + "'");
    }
    install(instrumentation);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> report(fails), "vramkit-agent-report"));
  }

  /** Installs the agent into a running JVM, in which no class of a binding is loaded yet. */
  public static void agentmain(@Nullable String argument, Instrumentation instrumentation) {
    install(instrumentation);
  }

  /** Installs the agent once. */
  static synchronized void install(Instrumentation instrumentation) {
    if (!BindingTransformer.isInstalled()) {
      openBuffers(instrumentation);
      BindingTransformer.install(instrumentation);
    }
  }

  /** Opens {@code java.nio} to this module, for {@link DirectMemory}. */
  private static void openBuffers(Instrumentation instrumentation) {
    instrumentation.redefineModule(
        Buffer.class.getModule(),
        Set.of(),
        Map.of(),
        Map.of("java.nio", Set.of(CudaAgent.class.getModule())),
        Set.of(),
        Map.of());
  }

  private static void report(boolean fails) {
    CudaProcess ended = CudaProcess.end();
    if (ended == null) {
      return;
    }
    SimBackend backend = ended.backend;
    try {
      backend.finish();
    } catch (RuntimeException e) {
      System.err.println("vramkit: queued work failed: " + e);
    }
    List<HazardReport> hazards = backend.getHazards();
    hazards.forEach(System.err::println);
    System.err.println(
        "vramkit: " + Count.of(backend.getHazardCount(), "hazard") + " on " + backend);
    if (fails && !hazards.isEmpty()) {
      System.err.flush();
      Runtime.getRuntime().halt(1);
    }
  }
}
