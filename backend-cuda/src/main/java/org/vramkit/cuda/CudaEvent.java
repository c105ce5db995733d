package org.vramkit.cuda;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.cuda.driver.EventCalls;
import org.vramkit.cuda.driver.Handle;

/** A driver event without timing. */
final class CudaEvent implements Event {
  private final CudaDevice device;
  private final Handle handle;
  private final EventCalls calls;
  private final Lifetime life = new Lifetime(this::destroy);

  /** The capture of the stream of the last record; null if there was none. */
  private volatile CudaCaptures.@Nullable Capture captured;

  CudaEvent(CudaDevice device, Handle handle) {
    this.device = device;
    this.handle = handle;
    this.calls = device.driver.events();
    device.context.open.add(OpenHandles.Kind.EVENT, handle.getAddress(), 0);
  }

  private void destroy() {
    device.context.open.release(
        OpenHandles.Kind.EVENT,
        handle.getAddress(),
        () ->
            device.context.release(
                "cuEventDestroy",
                () -> "cannot destroy " + this,
                () -> calls.cuEventDestroy(handle)));
  }

  Handle handle() {
    return handle;
  }

  Lifetime life() {
    return life;
  }

  CudaCaptures.@Nullable Capture captured() {
    return captured;
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public void record(Stream stream) {
    CudaStream ours = device.ours(stream);
    life.enter(this);
    try {
      ours.life().enter(ours);
      try {
        device.context.run(
            "cuEventRecord",
            () -> this + " cannot be recorded on " + ours,
            () -> calls.cuEventRecord(handle, ours.handle()));
        captured = device.getBackend().captures.of(ours);
      } finally {
        ours.life().leave();
      }
    } finally {
      life.leave();
    }
  }

  @Override
  public boolean isComplete() {
    life.enter(this);
    try {
      return device.context.isDone(
          "cuEventQuery", () -> "cannot query " + this, () -> calls.cuEventQuery(handle));
    } finally {
      life.leave();
    }
  }

  @Override
  public void synchronize() {
    life.enter(this);
    try {
      device.context.run(
          "cuEventSynchronize",
          () -> "cannot wait for " + this,
          () -> calls.cuEventSynchronize(handle));
    } finally {
      life.leave();
    }
  }

  @Override
  public void close() {
    life.close();
  }

  @Override
  public String toString() {
    return "event 0x" + Long.toHexString(handle.getAddress()) + " of " + device;
  }
}
