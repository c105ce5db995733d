package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;

/**
 * Pieces of memory that came back while streams that had been recorded still use them.
 *
 * <p>Each such stream has a line of marks in the order of their return. Asking begins with the
 * oldest of a line and stops at the first that is not passed, so a piece costs one question in all,
 * and a stream that is behind one in each round, however much it holds. A round goes over all lines
 * or, where finding nothing only costs a driver call, over as many as {@value #MOST_IN_VAIN} in
 * vain, and the next one goes on from there.
 *
 * <p>The lock of the pool guards what is here. Methods that call the driver take it themselves, for
 * moments at a time, and are called without it: no hit waits for a question.
 *
 * @param <T> a piece; its {@code equals} must be identity
 */
public final class InFlight<T> {
  private static final int MOST_IN_VAIN = 16;

  /** One stream's marks; by identity, as a closed stream and the next of its handle are two. */
  private static final class Line<T> {
    final Stream stream;
    final Chain<Wait<T>> waits = new Chain<>();

    Line(Stream stream) {
      this.stream = stream;
    }
  }

  /** One piece in one line, until it has left. */
  private static final class Wait<T> extends Chain.Link<Wait<T>> {
    final T piece;
    final Mark mark;
    final Line<T> line;
    boolean left;

    Wait(T piece, Mark mark, Line<T> line) {
      this.piece = piece;
      this.mark = mark;
      this.line = line;
    }
  }

  private final PoolLock lock;
  private final ToLongFunction<T> sizes;
  private final Function<T, RecordedUses> uses;
  private final Consumer<T> settled;

  /** All pieces with their places in lines, in the order of their return. */
  private final Map<T, List<Wait<T>>> pieces = new LinkedHashMap<>();

  /** Those with users that could not be marked. */
  private final Set<T> unmarked = new LinkedHashSet<>(0);

  /** The lines that are not empty; the one that was asked last at the end. */
  private final Set<Line<T>> lines = new LinkedHashSet<>();

  private final Map<Stream, Line<T>> lineOf = new HashMap<>();
  private long bytes;

  /**
   * None.
   *
   * @param lock the pool's
   * @param sizes tells the bytes of a piece
   * @param uses tells its users, all marked as far as the driver allowed
   * @param settled takes a piece that nobody uses any more, under the lock
   */
  public InFlight(
      PoolLock lock, ToLongFunction<T> sizes, Function<T, RecordedUses> uses, Consumer<T> settled) {
    this.lock = lock;
    this.sizes = sizes;
    this.uses = uses;
    this.settled = settled;
  }

  /** Takes a piece in; one that nobody uses is settled at once. Locked. */
  public void add(T piece) {
    if (uses.apply(piece).isEmpty()) {
      settled.accept(piece);
    } else {
      bytes += sizes.applyAsLong(piece);
      lineUp(piece);
    }
  }

  /** Gives a piece its places by its users. */
  private void lineUp(T piece) {
    RecordedUses users = uses.apply(piece);
    List<Wait<T>> waits = new ArrayList<>(1);
    for (Mark mark : users.marks()) {
      Wait<T> wait = new Wait<>(piece, mark, line(mark.stream()));
      wait.line.waits.add(wait);
      waits.add(wait);
    }
    pieces.put(piece, waits);
    if (!users.isMarked()) {
      unmarked.add(piece);
    }
  }

  private Line<T> line(Stream stream) {
    Line<T> known = lineOf.get(stream);
    if (known == null || !Streams.areSame(known.stream, stream)) {
      known = new Line<>(stream);
      lines.add(known);
      lineOf.put(stream, known);
    }
    return known;
  }

  private void settleIfUnused(T piece) {
    List<Wait<T>> waits = pieces.get(piece);
    if (waits != null && waits.isEmpty() && !unmarked.contains(piece)) {
      remove(piece);
      settled.accept(piece);
    }
  }

  /**
   * Takes a piece out, whose users are its new owner's matter; false if it was not here. Locked.
   */
  public boolean remove(T piece) {
    if (!pieces.containsKey(piece)) {
      return false;
    }
    leaveLines(piece);
    pieces.remove(piece);
    unmarked.remove(piece);
    bytes -= sizes.applyAsLong(piece);
    return true;
  }

