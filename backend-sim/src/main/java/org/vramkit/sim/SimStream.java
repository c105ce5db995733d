package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.spi.LaunchArguments;
import org.vramkit.sim.WorkAccesses.Range;
import org.vramkit.sim.check.ApiErrors;
import org.vramkit.sim.check.EventMark;
import org.vramkit.sim.check.GraphNode;
import org.vramkit.sim.check.Operation;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.recording.CallNote;

/** A simulated stream; its {@link StreamQueue} holds the queued work. */
public final class SimStream implements Stream {
  private static final String PAGE_LOCKED =
      "the copy would wait for the stream: copy through a PinnedBuffer";

  private final SimDevice device;
  private final DeviceCore core;
  private final Engine engine;
  final StreamQueue queue;
  private final DeviceBytes bytes;
  private final ApiErrors apiErrors;

  private final WorkSubmission submission;

  SimStream(SimDevice device, DeviceCore core, StreamQueue queue) {
    this.device = device;
    this.core = core;
    this.engine = core.engine;
    this.queue = queue;
    this.bytes = new DeviceBytes(engine.space, core.ordinal, null);
    this.apiErrors = engine.checker.apiErrors;
    this.submission = new WorkSubmission(core, queue, device.getProperties().getMemoryBandwidth());
  }

  @Override
  public SimDevice getDevice() {
    return device;
  }

  @Override
  public long getHandle() {
    return queue.handle;
  }

  @Override
  public String getName() {
    return queue.name;
  }

  /** Returns the kind of the stream: blocking or non-blocking. */
  public StreamKind getKind() {
    return queue.kind;
  }

  // ---- for the device and its events, locked ----

  /** Returns the queue of a stream; null if it is not simulated. */
  static @Nullable StreamQueue queueOf(Stream stream) {
    return stream instanceof SimStream sim ? sim.queue : null;
  }

  private CallNote on(CallNote note) {
    return queue.note(core.on(note));
  }

  @Override
  public boolean isClosed() {
    return queue.isClosed();
  }

  // ---- capture ----

  /** Returns the capture that records a call of this stream; null if there is none. */
  private @Nullable Capture captureFor(DriverFunction function) {
    Capture capture = queue.capture;
    if (capture != null) {
      Captures.requireValid(capture, function, this);
    }
    return capture;
  }

  /** Refuses a query or wait, which invalidates a capture of this stream. */
  private void requireRunning(DriverFunction function, String wanted) {
    Capture capture = queue.capture;
    if (capture != null) {
      throw Captures.invalidate(
          capture,
          DriverStatus.STREAM_CAPTURE_UNSUPPORTED,
          function,
          wanted + this + ", which is captured");
    }
  }

  /** Refuses a use of the default stream that would wait for a captured stream. */
  private void requireNoneBlocking(DriverFunction function) {
    if (queue.isDefault()) {
      core.captures.requireNoneBlocking(queue, function);
    }
  }

  private void waitInCapture(SimEvent event, Capture.@Nullable Mark mark) {
    DriverFunction function = DriverFunction.STREAM_WAIT_EVENT;
    Capture mine = captureFor(function);
    String wanted = this + " cannot wait for " + event;
    if (mark == null) {
      if (mine != null && event.recorded() != null) {
        throw Captures.invalidate(mine, DriverStatus.STREAM_CAPTURE_ISOLATION, function, wanted);
      }
      apiErrors.waitedOnUnrecordedEvent(core.ordinal, queue.clock, event.getHandle());
      return;
    }
    Capture other = mark.capture();
    if (other.isEnded() || (other.isInvalidated() && mine != other)) {
      if (mine != null) {
        mine.invalidate();
      }
      throw engine.invalid(function, wanted + ", which was recorded in a capture");
    }
    if (mine == null && queue.isDefault()) {
      throw Captures.invalidate(other, DriverStatus.STREAM_CAPTURE_IMPLICIT, function, wanted);
    }
    if (mine != null && mine != other) {
      other.invalidate();
      throw Captures.invalidate(mine, DriverStatus.STREAM_CAPTURE_MERGE, function, wanted);
    }
    Captures.requireValid(other, function, this);
    device.graphs.await(other, queue, mark);
  }

