package org.vramkit.testkit.sim;

import java.lang.reflect.Parameter;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimScope;
import org.vramkit.sim.SimStream;

/**
 * The simulator of one test. It lives in the store of the test's context, which JUnit closes after
 * everything else of the test; that is when the verdict is given.
 *
 * <p>Up to 5.12 JUnit closes only what is a {@code CloseableResource}, from 5.13 on what is {@code
 * AutoCloseable}: it is both, or every test would pass on one of them.
 */
@SuppressWarnings("deprecation") // CloseableResource, from 5.13 on
final class TestGpu implements AutoCloseable, Store.CloseableResource {
  private static final Namespace NAMESPACE = Namespace.create(TestGpu.class);

  private final SimBackend backend;
  private final Deque<SimStream> streams = new ArrayDeque<>();
  private final Verdict verdict;
  private final RunListener listener;
  private final SimScope scope;

  private TestGpu(ExtensionContext context) {
    RunInvocation repeated = store(context).get(RunInvocation.class, RunInvocation.class);
    Run run = repeated == null ? Runs.single(context) : repeated.run();
    GpuSettings settings = GpuSettings.of(context);
    this.listener = repeated == null ? RunListener.NONE : repeated.listener();
    this.backend = settings.open(run);
    this.scope = TestScope.of(context);
    this.verdict =
        new Verdict(
            context,
            new Repetition(context, run, settings.isRecording()),
            settings.getLeakPolicy());
  }

  /** The simulator of this test; made when first asked for. */
  static TestGpu of(ExtensionContext context) {
    return store(context)
        .getOrComputeIfAbsent(TestGpu.class, key -> new TestGpu(context), TestGpu.class);
  }

  static Store store(ExtensionContext context) {
    return context.getStore(NAMESPACE);
  }

  SimBackend getBackend() {
    return backend;
  }

  /**
   * A new stream, which is closed after the test.
   *
   * @param parameter whom it is for; reports call it so where compilers kept the name, and
   *     otherwise by its place among the streams of the test, from 1
   */
  SimStream createStream(SimDevice device, Parameter parameter) {
    synchronized (streams) {
      SimStream stream = device.createStream(nameOf(parameter, streams.size() + 1));
      streams.push(stream);
      return stream;
    }
  }

  /** What reports call the stream of a parameter: its name, or its place among all. */
  static String nameOf(Parameter parameter, int place) {
    return parameter.isNamePresent() ? parameter.getName() : Integer.toString(place);
  }

  /**
   * Lets work run that the test did not wait for, so that it is judged on every schedule; what it
   * threw.
   */
  private @Nullable Throwable finish() {
    try {
      backend.finish();
      return null;
    } catch (RuntimeException | Error e) {
      return e;
    }
  }

  /** Closes the streams of the parameters; a plan may refuse that, and the others are closed. */
  private void closeStreams() {
    synchronized (streams) {
      for (SimStream stream : streams) {
        try {
          stream.close();
        } catch (GpuException e) {
          verdict.tellRefused(stream, e);
        }
      }
    }
  }

  @Override
  public void close() {
    scope.close();
    try (backend) {
      closeStreams();
      AssertionError error = verdict.of(backend, finish());
      listener.ended(backend, error != null || verdict.hasTestFailed());
      if (error != null) {
        throw error;
      }
    }
  }
}
