package org.vramkit.cuda;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.CopyBatch;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.spi.LaunchArguments;
import org.vramkit.cuda.driver.CopyCalls;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.StreamCalls;

/** A driver stream: created by this backend, or borrowed from another owner. */
final class CudaStream implements Stream {
  private static final String WAIT = "cuStreamSynchronize";

  /** {@code CU_STREAM_LEGACY}; a handle of 0 may be this stream, too. */
  private static final long LEGACY_HANDLE = 1;

  private static final String PAGE_LOCKED =
      "the copy would wait for the stream: copy through a PinnedBuffer";

  private final CudaDevice device;
  private final Handle handle;
  private final String name;
  private final StreamCalls calls;
  private final CopyCalls copies;
  private final Lifetime life;

  private CudaStream(CudaDevice device, Handle handle, String name, boolean owned) {
    this.device = device;
    this.handle = handle;
    this.name = name;
    this.calls = device.driver.streams();
    this.copies = device.driver.copies();
    this.life = new Lifetime(owned ? this::destroy : () -> {});
  }

  static CudaStream owned(CudaDevice device, Handle handle, String name) {
    device.context.open.add(OpenHandles.Kind.STREAM, handle.getAddress(), 0, name);
    return new CudaStream(device, handle, name, true);
  }

  /** Wraps a stream that outlives this object: the default stream, or another library's. */
  static CudaStream borrowed(CudaDevice device, Handle handle) {
    return new CudaStream(device, handle, "", false);
  }

  private void destroy() {
    device.graphs.ended(this);
    device.context.open.release(
        OpenHandles.Kind.STREAM,
        getHandle(),
        () ->
            device.context.release(
                "cuStreamDestroy",
                () -> "cannot destroy " + this,
                () -> calls.cuStreamDestroy(handle)));
  }

  Handle handle() {
    return handle;
  }

  Lifetime life() {
    return life;
  }

