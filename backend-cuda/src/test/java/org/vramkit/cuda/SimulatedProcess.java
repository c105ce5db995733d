package org.vramkit.cuda;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;

/**
 * The state of a process that uses a simulated driver: the devices, the current context of each
 * thread, and the calls that a real driver may not refuse.
 */
final class SimulatedProcess {
  final SimBackend sim;

  /** Uses of destroyed handles, which a real driver may not refuse. */
  final List<String> crimes = new ArrayList<>();

  private final ThreadLocal<Handle> current = ThreadLocal.withInitial(() -> new Context(-1));

  SimulatedProcess(SimBackend sim) {
    this.sim = sim;
  }

  /** The context of a device; ordinal -1 stands for no context, which is current at first. */
  record Context(int ordinal) implements Handle {
    @Override
    public long getAddress() {
      return ordinal < 0 ? 0 : 0x1000 + ordinal;
    }
  }

  /** Returns the context that is current on this thread. */
  Handle current() {
    return current.get();
  }

  void makeCurrent(Handle context) {
    current.set(context);
  }

  /** Returns the ordinal of the current context; -1 for none. */
  int currentOrdinal() {
    return ((Context) current.get()).ordinal();
  }

  /** Returns the device of the current context. */
  SimDevice device() {
    return sim.getDevice(currentOrdinal());
  }
}
