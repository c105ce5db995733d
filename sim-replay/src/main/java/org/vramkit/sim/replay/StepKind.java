package org.vramkit.sim.replay;

import static org.vramkit.sim.replay.OperandKind.BINDING;
import static org.vramkit.sim.replay.OperandKind.EVENT;
import static org.vramkit.sim.replay.OperandKind.GATE;
import static org.vramkit.sim.replay.OperandKind.GRAPH;
import static org.vramkit.sim.replay.OperandKind.HAND_OFF;
import static org.vramkit.sim.replay.OperandKind.HAND_OFF_SCOPE;
import static org.vramkit.sim.replay.OperandKind.MEMORY;
import static org.vramkit.sim.replay.OperandKind.NOTHING;
import static org.vramkit.sim.replay.OperandKind.PHYSICAL;
import static org.vramkit.sim.replay.OperandKind.PINNED;
import static org.vramkit.sim.replay.OperandKind.POOL;
import static org.vramkit.sim.replay.OperandKind.RELAXATION;
import static org.vramkit.sim.replay.OperandKind.STREAM;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * The recorded calls, one row each: the result, the line of Java, the code that repeats the call,
 * and the kinds of its operands. Braces in the line are placeholders for the parts of a step, which
 * {@link Statements} defines. The comment of each kind gives the meaning of {@link Step#value} and
 * {@link Step#text}, if they have one.
 */
@SuppressWarnings("ImmutableEnumChecker") // Lists that do not change, functions without a state.
public enum StepKind {
  /** The legacy default stream of a device. */
  DEFAULT_STREAM(STREAM, "{device}.getDefaultStream()", (on, s) -> on.device(s).getDefaultStream()),
  /** A new stream; text: name of its {@code StreamKind}. */
  CREATE_STREAM(
      STREAM,
      "{device}.createStream(StreamKind.{constant})",
      (on, s) -> on.device(s).createStream(StreamKind.valueOf(s.text()))),
  /** A new non-blocking stream; text: its name in reports. */
  CREATE_NAMED_STREAM(
      STREAM, "{device}.createStream({text})", (on, s) -> on.device(s).createStream(s.text())),
  /** Closes a stream. */
  CLOSE_STREAM("{0}.close()", (on, s) -> on.stream(s).close(), STREAM),
  /** Queries a stream; value: 1 for yes, which orders like a wait. */
  QUERY_STREAM("{0}.synchronize()", (on, s) -> on.waitIfYes(s, on.stream(s)::synchronize), STREAM),
  /** Waits for a stream. */
  SYNCHRONIZE_STREAM("{0}.synchronize()", (on, s) -> on.stream(s).synchronize(), STREAM),
  /** Waits for a stream for all host threads. */
  SYNCHRONIZE_STREAM_FOR_ALL(
      "{0}.synchronizeAsync(Runnable::run).toCompletableFuture().join()",
      (on, s) -> Stage.synchronizeForAll(on.stream(s)), STREAM),
  /** Waits for all streams of a device. */
  SYNCHRONIZE_DEVICE("{device}.synchronize()", (on, s) -> on.device(s).synchronize()),

  /** A new event. */
  CREATE_EVENT(EVENT, "{device}.createEvent()", (on, s) -> on.device(s).createEvent()),
  /** Closes an event. */
  CLOSE_EVENT("{0}.close()", (on, s) -> on.event(s).close(), EVENT),
  /** Records an event in a stream. */
  RECORD_EVENT("{0}.record({1})", (on, s) -> on.event(s).record(on.stream(s)), EVENT, STREAM),
  /** Makes a stream wait for an event. */
  WAIT_FOR_EVENT("{0}.waitFor({1})", (on, s) -> on.stream(s).waitFor(on.event(s)), STREAM, EVENT),
  /** Queries an event; value: 1 for yes, which orders like a wait. */
  QUERY_EVENT("{0}.synchronize()", (on, s) -> on.waitIfYes(s, on.event(s)::synchronize), EVENT),
  /** Waits for an event. */
  SYNCHRONIZE_EVENT("{0}.synchronize()", (on, s) -> on.event(s).synchronize(), EVENT),

  /** Launches a kernel; text: its name, value: its nanoseconds, -1 if its bytes determine them. */
  LAUNCH("{0}.launch({kernel})", (on, s) -> on.stream(s).launch(on.kernel(s)), STREAM),
  /** Launches a kernel with atomic operations on the ranges that it both reads and writes. */
  LAUNCH_ATOMIC("{0}.launch({kernel})", (on, s) -> on.stream(s).launch(on.kernel(s)), STREAM),
  /** Fills memory; value: the byte. */
  FILL(
      "{0}.fill({target}, (byte) {value}, {bytes})",
      (on, s) -> on.stream(s).fill(on.start(s), (byte) s.value(), s.target().bytes()), STREAM),
  /** Copies on the device. */
  COPY(
      "{0}.copy({target}, {source}, {bytes})",
      (on, s) -> on.stream(s).copy(on.start(s), on.address(s.source()), s.target().bytes()),
      STREAM),
  /** Copies from a buffer of the host. */
  COPY_FROM_HOST(
      "{0}.copyToDevice({target}, ByteBuffer.allocate({bytes}))",
      (on, s) -> on.stream(s).copyToDevice(on.start(s), Stage.buffer(s.target())), STREAM),
  /** Copies to a buffer of the host. */
  COPY_TO_HOST(
      "{0}.copyToHost(ByteBuffer.allocate({length}), {source})",
      (on, s) -> on.stream(s).copyToHost(Stage.buffer(s.source()), on.address(s.source())), STREAM),
  /** Copies from page-locked memory; value: 1 if the host wrote it through views. */
  COPY_FROM_PINNED(
      "{written}{0}.copyToDevice({target}, {from}, {length})",
      (on, s) -> on.copyFromPinned(on.stream(s), s), STREAM),
  /** Copies to page-locked memory. */
  COPY_TO_PINNED(
      "{0}.copyToHost({into}, {source}, {bytes})",
      (on, s) ->
          on.stream(s)
              .copyToHost(
                  on.pinned(s.target()),
                  s.target().offset(),
                  on.address(s.source()),
                  s.target().bytes()),
      STREAM),

  /** Plain allocation; value: bytes. */
  ALLOCATE(
      MEMORY,
      "{device}.getMemory().allocate({value})",
      (on, s) -> on.device(s).getMemory().allocate(s.value())),
  /** Plain free. */
  FREE(
      "{device}.getMemory().free({target})", (on, s) -> on.device(s).getMemory().free(on.start(s))),

  /** The default pool of a device. */
  DEFAULT_POOL(
      POOL, "{device}.getStreamOrderedMemory()", (on, s) -> on.device(s).getStreamOrderedMemory()),
  /** A new driver pool; value: its maximum in bytes, 0 for none. */
  CREATE_POOL(
      POOL,
      "{device}.getDriverPools().create({value})",
      (on, s) -> on.device(s).getDriverPools().create(s.value())),
  /** Closes a driver pool. */
  CLOSE_POOL("{0}.close()", (on, s) -> on.pool(s).close(), POOL),
  /** Allocates from a driver pool in stream order; value: bytes. */
  POOL_ALLOCATE(
      MEMORY,
      "{0}.allocate({value}, {1})",
      (on, s) -> on.memoryOf(s).allocate(s.value(), on.stream(s)),
      POOL,
      STREAM),
  /** Frees to a driver pool in stream order. */
  POOL_FREE(
      "{0}.free({target}, {1})",
      (on, s) -> on.memoryOf(s).free(on.start(s), on.stream(s)), POOL, STREAM),
  /** Trims a pool; value: bytes to keep. */
  TRIM_POOL("{0}.trim({value})", (on, s) -> on.pool(s).trim(s.value()), POOL),
  /** Sets a pool's release threshold; value: bytes. */
  SET_POOL_THRESHOLD(
      "{0}.setReleaseThreshold({value})",
      (on, s) -> on.pool(s).setReleaseThreshold(s.value()), POOL),
  /** Sets how a pool reuses memory; text: name of the {@code DriverPoolReuse}, value: 1 for on. */
  SET_POOL_REUSE(
      "{0}.setReuse(DriverPoolReuse.{constant}, {truth})",
      (on, s) -> on.pool(s).setReuse(DriverPoolReuse.valueOf(s.text()), s.value() == 1), POOL),
  /** Opens a pool to a device, or closes it; value: its ordinal, text: allowed or forbidden. */
  SET_POOL_ACCESS(
      "{0}.setAccess({other}, {allowed})",
      (on, s) -> on.pool(s).setAccess(on.other(s), s.text().equals("allowed")), POOL),

  /** Reserves addresses; value: bytes. */
  RESERVE(
      MEMORY,
      "{device}.getVirtualMemory().reserve({value})",
      (on, s) -> on.virtual(s).reserve(s.value())),
  /** Frees reserved addresses. */
  UNRESERVE(
      "{device}.getVirtualMemory().unreserve({target}, {bytes})",
      (on, s) -> on.virtual(s).unreserve(on.start(s), s.target().bytes())),
  /** Creates physical memory; value: bytes. */
  CREATE_PHYSICAL(
      PHYSICAL,
      "{device}.getVirtualMemory().create({value})",
      (on, s) -> on.virtual(s).create(s.value())),
  /** Releases physical memory. */
  RELEASE_PHYSICAL(
      "{device}.getVirtualMemory().release({0})",
      (on, s) -> on.virtual(s).release(on.physical(s)), PHYSICAL),
  /** Maps physical memory. */
  MAP(
      "{device}.getVirtualMemory().map({target}, {bytes}, {0})",
      (on, s) -> on.virtual(s).map(on.start(s), s.target().bytes(), on.physical(s)), PHYSICAL),
  /** Lets a device access a range; value: its ordinal. */
  SET_ACCESS(
      "{device}.getVirtualMemory().setAccess({target}, {bytes}, {other})",
      (on, s) -> on.virtual(s).setAccess(on.start(s), s.target().bytes(), on.other(s))),
  /** Takes a device's access to a range away; value: its ordinal. */
  REMOVE_ACCESS(
      "{device}.getVirtualMemory().removeAccess({target}, {bytes}, {other})",
      (on, s) -> on.virtual(s).removeAccess(on.start(s), s.target().bytes(), on.other(s))),
  /** Unmaps a range. */
  UNMAP(
      "{device}.getVirtualMemory().unmap({target}, {bytes})",
      (on, s) -> on.virtual(s).unmap(on.start(s), s.target().bytes())),

  /** Allocates page-locked memory; value: bytes. */
  ALLOCATE_PINNED(
      PINNED,
      "{device}.getPinnedMemory().allocate({value})",
      (on, s) -> on.device(s).getPinnedMemory().allocate(s.value())),
  /** Page-locks host memory; value: bytes. */
  REGISTER_PINNED(
      PINNED,
      "{device}.getPinnedMemory().register(ByteBuffer.allocateDirect({value}))",
      (on, s) ->
          on.device(s)
              .getPinnedMemory()
              .register(ByteBuffer.allocateDirect(Math.toIntExact(s.value())))),
  /** Allocates managed memory, which later steps use as page-locked memory; value: bytes. */
  ALLOCATE_MANAGED(
      PINNED,
      "{device}.getManagedMemory().allocate({value})",
      (on, s) -> on.device(s).getManagedMemory().allocate(s.value())),
  /** Frees page-locked or managed memory. */
  CLOSE_PINNED("{0}.close()", (on, s) -> on.pinned(s).close(), PINNED),
  /** The host takes a view of page-locked memory. */
  VIEW_PINNED(
      "{buffer}.getBytes({offset}, {length})",
      (on, s) ->
          on.pinned(s.source()).getBytes(s.source().offset(), Math.toIntExact(s.source().bytes()))),
  /** The host declares that it reads page-locked memory. */
  HOST_READS(
      "gpu.hostReads({from}, {length})",
      (on, s) ->
          on.backend().hostReads(on.pinned(s.source()), s.source().offset(), s.source().bytes())),
  /** The host declares that it writes page-locked memory. */
  HOST_WRITES(
      "gpu.hostWrites({into}, {bytes})",
      (on, s) ->
          on.backend().hostWrites(on.pinned(s.target()), s.target().offset(), s.target().bytes())),
  /** A write of the host to page-locked memory, through a view, was detected. */
  HOST_CHANGES("{changes}", (on, s) -> on.change(s.target())),

  /** A pool reports an allocation; text: its tag, empty without one. */
  TELL_ALLOCATED(
      "{device}.getMemoryObserver().allocated({target}, {bytes}, {0}{tag})",
      (on, s) -> on.observer(s).allocated(on.start(s), s.target().bytes(), on.stream(s), s.text()),
      STREAM),
  /** A user records a use by another stream. */
  TELL_USED(
      "{device}.getMemoryObserver().used({target}, {0})",
      (on, s) -> on.observer(s).used(on.start(s), on.stream(s)), STREAM),
  /** A pool reports a free. */
  TELL_FREED(
      "{device}.getMemoryObserver().freed({target}, {0})",
      (on, s) -> on.observer(s).freed(on.start(s), on.stream(s)), STREAM),
  /** A pool reports that it divides memory into blocks. */
  TELL_SEGMENT_TAKEN(
      "{device}.getMemoryObserver().segmentTaken({target}, {bytes})",
      (on, s) -> on.observer(s).segmentTaken(on.start(s), s.target().bytes())),
  /** A pool reports that it is about to return memory that it has divided. */
  TELL_SEGMENT_GIVEN_BACK(
      "{device}.getMemoryObserver().segmentGivenBack({target})",
      (on, s) -> on.observer(s).segmentGivenBack(on.start(s))),
  /** A pool reports that it is about to unmap memory whose blocks stay live. */
  TELL_SUSPENDED(
      "{device}.getMemoryObserver().suspended({target}, {bytes})",
      (on, s) -> on.observer(s).suspended(on.start(s), s.target().bytes())),
  /** A pool reports an allocation of page-locked memory. */
  TELL_ALLOCATED_ON_HOST(
      "{device}.getMemoryObserver().allocatedOnHost({target}, {bytes})",
      (on, s) -> on.observer(s).allocatedOnHost(on.start(s), s.target().bytes())),
  /** A pool reports a free of page-locked memory. */
  TELL_FREED_ON_HOST(
      "{device}.getMemoryObserver().freedOnHost({target})",
      (on, s) -> on.observer(s).freedOnHost(on.start(s))),
  /** The host thread enters a pool, which makes the following calls. */
  ENTER_POOL("{device}.getMemoryObserver().enterPool()", (on, s) -> on.observer(s).enterPool()),
  /** The host thread leaves the pool. */
  LEAVE_POOL("{device}.getMemoryObserver().leavePool()", (on, s) -> on.observer(s).leavePool()),

  /** Enables peer access; value: ordinal of the other. */
  ENABLE_PEER(
      "{device}.getPeerAccess().enable({other})",
      (on, s) -> on.device(s).getPeerAccess().enable(on.other(s))),
  /** Disables peer access; value: ordinal of the other. */
  DISABLE_PEER(
      "{device}.getPeerAccess().disable({other})",
      (on, s) -> on.device(s).getPeerAccess().disable(on.other(s))),

  /** Begins to capture a stream. */
  BEGIN_CAPTURE(
      "{device}.getGraphs().beginCapture({0})",
      (on, s) -> on.device(s).getGraphs().beginCapture(on.stream(s)), STREAM),
  /** Ends the capture of a stream. */
  END_CAPTURE(
      GRAPH,
      "{device}.getGraphs().endCapture({0})",
      (on, s) -> on.device(s).getGraphs().endCapture(on.stream(s)),
      STREAM),
  /** Launches a graph. */
  LAUNCH_GRAPH("{0}.launch({1})", (on, s) -> on.graph(s).launch(on.stream(s)), GRAPH, STREAM),
  /** Closes a graph. */
  CLOSE_GRAPH("{0}.close()", (on, s) -> on.graph(s).close(), GRAPH),
  /** Relaxes the capture mode of a thread. */
  RELAX_CAPTURE(
      RELAXATION, "{device}.getGraphs().relax()", (on, s) -> on.device(s).getGraphs().relax()),
  /** Restores the capture mode. */
  END_RELAXATION("{0}.close()", (on, s) -> on.relaxation(s).close(), RELAXATION),

  /** Runs a function of the host in a stream; text: its name. */
  HOST_FUNCTION(
      "{0}.callHost({text}, () -> {block})",
      (on, s) -> on.stream(s).callHost(s.text(), on.bodyOf(s)), STREAM),
  /** Creates a closed gate; text: its name. */
  CREATE_GATE(GATE, "gpu.createGate({text})", (on, s) -> on.backend().createGate(s.text())),
  /** Opens a gate. */
  OPEN_GATE("{0}.open()", (on, s) -> on.gate(s).open(), GATE),
  /** Makes a stream wait for a gate. */
  WAIT_FOR_GATE("{0}.waitFor({1})", (on, s) -> on.stream(s).waitFor(on.gate(s)), STREAM, GATE),

  /** Creates a hand-off between host threads. */
  CREATE_HAND_OFF(HAND_OFF, "gpu.newHandOff()", (on, s) -> on.backend().newHandOff()),
  /** Publishes what the host thread knows. */
  PUBLISH("{0}.publish()", (on, s) -> on.handOff(s).publish(), HAND_OFF),
  /** Receives what was published. */
  RECEIVE("{0}.receive()", (on, s) -> on.handOff(s).receive(), HAND_OFF),
  /** Receives, and publishes all that the host thread learns. */
  BEGIN_HAND_OFF(HAND_OFF_SCOPE, "{0}.begin()", (on, s) -> on.handOff(s).begin(), HAND_OFF),
  /** Stops publishing. */
  END_HAND_OFF("{0}.close()", (on, s) -> on.scope(s).close(), HAND_OFF_SCOPE),
  /** The host thread has ended, and all others may rely on what it knew. */
  END_THREAD("{thread}.shutdown(); {thread}.awaitTermination(1, TimeUnit.MINUTES)", (on, s) -> {}),

  /** Makes a device current on the host thread. */
  BIND(BINDING, "{device}.bind()", (on, s) -> on.device(s).bind()),
  /** Ends a binding. */
  UNBIND("{0}.close()", (on, s) -> on.binding(s).close(), BINDING),
  /** Lets virtual time pass; value: nanoseconds. */
  ADVANCE("gpu.advance({value})", (on, s) -> on.backend().advance(s.value())),
  /** The host stands still until a host function has begun. */
  STAND_STILL("gpu.standStill()", (on, s) -> on.backend().standStill()),
  /** Runs all queued work that nothing holds. */
  FINISH("gpu.finish()", (on, s) -> on.backend().finish()),
  /** Ends all hanging work. */
  END_HANGS("gpu.getFaults().endHangs()", (on, s) -> on.backend().getFaults().endHangs()),
  /** Another process takes memory of a device; value: bytes. */
  OCCUPY("{device}.occupy({value})", (on, s) -> on.device(s).occupy(s.value())),
  /** Another process returns memory of a device; value: bytes. */
  VACATE("{device}.vacate({value})", (on, s) -> on.device(s).vacate(s.value()));

  /** Makes a call with a result; memory is known by its address or handle. */
  @FunctionalInterface
  private interface Making {
    Object make(Stage on, Step step);
  }

  /** Makes a call. */
  @FunctionalInterface
  private interface Calling {
    void call(Stage on, Step step);
  }

  private static final Map<String, StepKind> BY_WORD =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(StepKind::getWord, Function.identity()));

  private final OperandKind made;
  private final String java;
  private final Calling calling;
  private final List<OperandKind> roles;

  StepKind(OperandKind made, String java, Making making, OperandKind... roles) {
    this.made = made;
    this.java = java;
    this.calling = (on, step) -> on.keep(step, making.make(on, step));
    this.roles = List.of(roles);
  }

  StepKind(String java, Calling calling, OperandKind... roles) {
    this.made = NOTHING;
    this.java = java;
    this.calling = calling;
    this.roles = List.of(roles);
  }

  /** Makes the call of a step again. */
  void call(Stage on, Step step) {
    calling.call(on, step);
  }

  /** Returns the call as Java, with placeholders in braces. */
  String getJava() {
    return java;
  }

  /** Returns the kind of the result of a step of this kind. */
  public OperandKind getMade() {
    return made;
  }

  /** Returns the kinds of the operands, in the order of {@link Step#uses}. */
  public List<OperandKind> getRoles() {
    return roles;
  }

  private boolean hasPlaceholder(String... words) {
    for (String word : words) {
      if (java.contains("{" + word + "}")) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a step has a range that it reads. */
  boolean hasSource() {
    return hasPlaceholder("source", "from", "buffer");
  }

  /** Returns whether a step has a range that it writes, allocates or frees. */
  boolean hasTarget() {
    return hasPlaceholder("target", "into", "changes");
  }

  /** Returns whether the range that a step reads lies in a page-locked buffer. */
  boolean isFromPinned() {
    return hasPlaceholder("from", "buffer");
  }

  /** Returns whether the range that a step writes lies in a page-locked buffer. */
  boolean isIntoPinned() {
    return hasPlaceholder("into", "changes");
  }

  /** Returns whether the call is a method of a device. */
  boolean namesDevice() {
    return hasPlaceholder("device");
  }

  /** Returns whether {@link Step#value} is the ordinal of another device. */
  public boolean isAboutTwoDevices() {
    return hasPlaceholder("other");
  }

  /** Returns whether a step of this kind is a query, whose answer is yes or no. */
  public boolean isQuery() {
    return this == QUERY_STREAM || this == QUERY_EVENT;
  }

  /** Returns whether a step of this kind frees its memory. */
  public boolean isEnd() {
    return this == FREE || this == POOL_FREE || this == UNRESERVE || this == CLOSE_PINNED;
  }

  /** Returns whether {@link Step#value} is the size of the result. */
  public boolean isSized() {
    return made == MEMORY || made == PHYSICAL || made == PINNED;
  }

  /** Returns whether a step of this kind launches a kernel. */
  public boolean isLaunch() {
    return this == LAUNCH || this == LAUNCH_ATOMIC;
  }

  /** Returns the name of the kind in files, such as {@code record-event}. */
  @JsonValue
  public String getWord() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the kind of a name.
   *
   * @throws InvalidArgumentException if no kind has this name
   */
  @JsonCreator
  public static StepKind of(String word) {
    StepKind kind = BY_WORD.get(Objects.requireNonNull(word, "word"));
    if (kind == null) {
      throw new InvalidArgumentException(
          "no step is called '" + word + "'; a newer version may have recorded it: update vramkit");
    }
    return kind;
  }
}
