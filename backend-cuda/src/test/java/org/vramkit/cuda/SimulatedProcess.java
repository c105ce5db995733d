package org.vramkit.cuda;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;

/**
 * What a process has of a simulated driver: the devices, the context that is current on each
 * thread, and what it did that a real driver would not survive.
 */
final class SimulatedProcess {
  final SimBackend sim;

  /** Uses of destroyed handles, which on a real driver may end the process. */
  final List<String> crimes = new ArrayList<>();

  private final ThreadLocal<Handle> current = ThreadLocal.withInitial(() -> new Context(-1));

  SimulatedProcess(SimBackend sim) {
    this.sim = sim;
  }

  /** The context of a device; the one of none, -1, is current before any call. */
  record Context(int ordinal) implements Handle {
    @Override
    public long getAddress() {
      return ordinal < 0 ? 0 : 0x1000 + ordinal;
    }
  }

  /** The context that is current on this thread. */
  Handle current() {
    return current.get();
  }

  void makeCurrent(Handle context) {
    current.set(context);
  }

  /** Its ordinal; -1 for none. */
  int currentOrdinal() {
    return ((Context) current.get()).ordinal();
  }

  /** Its device. */
  SimDevice device() {
    return sim.getDevice(currentOrdinal());
  }
}
