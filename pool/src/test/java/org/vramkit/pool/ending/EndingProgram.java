package org.vramkit.pool.ending;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;

/**
 * A short program that makes a subject do all that calls the driver, to its end. Where a call goes
 * wrong it goes on: what it asked for it asks for once more, and then it must get it.
 */
final class EndingProgram {
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimDevice device = backend.getDevice(0);
  private final BrokenDevice broken;
  private final List<Stream> streams = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();
  private final Function<Device, Subject> maker;
  private @Nullable Subject subject;
  private long unit;
  private long handles;
  private String doing = "make it";

  EndingProgram(Function<Device, Subject> maker, Breakage breakage, int nth) {
    this.broken = new BrokenDevice(backend, breakage, nth);
    this.maker = maker;
  }

  /** What it does at the moment. */
  @Override
  public String toString() {
    return doing;
  }

  List<String> calls() {
    return broken.calls();
  }

  boolean isBroken() {
    return broken.isBroken();
  }

  // ---- the program ----

  /** All of it, to an end at which everything went back. */
  void run() {
    subject = insist(() -> maker.apply(broken.device));
    unit = subject.unit();
    Stream one = newStream();
    Stream other = newStream();
    doing = "use memory on its own stream, and on another";
    Held own = take(unit, one);
    own.work(one);
    Held shared = take(unit, other);
    shared.work(other);
    useElsewhere(shared, other, one);
    close(own);
    close(shared);
    doing = "use it again";
    Held again = take(unit, other);
    again.work(other);
    Held third = take(unit, one);
    third.work(one);
    close(third);
    close(again);
    doing = "close streams before the memory";
    Stream brief = newStream();
    Stream user = newStream();
    Held ofBrief = take(unit, brief);
    Held usedByBrief = take(2 * unit, one);
    ofBrief.work(brief);
    usedByBrief.work(one);
    useElsewhere(usedByBrief, one, user);
    brief.close();
    user.close();
    close(ofBrief);
    close(usedByBrief);
    doing = "trim";
    insist(subject()::trim);
    doing = "run out of memory";
    passBetween(one, other);
    doing = "let time pass";
    backend.advance(100 * Work.NANOS);
    close(take(unit, one));
    Held last = take(unit, other);
    last.work(other);
    close(last);
    end();
  }

  /** What one stream is busy with is wanted by the other: the same size, and another one. */
  private void passBetween(Stream one, Stream other) {
    for (long units : new long[] {5, 6}) {
      for (Stream stream : List.of(one, other, one)) {
        Held most = take(units * unit, stream);
        most.work(stream);
        close(most);
      }
    }
  }

  private void end() {
    doing = "close it";
    insist(subject()::close);
    subject().close();
    insist(subject()::closeBeneath);
    subject().assertEmpty();
    streams.forEach(Stream::close);
    device.synchronize();
    assertEquals(device.getMemoryInfo().totalBytes(), device.getMemoryInfo().freeBytes(), "free");
    assertClean();
  }

  /** The same until the subject says that an error of the JVM has broken it; then it is closed. */
  void runAndBreak() {
    try {
      run();
    } catch (IllegalStateException broken) {
      assertTrue(String.valueOf(broken.getMessage()).contains("is broken"), broken::toString);
      assertInstanceOf(VirtualMachineError.class, broken.getCause(), "the cause");
      doing = "close what is broken, having tried to " + doing;
      List.copyOf(held).forEach(Held::close);
      held.clear();
      subject().close();
      subject().close();
      subject().closeBeneath();
      subject().assertEmpty();
      streams.forEach(Stream::close);
      device.synchronize();
      assertEquals(device.getMemoryInfo().totalBytes(), device.getMemoryInfo().freeBytes(), "free");
      assertClean();
    }
  }

  /** The same until the device is lost; then it lets go of all it has. */
  void runAndLose() {
    try {
      run();
    } catch (FatalDeviceException lost) {
      doing = "let go of what was lost, having tried to " + doing;
      held.forEach(each -> tolerateLoss(each::close));
      if (subject != null) {
        tolerateLoss(subject::close);
        subject.close();
        tolerateLoss(subject::closeBeneath);
        subject.closeBeneath();
        subject.assertEmpty();
      }
      streams.forEach(Stream::close);
      assertClean();
    }
  }

  /** Leaves memory held, in flight and cached, closes the backend, and then all the rest. */
  void runPastBackend() {
    Subject late = maker.apply(broken.device);
    unit = late.unit();
    Stream one = newStream();
    Stream other = newStream();
    Held inFlight = late.take(unit, one);
    Held used = late.take(unit, one);
    Held open = late.take(unit, other);
    for (Held each : List.of(inFlight, used)) {
      each.work(one);
    }
    useElsewhere(used, one, other);
    late.take(2 * unit, other).close();
    inFlight.close();
    backend.close();
    used.close();
    open.close();
    late.close();
    late.close();
    late.closeBeneath();
    late.assertEmpty();
    streams.forEach(Stream::close);
    assertClean();
  }

  private Subject subject() {
    return requireNonNull(subject);
  }

  private void assertClean() {
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getWarnings(), "warnings");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
  }

  private static void tolerateLoss(Runnable step) {
    try {
      step.run();
    } catch (FatalDeviceException lost) {
      // What a lost device says to everything, as it may.
    }
  }

  // ---- steps ----

  private Stream newStream() {
    Stream stream = broken.newStream(++handles);
    streams.add(stream);
    return stream;
  }

  private Held take(long bytes, Stream stream) {
    Held made = insist(() -> subject().take(bytes, stream));
    held.add(made);
    return made;
  }

  /** Lets another stream work on it, after its own. */
  private void useElsewhere(Held what, Stream own, Stream user) {
    try (var done = broken.device.createEvent()) {
      done.record(own);
      user.waitFor(done);
    }
    what.work(user);
    what.recordUse(user);
  }

  /** A close has no second try: what it cannot do yet is done later. */
  private void close(Held what) {
    held.remove(what);
    try {
      counting(what::close);
    } catch (FatalDeviceException lost) {
      throw lost;
    } catch (GpuException | OutOfMemoryError | StackOverflowError e) {
      assertPlanned(e);
    }
    assertBooks();
  }

  private void insist(Runnable step) {
    insist(
        () -> {
          step.run();
          return step;
        });
  }

  /** Does something that calls the driver; where a call went wrong, once more. */
  private <T> T insist(Supplier<T> step) {
    boolean before = isBroken();
    try {
      return broken.counting(step);
    } catch (FatalDeviceException lost) {
      throw lost;
    } catch (GpuException | OutOfMemoryError | StackOverflowError e) {
      if (before) {
        throw e;
      }
      assertPlanned(e);
      assertBooks();
      return insist(step);
    }
  }

  private void counting(Runnable step) {
    broken.counting(
        () -> {
          step.run();
          return step;
        });
  }

  private void assertPlanned(Throwable e) {
    assertTrue(isBroken(), () -> "not planned: " + e);
  }

  private void assertBooks() {
    if (subject != null && !broken.isJvmAtItsEnd()) {
      subject.assertBooks(held.stream().mapToLong(Held::size).sum());
    }
  }
}
