package org.vramkit.pool.caching.program;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.driver.DriverCall;

/**
 * Does what calls the driver, lists its calls, and does it once more where one was made to fail.
 */
final class SecondTries {
  private final FaultedMachine machine;
  private final List<DriverCall> calls = new ArrayList<>();
  private Runnable afterEachFailure = () -> {};
  private int retries;

  SecondTries(FaultedMachine machine) {
    this.machine = machine;
  }

  /** What must hold between a failure and the next try. */
  void afterEachFailure(Runnable check) {
    afterEachFailure = check;
  }

  void insist(Runnable step) {
    insist(returning(step));
  }

  <T> T insist(Supplier<T> step) {
    long before = machine.getFaults();
    try {
      return listed(step);
    } catch (FatalDeviceException lost) {
      throw lost;
    } catch (GpuException e) {
      if (machine.getFaults() == before) {
        throw e;
      }
      machine.driver.look();
      afterEachFailure.run();
      T done = insist(step);
      retries++;
      return done;
    }
  }

  /** Without a second try, as a close: what it cannot do yet the allocator does later. */
  void once(Runnable step) {
    listed(returning(step));
  }

  private static Supplier<Runnable> returning(Runnable step) {
    return () -> {
      step.run();
      return step;
    };
  }

  private <T> T listed(Supplier<T> step) {
    machine.driver.look();
    try {
      return step.get();
    } finally {
      calls.addAll(machine.driver.look());
    }
  }

  /** The calls that were made in all tries. */
  List<DriverCall> getCalls() {
    return calls;
  }

  /** How often something had to be done once more. */
  int getRetries() {
    return retries;
  }
}
