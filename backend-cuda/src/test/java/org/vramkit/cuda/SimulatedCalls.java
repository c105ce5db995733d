package org.vramkit.cuda;

import java.util.function.Supplier;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

/** A group of driver calls on the simulator, whose exceptions become results of the driver. */
abstract class SimulatedCalls {
  final SimulatedProcess process;
  final SimBackend sim;

  SimulatedCalls(SimulatedProcess process) {
    this.process = process;
    this.sim = process.sim;
  }

  record StreamHandle(SimStream stream) implements Handle {
    @Override
    public long getAddress() {
      return stream.getHandle();
    }
  }

  /** Returns the device whose context is current on this thread. */
  final SimDevice device() {
    return process.device();
  }

  /** Makes a call that needs a current context. */
  final int here(Runnable body) {
    return process.currentOrdinal() < 0 ? 201 : code(body);
  }

  /** Makes a call that succeeds unless the simulator throws. */
  final int code(Runnable body) {
    return ask(
        () -> {
          body.run();
          return true;
        });
  }

  /** Makes a call that queries whether work is complete. */
  final int ask(Supplier<Boolean> body) {
    try {
      return body.get() ? CudaResult.SUCCESS : CudaResult.NOT_READY;
    } catch (GpuException e) {
      return e.getStatus().isFromDriver() ? e.getStatus().code() : CudaResult.INVALID_VALUE;
    } catch (ClosedException e) {
      process.crimes.add(e.toString());
      return CudaResult.INVALID_HANDLE;
    }
  }

  /** Returns the stream of a handle; the default stream for handles that are not of this driver. */
  final SimStream stream(Handle handle) {
    return handle instanceof StreamHandle ours ? ours.stream() : device().getDefaultStream();
  }
}
