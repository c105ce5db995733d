package org.vramkit.sim.program;

import static org.vramkit.sim.program.OperandKind.BINDING;
import static org.vramkit.sim.program.OperandKind.EVENT;
import static org.vramkit.sim.program.OperandKind.GATE;
import static org.vramkit.sim.program.OperandKind.GRAPH;
import static org.vramkit.sim.program.OperandKind.HAND_OFF;
import static org.vramkit.sim.program.OperandKind.HAND_OFF_SCOPE;
import static org.vramkit.sim.program.OperandKind.MEMORY;
import static org.vramkit.sim.program.OperandKind.NOTHING;
import static org.vramkit.sim.program.OperandKind.PHYSICAL;
import static org.vramkit.sim.program.OperandKind.PINNED;
import static org.vramkit.sim.program.OperandKind.POOL;
import static org.vramkit.sim.program.OperandKind.RELAXATION;
import static org.vramkit.sim.program.OperandKind.STREAM;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * What a step does: what it makes, and the operands that it refers to, in this order. The meaning
 * of {@link Step#value} and {@link Step#text} is told at each kind that uses them.
 */
public enum StepKind {
  /** The legacy default stream of a device. */
  DEFAULT_STREAM(STREAM),
  /** A new stream; text: name of its {@code StreamKind}. */
  CREATE_STREAM(STREAM),
  /** A new stream that follows no default stream; text: what reports call it. */
  CREATE_NAMED_STREAM(STREAM),
  /** Closes a stream. */
  CLOSE_STREAM(NOTHING, STREAM),
  /** Asks whether a stream is idle; value: 1 for yes. */
  QUERY_STREAM(NOTHING, STREAM),
  /** Waits for a stream. */
  SYNCHRONIZE_STREAM(NOTHING, STREAM),
  /** Waits for a stream on behalf of all host threads. */
  SYNCHRONIZE_STREAM_FOR_ALL(NOTHING, STREAM),
  /** Waits for all streams of a device. */
  SYNCHRONIZE_DEVICE(NOTHING),

  /** A new event. */
  CREATE_EVENT(EVENT),
  /** Closes an event. */
  CLOSE_EVENT(NOTHING, EVENT),
  /** Marks a stream. */
  RECORD_EVENT(NOTHING, EVENT, STREAM),
  /** Makes a stream wait for an event. */
  WAIT_FOR_EVENT(NOTHING, STREAM, EVENT),
  /** Asks whether an event is complete; value: 1 for yes. */
  QUERY_EVENT(NOTHING, EVENT),
  /** Waits for an event. */
  SYNCHRONIZE_EVENT(NOTHING, EVENT),

  /** Starts a kernel; text: its name, value: its nanoseconds, -1 if they follow from its bytes. */
  LAUNCH(NOTHING, STREAM),
  /** The same of a kernel with atomic operations, on what it both reads and writes. */
  LAUNCH_ATOMIC(NOTHING, STREAM),
  /** Fills memory; value: what each byte is set to. */
  FILL(NOTHING, STREAM),
  /** Copies on the device. */
  COPY(NOTHING, STREAM),
  /** Copies from a buffer of the host. */
  COPY_FROM_HOST(NOTHING, STREAM),
  /** Copies to a buffer of the host. */
  COPY_TO_HOST(NOTHING, STREAM),
  /** Copies from page-locked memory; value: 1 if the host wrote it through views. */
  COPY_FROM_PINNED(NOTHING, STREAM),
  /** Copies to page-locked memory. */
  COPY_TO_PINNED(NOTHING, STREAM),

  /** Plain allocation; value: bytes. */
  ALLOCATE(MEMORY),
  /** Plain free. */
  FREE(NOTHING),

  /** The default pool of a device. */
  DEFAULT_POOL(POOL),
  /** A new pool of the driver; value: its maximum in bytes, 0 for none. */
  CREATE_POOL(POOL),
  /** Closes a pool of the driver. */
  CLOSE_POOL(NOTHING, POOL),
  /** Allocates from a pool of the driver in stream order; value: bytes. */
  POOL_ALLOCATE(MEMORY, POOL, STREAM),
  /** Frees to a pool of the driver in stream order. */
  POOL_FREE(NOTHING, POOL, STREAM),
  /** Trims a pool; value: bytes to keep. */
  TRIM_POOL(NOTHING, POOL),
  /** Sets a pool's release threshold; value: bytes. */
  SET_POOL_THRESHOLD(NOTHING, POOL),
  /** Sets how a pool reuses memory; text: name of the {@code DriverPoolReuse}, value: 1 for on. */
  SET_POOL_REUSE(NOTHING, POOL),

  /** Opens a pool to a device, or closes it; value: its ordinal, text: allowed or forbidden. */
  SET_POOL_ACCESS(NOTHING, POOL),

  /** Reserves addresses; value: bytes. */
  RESERVE(MEMORY),
  /** Gives reserved addresses back. */
  UNRESERVE(NOTHING),
  /** Takes physical memory; value: bytes. */
  CREATE_PHYSICAL(PHYSICAL),
  /** Gives physical memory back. */
  RELEASE_PHYSICAL(NOTHING, PHYSICAL),
  /** Maps physical memory. */
  MAP(NOTHING, PHYSICAL),
  /** Lets a device access a range; value: its ordinal. */
  SET_ACCESS(NOTHING),
  /** Unmaps a range. */
  UNMAP(NOTHING),

  /** Allocates page-locked memory; value: bytes. */
  ALLOCATE_PINNED(PINNED),
  /** Page-locks memory of the host's own; value: bytes. */
  REGISTER_PINNED(PINNED),
  /** Allocates managed memory, which later steps use as page-locked memory; value: bytes. */
  ALLOCATE_MANAGED(PINNED),
  /** Gives page-locked or managed memory back. */
  CLOSE_PINNED(NOTHING, PINNED),
  /** The host takes a view of page-locked memory. */
  VIEW_PINNED(NOTHING),
  /** The host says that it reads page-locked memory. */
  HOST_READS(NOTHING),
  /** The host says that it writes page-locked memory. */
  HOST_WRITES(NOTHING),
  /** The host was noticed to have written page-locked memory, through a view that it took. */
  HOST_CHANGES(NOTHING),

  /**
   * A pool tells that it handed out a block; text: what its user calls it, empty without a name.
   */
  TELL_ALLOCATED(NOTHING, STREAM),
  /** A user tells of a use by another stream. */
  TELL_USED(NOTHING, STREAM),
  /** A pool tells that it took a block back. */
  TELL_FREED(NOTHING, STREAM),
  /** A pool tells that it took memory to hand out blocks of it. */
  TELL_SEGMENT_TAKEN(NOTHING),
  /** A pool tells that it is about to give such memory back. */
  TELL_SEGMENT_GIVEN_BACK(NOTHING),
  /** A pool tells that it handed out page-locked memory. */
  TELL_ALLOCATED_ON_HOST(NOTHING),
  /** A pool tells that it took page-locked memory back. */
  TELL_FREED_ON_HOST(NOTHING),
  /** The host thread is inside a pool from here on, whose own its calls are. */
  ENTER_POOL(NOTHING),
  /** It is no longer. */
  LEAVE_POOL(NOTHING),

  /** Lets a device's work use another's memory; value: ordinal of the other. */
  ENABLE_PEER(NOTHING),
  /** Takes that back; value: ordinal of the other. */
  DISABLE_PEER(NOTHING),

  /** Begins to capture a stream. */
  BEGIN_CAPTURE(NOTHING, STREAM),
  /** Ends the capture of a stream. */
  END_CAPTURE(GRAPH, STREAM),
  /** Launches a graph. */
  LAUNCH_GRAPH(NOTHING, GRAPH, STREAM),
  /** Closes a graph. */
  CLOSE_GRAPH(NOTHING, GRAPH),
  /** Lets a thread that captures take memory. */
  RELAX_CAPTURE(RELAXATION),
  /** Ends that. */
  END_RELAXATION(NOTHING, RELAXATION),

  /** Runs a function of the host in a stream; text: its name. */
  HOST_FUNCTION(NOTHING, STREAM),
  /** A closed gate; text: its name. */
  CREATE_GATE(GATE),
  /** Opens a gate. */
  OPEN_GATE(NOTHING, GATE),
  /** Makes a stream wait for a gate. */
  WAIT_FOR_GATE(NOTHING, STREAM, GATE),

  /** A new hand-over between host threads. */
  CREATE_HAND_OFF(HAND_OFF),
  /** Leaves what the host thread knows in a hand-over. */
  PUBLISH(NOTHING, HAND_OFF),
  /** Takes over what was left in a hand-over. */
  RECEIVE(NOTHING, HAND_OFF),
  /** Takes over, and leaves from now on all that the host thread learns. */
  BEGIN_HAND_OFF(HAND_OFF_SCOPE, HAND_OFF),
  /** Ends that. */
  END_HAND_OFF(NOTHING, HAND_OFF_SCOPE),
  /** The host thread is over; what it knew belongs to all others. */
  END_THREAD(NOTHING),

  /** Makes a device current on the host thread. */
  BIND(BINDING),
  /** Leaves the host thread as it was found. */
  UNBIND(NOTHING, BINDING),

  /** Lets virtual time pass; value: nanoseconds. */
  ADVANCE(NOTHING),
  /** The host stands still until a host function has begun. */
  STAND_STILL(NOTHING),
  /** Lets all queued work run that nothing holds. */
  FINISH(NOTHING),
  /** Lets all work that hangs come to its end. */
  END_HANGS(NOTHING),
  /** Another process takes memory of a device; value: bytes. */
  OCCUPY(NOTHING),
  /** Another process gives memory of a device back; value: bytes. */
  VACATE(NOTHING);

  private final OperandKind made;

  @SuppressWarnings("ImmutableEnumChecker") // List.of makes an immutable list.
  private final List<OperandKind> roles;

  StepKind(OperandKind made, OperandKind... roles) {
    this.made = made;
    this.roles = List.of(roles);
  }

  /** What it makes. */
  public OperandKind getMade() {
    return made;
  }

  /** The kinds of the operands that it refers to, in the order of {@link Step#uses}. */
  public List<OperandKind> getRoles() {
    return roles;
  }

  /** Whether it is a question, which may be answered with yes or no. */
  public boolean isQuery() {
    return this == QUERY_STREAM || this == QUERY_EVENT;
  }

  /** Whether the memory that it refers to is no longer the program's afterwards. */
  public boolean isEnd() {
    return this == FREE || this == POOL_FREE || this == UNRESERVE || this == CLOSE_PINNED;
  }

  /** Whether its value is a number of bytes that it makes something of. */
  public boolean isSized() {
    return made == MEMORY || made == PHYSICAL || made == PINNED;
  }

  /** Whether its value is the ordinal of another device. */
  public boolean isAboutTwoDevices() {
    return this == SET_ACCESS
        || this == SET_POOL_ACCESS
        || this == ENABLE_PEER
        || this == DISABLE_PEER;
  }

  /** Whether it starts a kernel. */
  public boolean isLaunch() {
    return this == LAUNCH || this == LAUNCH_ATOMIC;
  }

  /** Its name in files, such as {@code record-event}. */
  public String getWord() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The kind of that name.
   *
   * @throws InvalidArgumentException if there is none
   */
  public static StepKind of(String word) {
    Objects.requireNonNull(word, "word");
    for (StepKind kind : values()) {
      if (kind.getWord().equals(word)) {
        return kind;
      }
    }
    throw new InvalidArgumentException(
        "no step is called '" + word + "'; a newer version may have recorded it: update vramkit");
  }
}
