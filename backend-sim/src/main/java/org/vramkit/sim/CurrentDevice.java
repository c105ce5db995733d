package org.vramkit.sim;

import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.sim.hazard.LeakKind;

/** The current device of each thread. Guarded by the backend's lock. */
final class CurrentDevice {
  /** Weak, so that threads that end without closing their binding are not kept. */
  private final Map<Thread, DeviceCore> current = new WeakHashMap<>();

  @Nullable DeviceCore get() {
    return current.get(Thread.currentThread());
  }

  private void set(@Nullable DeviceCore device) {
    if (device == null) {
      current.remove(Thread.currentThread());
    } else {
      current.put(Thread.currentThread(), device);
    }
  }

  DeviceBinding bind(DeviceCore device) {
    return device.recording.make(
        "bind",
        step -> device.on(step),
        () -> {
          device.engine.requireOpen();
          Binding binding = new Binding(device, device.newHandle(), get());
          device.engine.openHandles.addNamed(
              LeakKind.CONTEXT, device.ordinal, binding.number, binding.owner.getName());
          set(device);
          return binding;
        },
        binding -> binding.number);
  }

  /**
   * Keeps a device current on its owning thread. Until that thread has ended, no other thread
   * accesses {@code closed}, so the field is not volatile.
   */
  private final class Binding implements DeviceBinding {
    private final Thread owner = Thread.currentThread();
    private final DeviceCore device;
    private final long number;
    private final @Nullable DeviceCore previous;
    private boolean closed;

    Binding(DeviceCore device, long number, @Nullable DeviceCore previous) {
      this.device = device;
      this.number = number;
      this.previous = previous;
    }

    @Override
    public void close() {
      boolean isOwner = Thread.currentThread() == owner;
      if (!isOwner && owner.isAlive()) {
        throw new IllegalStateException(
            "the binding of %s belongs to thread %s; close it there, not on %s"
                .formatted(device, owner.getName(), Thread.currentThread().getName()));
      }
      if (!closed) {
        closed = true;
        if (!isOwner) {
          // Not recorded: the thread that cleans up is no part of the recorded program.
          device.recording.performUnrecorded(
              () -> device.engine.openHandles.remove(LeakKind.CONTEXT, number));
          return;
        }
        device.recording.perform(
            "unbind",
            step -> device.on(step, number),
            () -> {
              set(previous);
              device.engine.openHandles.remove(LeakKind.CONTEXT, number);
            });
      }
    }
  }
}
