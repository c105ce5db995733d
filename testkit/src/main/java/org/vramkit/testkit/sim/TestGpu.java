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
 * The simulator of one test, and the scope in which {@code Backends.open()} returns it. It is in
 * the store of the test's context, which JUnit closes last; its close gives the verdict.
 *
 * <p>Up to 5.12 JUnit closes only what is a {@code CloseableResource}, from 5.13 on what is {@code
 * AutoCloseable}: it is both, or every test would pass on one of them.
 */
@SuppressWarnings("deprecation") // CloseableResource, from 5.13 on
final class TestGpu implements AutoCloseable, Store.CloseableResource {
  private static final Namespace NAMESPACE = Namespace.create(TestGpu.class);

  private final ExtensionContext context;
  private final SimScope scope = SimScope.of(() -> getSimulated().backend());
  private final Deque<SimStream> streams = new ArrayDeque<>();
  private @Nullable Simulated simulated;

  /**
   * A simulator that a test has requested.
   *
   * @param repeated the invocation that it was opened for; null in a test that runs once
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

  /**
   * Returns the simulator of a test, or of the factory of a dynamic test; null outside of tests.
   */
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

  /** Opens the simulator at the first request. */
  private synchronized Simulated getSimulated() {
    if (simulated == null) {
      RepeatedRuns.Invocation repeated = RepeatedRuns.Invocation.of(store(context));
      if (repeated == null && isRepeated(context)) {
        throw new JUnitException(
            context.getRequiredTestMethod()
                + " is repeated by @SimulatedTest or @EverySchedule, and by something else, whose"
                + " invocation has no seed and schedule: leave one of them");
      }
      Run run = repeated == null ? Run.single(context) : repeated.getRun();
      GpuSettings settings = GpuSettings.of(context);
      simulated = new Simulated(settings.open(run), repeated, new Verdict(context, run, settings));
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
   * @param parameter the parameter; reports use its name if compilers kept it, and otherwise its
   *     position among the streams of the test, from 1
   */
  SimStream createStream(SimDevice device, Parameter parameter) {
    synchronized (streams) {
      SimStream stream = device.createStream(nameOf(parameter, streams.size() + 1));
      streams.push(stream);
      return stream;
    }
  }

  /** Returns the name of a parameter's stream in reports: its own, or its position. */
  static String nameOf(Parameter parameter, int place) {
    return parameter.isNamePresent() ? parameter.getName() : Integer.toString(place);
  }

  /**
   * Runs work that the test did not wait for, so that it is checked on every schedule.
   *
   * @return the exception that the work threw
   */
  private static @Nullable Throwable finish(SimBackend backend) {
    try {
      backend.finish();
      return null;
    } catch (RuntimeException | Error e) {
      return e;
    }
  }

  /** Closes the streams of the parameters; a plan may refuse a close, and the others are closed. */
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