  CudaDevice device() {
    return device;
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public long getHandle() {
    return handle.getAddress();
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public void waitFor(Event event) {
    if (!(event instanceof CudaEvent mark)
        || mark.getDevice().getBackend() != device.getBackend()) {
      throw new InvalidArgumentException(
          this + " cannot wait for " + event + " of another backend");
    }
    mark.life().enter(mark);
    CudaCaptures.Capture capture = mark.captured();
    boolean joins = capture != null && device.getBackend().captures.join(this, capture);
    try {
      submit(
          "cuStreamWaitEvent",
          () -> this + " cannot wait for " + mark,
          () -> calls.cuStreamWaitEvent(handle, mark.handle()));
      joins = false;
    } finally {
      if (joins) {
        device.getBackend().captures.undoJoin(this);
      }
      mark.life().leave();
    }
  }

  @Override
  public boolean isIdle() {
    life.enter(this);
    try {
      return device.context.isDone(
          "cuStreamQuery", () -> "cannot query " + this, () -> calls.cuStreamQuery(handle));
    } finally {
      life.leave();
    }
  }

  @Override
  public void synchronize() {
    submit(WAIT, this::cannotWait, () -> calls.cuStreamSynchronize(handle));
  }

  private String cannotWait() {
    return "cannot wait for " + this;
  }

  @Override
  public void fill(long address, byte value, long bytes) {
    if (isWork(bytes)) {
      submit(
          "cuMemsetD8Async",
          () -> "cannot fill " + range(bytes, address),
          () -> copies.cuMemsetD8Async(address, value, bytes, handle));
    }
  }

  @Override
  public void copy(long target, long source, long bytes) {
    if (isWork(bytes)) {
      submit(
          "cuMemcpyAsync",
          () -> "cannot copy " + range(bytes, source) + " to " + hex(target),
          () -> copies.cuMemcpyAsync(target, source, bytes, handle));
    }
  }

  @Override
  public void copyToDevice(long target, ByteBuffer source) {
    if (isWork(source.remaining())) {
      device.graphs.requireUncaptured(
          this, "copy from a buffer that is not page-locked", PAGE_LOCKED);
      device.hostCopies.toDevice(this, target, source);
    }
  }

  @Override
  public void copyToHost(ByteBuffer target, long source) {
    if (target.isReadOnly()) {
      throw new InvalidArgumentException("cannot copy to a read-only buffer: " + target);
    }
    if (isWork(target.remaining())) {
      device.graphs.requireUncaptured(
          this, "copy to a buffer that is not page-locked", PAGE_LOCKED);
      device.hostCopies.toHost(this, target, source);
    }
  }

  /** Copies a whole direct buffer to the device and waits for the copy. */
  void copyNow(long target, ByteBuffer source) {
    submitAndWait(
        source,
        "cuMemcpyHtoDAsync",
        () -> "cannot copy " + source.capacity() + " bytes to " + hex(target),
        () -> copies.cuMemcpyHtoDAsync(target, source, handle));
  }

  /** Fills a whole direct buffer from the device and waits for the copy. */
  void copyNow(ByteBuffer target, long source) {
    submitAndWait(
        target,
        "cuMemcpyDtoHAsync",
        () -> "cannot copy " + range(target.capacity(), source) + " to the host",
        () -> copies.cuMemcpyDtoHAsync(target, source, handle));
  }

  /**
   * Submits a copy and waits for it while it keeps stream and context open. Otherwise a close
   * between the two calls could return the buffer to the caller while the device still accesses it.
   */
  private void submitAndWait(
      ByteBuffer buffer, String call, Supplier<String> wanted, IntSupplier copy) {
    life.enter(this);
    try {
      device.context.use(
          () -> {
            device.errors.run(call, wanted, copy);
            try {
              device.errors.run(WAIT, this::cannotWait, () -> calls.cuStreamSynchronize(handle));
            } catch (GpuException e) {
              device.hostCopies.abandon(buffer);
              throw e;
            }
            return CudaResult.SUCCESS;
          });
    } finally {
      life.leave();
    }
  }

  @Override
  public void copyToDevice(long target, PinnedBuffer source, long offset, long bytes) {
    if (source instanceof PiecewiseBuffer pieces) {
      copyOne(pieces, CopyBatch.toDevice(), offset, target, bytes);
      return;
    }
    try (CudaPinnedBuffer.Use use = CudaPinnedBuffer.use(device, source, offset, bytes)) {
      if (isWork(bytes)) {
        submit(
            "cuMemcpyHtoDAsync",
            () -> "cannot copy " + range(bytes, target) + " from " + source,
            () -> copies.cuMemcpyHtoDAsync(target, use.memory(), offset, bytes, handle));
      }
    }
  }

  @Override
  public void copyToHost(PinnedBuffer target, long offset, long source, long bytes) {
    if (target instanceof PiecewiseBuffer pieces) {
      copyOne(pieces, CopyBatch.toHost(), offset, source, bytes);
      return;
    }
    try (CudaPinnedBuffer.Use use = CudaPinnedBuffer.use(device, target, offset, bytes)) {
      if (isWork(bytes)) {
        submit(
            "cuMemcpyDtoHAsync",
            () -> "cannot copy " + range(bytes, source) + " to " + target,
            () -> copies.cuMemcpyDtoHAsync(use.memory(), offset, source, bytes, handle));
      }
    }
  }

  private void copyOne(
      PiecewiseBuffer pieces, CopyBatch direction, long offset, long address, long bytes) {
    pieces.requireUsable(offset, bytes);
    if (isWork(bytes)) {
      direction.add(offset, address, bytes);
      pieces.copyAll(this, direction);
    }
  }

  @Override
  public void copyAll(CopyBatch batch, PinnedBuffer buffer) {
    if (buffer instanceof PiecewiseBuffer pieces) {
      pieces.copyAll(this, batch);
    } else if (batch.getCount() < 2
        || getHandle() <= LEGACY_HANDLE
        || mayBeCaptured()
        || !isCopiedAsOne(batch, buffer)) {
      Stream.super.copyAll(batch, buffer);
    }
  }

  /** Returns whether a capture, also one that another library began, may contain the stream. */
  private boolean mayBeCaptured() {
    return device.getBackend().isAnyCapturing()
        || (device.supports(Capability.GRAPHS) && device.graphs.isCapturing(this));
  }

  /**
   * Copies by one driver call. Returns false if the driver lacks it or refuses an argument: the
   * copies can be made again, one by one, and an error then names the copy.
   */
  private boolean isCopiedAsOne(CopyBatch batch, PinnedBuffer buffer) {
    int count = batch.getCount();
    long[] onHost = new long[count];
    long[] onDevice = new long[count];
    long[] bytes = new long[count];
    try (CudaPinnedBuffer.Use use = CudaPinnedBuffer.use(device, buffer, 0, 0)) {
      long first = use.memory().getAddress();
      for (int i = 0; i < count; i++) {
        use.requireInside(batch.getOffset(i), batch.getBytes(i));
        onHost[i] = first + batch.getOffset(i);
        onDevice[i] = batch.getAddress(i);
        bytes[i] = batch.getBytes(i);
      }
      boolean[] made = {true};
      submit(
          "cuMemcpyBatchAsync",
          () -> "cannot make " + batch + " with " + buffer,
          () -> {
            int result =
                batch.isToHost()
                    ? copies.cuMemcpyBatchAsync(onHost, onDevice, bytes, handle)
                    : copies.cuMemcpyBatchAsync(onDevice, onHost, bytes, handle);
            made[0] = result != CudaDriver.UNSUPPORTED && result != CudaResult.INVALID_VALUE;
            return made[0] ? result : CudaResult.SUCCESS;
          });
      return made[0];
    }
  }

  @Override
  public void launch(Kernel kernel, LaunchConfig config, Object... arguments) {
    Objects.requireNonNull(kernel, "kernel");
    Objects.requireNonNull(config, "config");
    Objects.requireNonNull(arguments, "arguments");
    if (!(kernel instanceof CudaKernel ours) || ours.device() != device) {
      throw LaunchArguments.foreignKernel(kernel, this);
    }
    ours.launch(this, config, arguments);
  }

  private void submit(String call, Supplier<String> wanted, IntSupplier body) {
    life.enter(this);
    try {
      device.context.run(call, wanted, body);
    } finally {
      life.leave();
    }
  }

  private boolean isWork(long bytes) {
    life.enter(this);
    life.leave();
    if (bytes < 0) {
      throw new InvalidArgumentException("the number of bytes must be 0 or more, not " + bytes);
    }
    return bytes > 0;
  }

  private static String range(long bytes, long address) {
    return bytes + " bytes at " + hex(address);
  }

  private static String hex(long address) {
    return "0x" + Long.toHexString(address);
  }

  @Override
  public boolean isClosed() {
    return life.isClosed();
  }

  @Override
  public void close() {
    if (!isDefault()) {
      life.close();
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CudaStream stream
        && stream.device == device
        && stream.getHandle() == getHandle();
  }

  @Override
  public int hashCode() {
    return Long.hashCode(getHandle()) * 31 + device.getOrdinal();
  }

  @Override
  public String toString() {
    String number = hex(getHandle());
    return "stream " + (name.isEmpty() ? number : name + " (" + number + ")") + " of " + device;
  }
}