  // ---- order ----

  @Override
  public void waitFor(Event event) {
    Objects.requireNonNull(event, "event");
    engine.recording.perform(
        "wait-for-event",
        step -> SimEvent.note(on(step), event),
        () -> {
          queue.requireOpen();
          if (!(event instanceof SimEvent sim)
              || sim.getDevice().getBackend() != device.getBackend()) {
            apiErrors.wrongDevice(
                this + " waits for " + event, event + " belongs to another backend");
            throw new InvalidArgumentException(event + " does not belong to this simulator");
          }
          sim.requireOpen();
          requireNoneBlocking(DriverFunction.STREAM_WAIT_EVENT);
          queue.call(DriverFunction.STREAM_WAIT_EVENT, 0);
          queue.followDefaultStream();
          EventMark mark = sim.recorded();
          if (queue.capture != null || sim.captured() != null) {
            waitInCapture(sim, sim.captured());
          } else if (mark == null) {
            apiErrors.waitedOnUnrecordedEvent(core.ordinal, queue.clock, sim.getHandle());
          } else {
            queue.waitUntil(sim.mark(), mark.snapshot());
            queue.follow(sim.frees());
            engine.checker.syncs.waited(queue.clock, mark);
          }
        });
  }

  @Override
  public boolean isIdle() {
    return engine.recording.ask(
        "query-stream",
        this::on,
        () -> {
          queue.requireOpen();
          requireNoneBlocking(DriverFunction.STREAM_QUERY);
          requireRunning(DriverFunction.STREAM_QUERY, "cannot query ");
          queue.call(DriverFunction.STREAM_QUERY, 0);
          StreamQueue.Queued queued = observed();
          boolean idle = queue.queries.ask(engine, queued.tail(), queued.known());
          if (idle) {
            engine.checker.hostKnows(queued.known());
            engine.checker.syncs.hostWaited();
          }
          return idle;
        });
  }

  /**
   * Returns the work that a query or wait of the host concerns. The default stream includes the
   * blocking streams; these do not include the default stream.
   */
  private StreamQueue.Queued observed() {
    if (queue.isDefault()) {
      queue.followDefaultStream();
    }
    return queue.queued();
  }

  @Override
  public void synchronize() {
    engine.recording.perform(
        "synchronize-stream",
        this::on,
        () -> {
          queue.requireOpen();
          requireNoneBlocking(DriverFunction.STREAM_SYNCHRONIZE);
          requireRunning(DriverFunction.STREAM_SYNCHRONIZE, "cannot wait for ");
          queue.call(DriverFunction.STREAM_SYNCHRONIZE, 0);
          observed();
          queue.finish(DriverFunction.STREAM_SYNCHRONIZE);
          queue.releaseUnused();
        });
  }

  /**
   * Returns a stage that completes once all work submitted so far is complete. The checker then
   * treats this work as complete for every thread.
   */
  @Override
  public CompletionStage<Void> synchronizeAsync(Executor executor) {
    Objects.requireNonNull(executor, "executor");
    return CompletableFuture.runAsync(
        () ->
            engine.recording.perform(
                "synchronize-stream-for-all",
                this::on,
                () -> {
                  synchronize();
                  engine.checker.hosts.publishToAll();
                }),
        executor);
  }

  // ---- work ----

  /**
   * Launches a kernel.
   *
   * @throws ClosedException if the stream is closed
   */
  public void launch(SimKernel kernel) {
    Objects.requireNonNull(kernel, "kernel");
    Consumer<DeviceBytes> body = kernel.body;
    engine.recording.perform(
        kernel.call,
        step -> kernel.note(on(step)),
        () -> {
          String words = "kernel " + kernel.name;
          submit(
              new WorkSubmission.Work(
                  DriverFunction.LAUNCH_KERNEL,
                  words,
                  new WorkAccesses.Ranges(kernel.reads, kernel.writes, kernel.atomics),
                  kernel.nanos,
                  body == null ? null : body(kernel, body)));
          requireContext(words);
        });
  }