  private void leaveLines(T piece) {
    for (Wait<T> wait : pieces.getOrDefault(piece, List.of())) {
      leave(wait);
    }
  }

  private void leave(Wait<T> wait) {
    Line<T> line = wait.line;
    wait.left = true;
    line.waits.remove(wait);
    if (line.waits.oldest() == null) {
      lines.remove(line);
      lineOf.remove(line.stream, line);
    }
  }

  /** Takes the piece out that came first; null if there is none. Locked. */
  public @Nullable T takeOldest() {
    T oldest = isEmpty() ? null : pieces.keySet().iterator().next();
    if (oldest != null) {
      remove(oldest);
    }
    return oldest;
  }

  /** Takes all out, in the order in which they came. Locked. */
  public List<T> takeAll() {
    List<T> all = List.copyOf(pieces.keySet());
    all.forEach(this::remove);
    return all;
  }

  /** Whether there is none. Locked. */
  public boolean isEmpty() {
    return pieces.isEmpty();
  }

  /** How many bytes there are. Locked. */
  public long bytes() {
    return bytes;
  }

  /**
   * Asks every stream. Where the driver fails, what was settled before is settled, and all else is
   * still here.
   */
  public void settleAll() {
    settle(() -> false, Integer.MAX_VALUE);
  }

  /**
   * Asks one stream after the other until there is enough, or a few were asked in vain.
   *
   * @param enough asked under the lock
   */
  public void settleUntil(BooleanSupplier enough) {
    settle(enough, MOST_IN_VAIN);
  }

  private void settle(BooleanSupplier enough, int mostInVain) {
    markMore();
    int round = lock.get(lines::size);
    int vain = 0;
    for (int i = 0; i < round && vain < mostInVain && !lock.get(enough::getAsBoolean); i++) {
      Line<T> next = lock.get(this::nextLine);
      if (next == null) {
        return;
      }
      if (!isDrained(next)) {
        vain++;
      }
    }
  }

  private @Nullable Line<T> nextLine() {
    if (lines.isEmpty()) {
      return null;
    }
    Line<T> next = lines.iterator().next();
    lines.remove(next);
    lines.add(next);
    return next;
  }

  /** Asks a line until its oldest is not passed; whether it came to the end. */
  private boolean isDrained(Line<T> line) {
    while (true) {
      Wait<T> oldest = lock.get(line.waits::oldest);
      if (oldest == null) {
        return true;
      }
      if (!oldest.mark.isPassed()) {
        return false;
      }
      if (lock.get(() -> isPassed(oldest))) {
        oldest.mark.close();
      }
    }
  }

  /** A mark is passed; false if another thread was first, or has taken the piece. */
  private boolean isPassed(Wait<T> wait) {
    if (wait.left) {
      return false;
    }
    leave(wait);
    List<Wait<T>> waits = pieces.get(wait.piece);
    if (waits != null) {
      waits.remove(wait);
    }
    uses.apply(wait.piece).passed(wait.mark);
    settleIfUnused(wait.piece);
    return true;
  }

  private void markMore() {
    for (T piece : lock.get(() -> List.copyOf(unmarked))) {
      uses.apply(piece).markMore();
      lock.get(() -> refresh(piece));
    }
  }

  /** Brings the places of a piece up to date; false if another thread has taken it. */
  private boolean refresh(T piece) {
    boolean here = pieces.containsKey(piece);
    if (here) {
      leaveLines(piece);
      unmarked.remove(piece);
      lineUp(piece);
      settleIfUnused(piece);
    }
    return here;
  }

  /**
   * Waits on the host for the users of the piece that came first.
   *
   * @return false if there is no piece
   */
  public boolean awaitOldest() {
    T oldest = lock.get(() -> isEmpty() ? null : pieces.keySet().iterator().next());
    if (oldest == null) {
      return false;
    }
    List<Mark> passed = uses.apply(oldest).awaitMarks();
    List<Wait<T>> waits = lock.get(() -> List.copyOf(pieces.getOrDefault(oldest, List.of())));
    for (Wait<T> wait : waits) {
      if (passed.contains(wait.mark) && lock.get(() -> isPassed(wait))) {
        wait.mark.close();
      }
    }
    lock.get(() -> refresh(oldest));
    return true;
  }
}
