package org.vramkit.pool.ending;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.support.ReusedHandles;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;

/**
 * A simulated device of whose calls by the subject one goes wrong. An error of the JVM comes before
 * the call, but for a close: what its backend does not even begin to close nobody can close again.
 */
final class BrokenDevice extends ReusedHandles {
  private static final Set<String> DRIVER_CALLS =
      Set.of(
          "synchronize",
          "createEvent",
          "allocate",
          "free",
          "record",
          "isComplete",
          "waitFor",
          "isIdle",
          "create",
          "trim",
          "getStatistics",
          "setReleaseThreshold",
          "close");

  private final SimBackend backend;
  private final Breakage breakage;
  private final int nth;
  private final List<String> calls = new ArrayList<>();
  private boolean listening;
  private boolean broken;

  /**
   * A device.
   *
   * @param nth which call goes wrong, from 1; 0 for none
   */
  BrokenDevice(SimBackend backend, Breakage breakage, int nth) {
    super(backend.getDevice(0));
    this.backend = backend;
    this.breakage = breakage;
    this.nth = nth;
  }

  /** Lets the subject do something; its calls count. */
  <T> T counting(Supplier<T> step) {
    listening = true;
    try {
      return step.get();
    } finally {
      listening = false;
    }
  }

  /** The calls that the subject made, in order. */
  List<String> calls() {
    return calls;
  }

  /** Whether the call has gone wrong. */
  boolean isBroken() {
    return broken;
  }

  /** Whether it went wrong by an error of the JVM, after which figures are unclear. */
  boolean isJvmAtItsEnd() {
    return broken && breakage.fault == null;
  }

  @Override
  protected @Nullable Object call(Object target, Method method, Object[] arguments)
      throws Throwable {
    String name = method.getName();
    if (!listening || !DRIVER_CALLS.contains(name)) {
      return super.call(target, method, arguments);
    }
    calls.add(name);
    if (calls.size() != nth) {
      return super.call(target, method, arguments);
    }
    broken = true;
    Fault fault = breakage.fault;
    if (fault != null) {
      backend.getFaults().inject(FaultPlan.NONE.fail(CallSelector.any().withNth(1), fault));
      try {
        return super.call(target, method, arguments);
      } finally {
        backend.getFaults().clear();
      }
    }
    if (name.equals("close")) {
      super.call(target, method, arguments);
    }
    throw Breakage.ofJvm(nth);
  }
}
