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
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.FatalDeviceException;

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

  /**
   * One piece from when it came in until it is taken out or settled. Whoever calls the driver for
   * it, without the lock, learns by it that the piece has been another owner's since, whose users
   * are not the ones that were asked about.
   */
  private static final class Stay<T> {
    final T piece;
    final RecordedUses users;
    final List<Wait<T>> waits = new ArrayList<>(1);
    boolean ended;

    Stay(T piece, RecordedUses users) {
      this.piece = piece;
      this.users = users;
    }

    List<Stream> unmarked() {
      return ended ? List.of() : users.unmarked();
    }

    boolean putMark(Stream user, @Nullable Mark mark) {
      return !ended && users.putMark(user, mark);
    }

    List<Mark> takeMarks() {
      return ended ? List.of() : users.takeMarks();
    }
  }

  /** One piece in one line, until it has left. */
  private static final class Wait<T> extends Chain.Link<Wait<T>> {
    final Stay<T> stay;
    final Mark mark;
    final Line<T> line;
    boolean left;

    Wait(Stay<T> stay, Mark mark, Line<T> line) {
      this.stay = stay;
      this.mark = mark;
      this.line = line;
    }
  }

  private final PoolLock lock;
  private final ToLongFunction<T> sizes;
  private final Function<T, RecordedUses> uses;
  private final Consumer<T> settled;

  /** All pieces, in the order of their return. */
  private final Map<T, Stay<T>> pieces = new LinkedHashMap<>();

  /** Those with users that could not be marked. */
  private final Set<Stay<T>> unmarked = new LinkedHashSet<>(0);

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
    RecordedUses users = uses.apply(piece);
    if (users.isEmpty()) {
      settled.accept(piece);
    } else {
      bytes += sizes.applyAsLong(piece);
      Stay<T> stay = new Stay<>(piece, users);
      pieces.put(piece, stay);
      lineUp(stay);
    }
  }

  /** Gives a piece its places by its users. */
  private void lineUp(Stay<T> stay) {
    for (Mark mark : stay.users.marks()) {
      Wait<T> wait = new Wait<>(stay, mark, line(mark.stream()));
      wait.line.waits.add(wait);
      stay.waits.add(wait);
    }
    if (!stay.users.isMarked()) {
      unmarked.add(stay);
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

  private void settleIfUnused(Stay<T> stay) {
    if (stay.waits.isEmpty() && !unmarked.contains(stay)) {
      remove(stay.piece);
      settled.accept(stay.piece);
    }
  }

  /**
   * Takes a piece out, whose users are its new owner's matter; false if it was not here. Locked.
   */
  public boolean remove(T piece) {
    Stay<T> stay = pieces.remove(piece);
    if (stay == null) {
      return false;
    }
    stay.ended = true;
    leaveLines(stay);
    bytes -= sizes.applyAsLong(piece);
    return true;
  }

  private void leaveLines(Stay<T> stay) {
    stay.waits.forEach(this::leave);
    stay.waits.clear();
    unmarked.remove(stay);
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
    wait.stay.waits.remove(wait);
    wait.stay.users.passed(wait.mark);
    settleIfUnused(wait.stay);
    return true;
  }

  private void markMore() {
    for (Stay<T> stay : lock.get(() -> List.copyOf(unmarked))) {
      unlessLost(stay, () -> markUsers(stay, refused -> false));
    }
  }

  /**
   * Marks the users that could not be marked before.
   *
   * @param isOver told of each that still cannot be: whether its work is done
   */
  private void markUsers(Stay<T> stay, Predicate<Stream> isOver) {
    for (Stream user : lock.get(stay::unmarked)) {
      Mark mark = RecordedUses.tryMark(user);
      if (mark != null || isOver.test(user)) {
        putMark(stay, user, mark);
      }
    }
  }

  /** A user has a mark, or needs none; not where the piece is another owner's by now. */
  private void putMark(Stay<T> stay, Stream user, @Nullable Mark mark) {
    if (!lock.get(() -> stay.putMark(user, mark)) && mark != null) {
      mark.close();
    }
  }

  /** Does something for the users of a piece; nobody uses it any more if the device is lost. */
  private void unlessLost(Stay<T> stay, Runnable action) {
    try {
      action.run();
    } catch (FatalDeviceException e) {
      Batch.after(e, () -> Batch.forEach(lock.get(stay::takeMarks), Mark::close));
      throw e;
    } finally {
      lock.perform(() -> refresh(stay));
    }
  }

  /** Brings the places of a piece up to date, unless it was taken. */
  private void refresh(Stay<T> stay) {
    if (!stay.ended) {
      leaveLines(stay);
      lineUp(stay);
      settleIfUnused(stay);
    }
  }

  /**
   * Waits on the host for the users of the piece that came first.
   *
   * @return false if there is no piece
   */
  public boolean awaitOldest() {
    Stay<T> oldest = lock.get(() -> isEmpty() ? null : pieces.values().iterator().next());
    if (oldest == null) {
      return false;
    }
    unlessLost(oldest, () -> markUsers(oldest, InFlight::isAwaited));
    unlessLost(oldest, () -> awaitMarks(oldest));
    return true;
  }

  private static boolean isAwaited(Stream user) {
    Waits.awaitAll(user.getDevice());
    return true;
  }

  private void awaitMarks(Stay<T> stay) {
    for (Wait<T> wait : lock.get(() -> List.copyOf(stay.waits))) {
      wait.mark.await();
      if (lock.get(() -> isPassed(wait))) {
        wait.mark.close();
      }
    }
  }
}