  @Override
  public void launch(Kernel kernel, LaunchConfig config, Object... arguments) {
    Objects.requireNonNull(kernel, "kernel");
    Objects.requireNonNull(config, "config");
    Objects.requireNonNull(arguments, "arguments");
    if (!(kernel instanceof LoadedKernel ours) || ours.getModule().getDevice() != device) {
      apiErrors.wrongDevice("launch on " + this, kernel + " belongs to another device");
      throw LaunchArguments.foreignKernel(kernel, this);
    }
    byte[] packed = ours.pack(config, arguments);
    engine.recording.performUnrecorded(
        () -> {
          queue.requireOpen();
          ours.module.requireOpen();
          requireNoneBlocking(DriverFunction.LAUNCH_KERNEL);
          queue.call(DriverFunction.LAUNCH_KERNEL, 0);
          KernelLaunch launch = new KernelLaunch(core, ours, config, packed, device::isPeerEnabled);
          launch(launch);
          launch.note(this::on);
        });
    LaunchArguments.recordUses(arguments, this);
  }

  private void launch(KernelLaunch launch) {
    Capture capture = captureFor(DriverFunction.LAUNCH_KERNEL);
    if (capture != null) {
      launch.captured();
      GraphNode node = new GraphNode(/* open= */ true);
      engine.checker.graphs.capture(launch.words(), queue.clock, node);
      int branch = capture.branch(queue).index;
      capture.add(
          queue,
          /* isKernel= */ true,
          graph -> {
            StreamQueue on = graph.queue(branch);
            String words = graph.nameOf(launch.words());
            Operation operation = engine.checker.graphs.launch(words, on.clock, node);
            launch.submit(on, graph.queue(0).handle, operation, words);
          });
      return;
    }
    queue.followDefaultStream();
    Operation operation = engine.checker.work.submit(launch.words(), queue.clock);
    launch.submit(queue, queue.handle, operation, launch.words());
    requireContext(launch.words());
  }

  private void requireContext(String words) {
    if (engine.checker.requiresContext) {
      DeviceCore current = device.current();
      int bound = current == null ? ApiErrors.NO_DEVICE : current.ordinal;
      apiErrors.launched(words, core.ordinal, bound);
    }
  }

  private Runnable body(SimKernel kernel, Consumer<DeviceBytes> body) {
    DeviceBytes declared = new DeviceBytes(engine.space, core.ordinal, kernel);
    return engine.recording.body(() -> body.accept(declared));
  }

