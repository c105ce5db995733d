package org.vramkit.testkit.sim;

import java.lang.reflect.Parameter;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.platform.commons.JUnitException;
import org.junit.platform.commons.support.AnnotationSupport;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimScope;
import org.vramkit.sim.SimStream;

/**
 * The simulator of one test, and the scope in which {@code Backends.open()} finds it. Kept in the
 * store of the test's context, which JUnit closes last; the verdict is given then.
 *
 * <p>JUnit up to 5.12 closes only {@code CloseableResource}s, from 5.13 {@code AutoCloseable}s. The
 * class implements both; otherwise one of them would never give a verdict.
 */
@SuppressWarnings("deprecation") // CloseableResource, from 5.13 on
final class TestGpu implements AutoCloseable, Store.CloseableResource {
  private static final Namespace NAMESPACE = Namespace.create(TestGpu.class);

  private final ExtensionContext context;
  private final SimScope scope = SimScope.of(() -> getSimulated().backend());
  private final Deque<SimStream> streams = new ArrayDeque<>();
  private @Nullable Simulated simulated;

  /**
   * An opened simulator.
   *
   * @param repeated the invocation that it was opened for; null if the test is not repeated
   */
  private record Simulated(
      SimBackend backend, RepeatedRuns.@Nullable Invocation repeated, Verdict verdict) {}

  private TestGpu(ExtensionContext context) {
    this.context = context;
  }

  /** Returns the simulator of a test. */
  static TestGpu of(ExtensionContext context) {
    return store(context)
        .getOrComputeIfAbsent(TestGpu.class, key -> new TestGpu(context), TestGpu.class);
  }

  /** Returns the simulator of a test or of a dynamic test's factory; null outside of tests. */
  static @Nullable TestGpu find(ExtensionContext context) {
    return context.getTestMethod().isPresent()
        ? of(context)
        : store(context).get(TestGpu.class, TestGpu.class);
  }

  static Store store(ExtensionContext context) {
    return context.getStore(NAMESPACE);
  }

  SimScope getScope() {
    return scope;
  }

  SimBackend getBackend() {
    return getSimulated().backend();
  }

  /** Opens the simulator on first use. */
  private synchronized Simulated getSimulated() {
    if (simulated == null) {
      RepeatedRuns.Invocation repeated = RepeatedRuns.Invocation.of(store(context));
      if (repeated == null && isRepeated(context)) {
        throw new JUnitException(
            context.getRequiredTestMethod()
                + " is repeated by @SimulatedTest or @EverySchedule and by another annotation,"
                + " whose invocations have no seed and schedule: remove one of them");
      }
      Run run = repeated == null ? Run.single(context) : repeated.getRun();
      SimulatedGpu settings = GpuSettings.of(context);
      simulated =
          new Simulated(
              GpuSettings.open(settings, run), repeated, new Verdict(context, run, settings));
    }
    return simulated;
  }

  private static boolean isRepeated(ExtensionContext context) {
    return AnnotationSupport.isAnnotated(context.getTestMethod(), SimulatedTest.class)
        || AnnotationSupport.isAnnotated(context.getTestMethod(), EverySchedule.class);
  }

  /**
   * Creates a stream, which is closed after the test.
   *
   * @param parameter the parameter that gives the stream's name in reports, if the compiler kept
   *     it; otherwise the position among the test's streams is used, from 1
   */
  SimStream createStream(SimDevice device, Parameter parameter) {
    synchronized (streams) {
      SimStream stream = device.createStream(nameOf(parameter, streams.size() + 1));
      streams.push(stream);
      return stream;
    }
  }

  /** Returns the name of a parameter's stream in reports: the parameter's, or the position. */
  static String nameOf(Parameter parameter, int place) {
    return parameter.isNamePresent() ? parameter.getName() : Integer.toString(place);
  }

  /**
   * Runs work that the test did not wait for, so that it is checked on every schedule.
   *
   * @return the exception of the work; null if there was none
   */
  private static @Nullable Throwable finish(SimBackend backend) {
    try {
      backend.finish();
      return null;
    } catch (RuntimeException | Error e) {
      return e;
    }
  }

  /** Closes the streams of the parameters, also if a fault plan refuses to close some. */
  private void closeStreams(Verdict verdict) {
    synchronized (streams) {
      for (SimStream stream : streams) {
        try {
          stream.close();
        } catch (GpuException e) {
          verdict.reportRefused(stream, e);
        }
      }
    }
  }

  @Override
  public void close() {
    scope.close();
    Simulated used = findSimulated();
    if (used != null) {
      end(used.backend(), used.repeated(), used.verdict());
    } else if (context.getExecutionException().isEmpty()) {
      BudgetCheck.of(context)
          .ifPresent(
              budget -> {
                throw budget.ofUnused();
              });
    }
  }

  private synchronized @Nullable Simulated findSimulated() {
    return simulated;
  }

  private void end(SimBackend used, RepeatedRuns.@Nullable Invocation repeated, Verdict verdict) {
    try (SimBackend backend = used) {
      closeStreams(verdict);
      AssertionError error = verdict.of(backend, finish(backend));
      if (repeated != null) {
        repeated.ended(backend, error != null || verdict.hasTestFailed());
      }
      if (error != null) {
        throw error;
      }
    }
  }
}