  /**
   * Queues a host function, as {@code cuLaunchHostFunc} does. The function runs on a thread of the
   * simulator, when a wait or query of the host needs it, or when all threads of the program wait,
   * as in {@code future.get()}. Once it has run, every thread may rely on the work before it in the
   * stream. Host functions run one after the other, so a function must not wait for one of another
   * stream. A function may write to page-locked memory through views, and open a {@linkplain
   * SimGate gate}, but must not call the driver. The host's next wait throws the exception that a
   * function has thrown.
   *
   * @param name the name of the function in reports
   * @throws ClosedException if the stream is closed
   */
  public void callHost(String name, Runnable function) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(function, "function");
    engine.recording.perform(
        "host-function",
        step -> on(step).text(name),
        () -> {
          queue.requireOpen();
          requireNoneBlocking(DriverFunction.LAUNCH_HOST_FUNC);
          queue.call(DriverFunction.LAUNCH_HOST_FUNC, 0);
          String words = "host function " + name;
          Runnable body = engine.recording.body(function);
          Capture capture = captureFor(DriverFunction.LAUNCH_HOST_FUNC);
          if (capture != null) {
            int branch = capture.branch(queue).index;
            capture.add(queue, false, on -> callHost(on.queue(branch), on.nameOf(words), body));
            return;
          }
          queue.followDefaultStream();
          callHost(queue, words, body);
        });
  }

  private void callHost(StreamQueue on, String words, Runnable body) {
    HostFunction function =
        new HostFunction(words, body, engine.checker.submitFunction(words, on.clock), on.tail());
    long nanos = engine.costs.getKernelOverheadNanos();
    on.setTail(engine.functions.submit(on.lane, on.tail(), function, nanos));
  }

  /**
   * Makes work submitted from now on wait for a gate.
   *
   * @throws ClosedException if the stream is closed
   */
  public void waitFor(SimGate gate) {
    Objects.requireNonNull(gate, "gate");
    engine.recording.perform(
        "wait-for-gate",
        step -> on(step).uses(0, gate.number),
        () -> {
          queue.requireOpen();
          if (!gate.isOf(engine)) {
            throw new InvalidArgumentException(gate + " does not belong to this simulator");
          }
          Captures.requireUncaptured(
              queue, "wait for " + gate, "wait for it before the capture begins");
          requireNoneBlocking(DriverFunction.STREAM_WAIT_VALUE);
          queue.call(DriverFunction.STREAM_WAIT_VALUE, 0);
          queue.followDefaultStream();
          gate.hold(queue);
        });
  }

  @Override
  public void fill(long address, byte value, long count) {
    engine.recording.perform(
        "fill",
        step -> on(step).writes(address, count).value(value),
        () -> {
          if (isWork("fill", address, count)) {
            submit(
                DriverFunction.MEMSET_D8_ASYNC,
                "fill",
                new WorkAccesses.Fill(new Range(address, count)),
                () -> bytes.fill(address, value, count));
          }
        });
  }

  @Override
  public void copy(long target, long source, long count) {
    engine.recording.perform(
        "copy",
        step -> on(step).reads(source, count).writes(target, count),
        () -> {
          if (isWork("copy", source, count) && isWork("copy", target, count)) {
            submit(
                DriverFunction.MEMCPY_DTOD_ASYNC,
                "copy",
                new WorkAccesses.Copy(target, source, count),
                () -> bytes.copy(target, source, count));
          }
        });
  }

  @Override
  public void copyToDevice(long target, ByteBuffer source) {
    Objects.requireNonNull(source, "source");
    engine.recording.perform(
        "copy-from-host",
        step -> on(step).writes(target, source.remaining()),
        () -> {
          if (isWork("copy to device", target, source.remaining())) {
            core.captures.requireNoneBlockingKeeping(queue);
            Captures.requireUncaptured(
                queue, "copy from a buffer that is not page-locked", PAGE_LOCKED);
            byte[] staged = new byte[engine.bytes ? source.remaining() : 0];
            source.duplicate().get(staged);
            submit(
                DriverFunction.MEMCPY_HTOD_ASYNC,
                "copy to device",
                new WorkAccesses.FromHost(target, source.remaining()),
                () -> bytes.write(target, staged));
            waitByItself();
          }
        });
  }

  /** Captures a copy from memory that is not page-locked, which each launch reads anew. */
  public void captureFromPageable(long target, int count, Supplier<ByteBuffer> source) {
    Objects.requireNonNull(source, "source");
    engine.recording.performUnrecorded(() -> submit(bytes.fromPageable(target, count, source)));
  }

  /** Captures a copy to memory that is not page-locked. */
  public void captureToPageable(Consumer<ByteBuffer> target, long source, int count) {
    Objects.requireNonNull(target, "target");
    engine.recording.performUnrecorded(() -> submit(bytes.toPageable(target, source, count)));
  }

  /**
   * Waits for the stream as the CUDA backends do, whose driver may still read a buffer that someone
   * has page-locked. The API does not promise this wait, so the checker does not count it.
   */
  private void waitByItself() {
    queue.call(DriverFunction.STREAM_SYNCHRONIZE, 0);
    StreamQueue.Queued queued = queue.queued();
    if (core.waitsCount()) {
      queued.finish(DriverFunction.STREAM_SYNCHRONIZE);
    } else {
      queued.finishByDriver(DriverFunction.STREAM_SYNCHRONIZE);
      queued.settle();
    }
    queue.releaseUnused();
  }

  @Override
  public void copyToHost(ByteBuffer target, long source) {
    Objects.requireNonNull(target, "target");
    if (target.isReadOnly()) {
      throw new InvalidArgumentException("cannot copy to a read-only buffer: " + target);
    }
    engine.recording.perform(
        "copy-to-host",
        step -> on(step).reads(source, target.remaining()),
        () -> {
          if (isWork("copy to host", source, target.remaining())) {
            core.captures.requireNoneBlockingKeeping(queue);
            Captures.requireUncaptured(
                queue, "copy to a buffer that is not page-locked", PAGE_LOCKED);
            submit(
                DriverFunction.MEMCPY_DTOH_ASYNC,
                "copy to host",
                new WorkAccesses.ToHost(source, target.remaining()),
                () -> target.duplicate().put(bytes.read(source, target.remaining())));
            queue.call(DriverFunction.STREAM_SYNCHRONIZE, 0);
            queue.finish(DriverFunction.STREAM_SYNCHRONIZE);
            queue.releaseUnused();
          }
        });
  }

  @Override
  public void copyToDevice(long target, PinnedBuffer source, long offset, long count) {
    Objects.requireNonNull(source, "source");
    engine.recording.perform(
        "copy-from-pinned",
        step -> SimPinnedBuffer.read(on(step), source, offset, count).writes(target, count),
        () -> {
          SimPinnedBuffer buffer = pinned(source, offset, count);
          if (isWork("copy from pinned", target, count)) {
            submit(
                DriverFunction.MEMCPY_HTOD_ASYNC,
                "copy from pinned",
                new WorkAccesses.FromPinned(target, buffer, offset, count),
                () -> bytes.copy(target, buffer.address + offset, count));
          }
        });
  }

  @Override
  public void copyToHost(PinnedBuffer target, long offset, long source, long count) {
    Objects.requireNonNull(target, "target");
    engine.recording.perform(
        "copy-to-pinned",
        step -> SimPinnedBuffer.written(on(step), target, offset, count).reads(source, count),
        () -> {
          SimPinnedBuffer buffer = pinned(target, offset, count);
          if (isWork("copy to pinned", source, count)) {
            submit(
                DriverFunction.MEMCPY_DTOH_ASYNC,
                "copy to pinned",
                new WorkAccesses.ToPinned(buffer, offset, source, count),
                () -> bytes.copy(buffer.address + offset, source, count));
          }
        });
  }

  private SimPinnedBuffer pinned(PinnedBuffer buffer, long offset, long count) {
    queue.requireOpen();
    SimPinnedBuffer sim = SimPinnedBuffer.of(buffer, engine);
    sim.requireInside(offset, count);
    return sim;
  }

  /** Returns whether there is anything to do; refuses an impossible range. */
  private boolean isWork(String by, long address, long count) {
    queue.requireOpen();
    return Range.of(by, address, count).bytes() > 0;
  }

  /** Submits a fill or a copy, whose bytes determine its duration. */
  private void submit(
      DriverFunction function, String name, WorkAccesses accesses, Runnable effect) {
    submit(new WorkSubmission.Work(function, name, accesses, -1, effect));
  }

  private void submit(WorkSubmission.Work work) {
    queue.requireOpen();
    requireNoneBlocking(work.function());
    queue.call(work.function(), work.accesses().bytes());
    submission.submit(work, captureFor(work.function()));
  }

  @Override
  public void close() {
    engine.recording.perform(
        "close-stream",
        this::on,
        () -> {
          if (queue.isDefault() || queue.isClosed()) {
            return;
          }
          Capture capture = queue.capture;
          if (capture != null && capture.origin == queue) {
            device.graphs.discard(capture);
          }
          if (engine.timeline.isReached(queue.tail())) {
            queue.settle();
            queue.releaseUnused();
          }
          queue.close();
          core.leave(ContextMemory.ofStream());
          engine.releaseHandle(
              LeakKind.STREAM, core.ordinal, queue.handle, DriverFunction.STREAM_DESTROY, 0);
        });
  }

  @Override
  public String toString() {
    return queue.toString();
  }
}
