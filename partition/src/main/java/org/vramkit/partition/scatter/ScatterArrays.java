package org.vramkit.partition.scatter;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * Scatters over an array. Each task finds its part of the array in device memory, and the results
 * are copied back into the array. A part is written back only when all of its work is complete, so
 * a retry of a failed part starts from the original elements. Under a planned schedule with a CPU
 * task, the parts are written back when all of them are complete, because after a failure the CPU
 * runs the whole array. Until then the host holds their results in page-locked memory, which may be
 * as large as the array. Under a guided schedule, the copies of one part, which go through
 * page-locked memory, overlap with work on another part.
 *
 * <p>The scatter needs {@link ScatterBuilder#allocators}. Do not access the array until the scatter
 * has ended. Safe for any thread, but run only one scatter of an array at a time.
 */
public final class ScatterArrays {
  /** Maximum size of a view of page-locked memory; a buffer has less than 2^31 bytes. */
  private static final long SLICE_BYTES = ByteSize.GIB;

  private final long units;
  private final int bytesPerUnit;
  private final Elements elements;

  private ScatterArrays(long units, int bytesPerUnit, Elements elements) {
    this.units = units;
    this.bytesPerUnit = bytesPerUnit;
    this.elements = elements;
  }

  /** Creates a scatter over floats. */
  public static ScatterArrays of(float[] array) {
    return new ScatterArrays(
        array.length,
        Float.BYTES,
        new Elements() {
          @Override
          public void load(long from, long to, ByteBuffer target) {
            target.asFloatBuffer().put(array, (int) from, (int) (to - from));
          }

          @Override
          public void store(long from, long to, ByteBuffer source) {
            source.asFloatBuffer().get(array, (int) from, (int) (to - from));
          }
        });
  }

  /** Creates a scatter over doubles. */
  public static ScatterArrays of(double[] array) {
    return new ScatterArrays(
        array.length,
        Double.BYTES,
        new Elements() {
          @Override
          public void load(long from, long to, ByteBuffer target) {
            target.asDoubleBuffer().put(array, (int) from, (int) (to - from));
          }

          @Override
          public void store(long from, long to, ByteBuffer source) {
            source.asDoubleBuffer().get(array, (int) from, (int) (to - from));
          }
        });
  }

  /** Creates a scatter over ints. */
  public static ScatterArrays of(int[] array) {
    return new ScatterArrays(
        array.length,
        Integer.BYTES,
        new Elements() {
          @Override
          public void load(long from, long to, ByteBuffer target) {
            target.asIntBuffer().put(array, (int) from, (int) (to - from));
          }

          @Override
          public void store(long from, long to, ByteBuffer source) {
            source.asIntBuffer().get(array, (int) from, (int) (to - from));
          }
        });
  }

  /** Creates a scatter over longs. */
  public static ScatterArrays of(long[] array) {
    return new ScatterArrays(
        array.length,
        Long.BYTES,
        new Elements() {
          @Override
          public void load(long from, long to, ByteBuffer target) {
            target.asLongBuffer().put(array, (int) from, (int) (to - from));
          }

          @Override
          public void store(long from, long to, ByteBuffer source) {
            source.asLongBuffer().get(array, (int) from, (int) (to - from));
          }
        });
  }

  /**
   * Creates a scatter over the remaining bytes of a heap or direct buffer, whose position and limit
   * do not change.
   *
   * @param bytesPerUnit size of a unit, which is never split; the remaining bytes must be a
   *     multiple of this size
   * @throws InvalidArgumentException if {@code bytesPerUnit} does not divide the bytes, or the
   *     buffer is read-only
   */
  public static ScatterArrays of(ByteBuffer buffer, int bytesPerUnit) {
    if (bytesPerUnit < 1 || buffer.remaining() % bytesPerUnit != 0) {
      throw new InvalidArgumentException(
          "a buffer with "
              + buffer.remaining()
              + " remaining bytes cannot be divided into units of "
              + bytesPerUnit
              + " bytes; use a unit size of at least 1 that divides the buffer evenly");
    }
    if (buffer.isReadOnly()) {
      throw new InvalidArgumentException(
          "the buffer is read-only, but results are written back into it; pass a writable one");
    }
    ByteBuffer own = buffer.slice();
    return new ScatterArrays(
        own.remaining() / bytesPerUnit,
        bytesPerUnit,
        new Elements() {
          private ByteBuffer part(long from, long to) {
            int first = (int) (from * bytesPerUnit);
            return own.slice(first, (int) ((to - from) * bytesPerUnit));
          }

          @Override
          public void load(long from, long to, ByteBuffer target) {
            target.put(part(from, to));
          }

          @Override
          public void store(long from, long to, ByteBuffer source) {
            part(from, to).put(source);
          }
        });
  }

  /**
   * Runs the task on all parts, on GPUs only.
   *
   * @see Scatter#run(long, Schedule, TileTask)
   */
  public ScatterReport run(Scatter scatter, Schedule schedule, PartTask task) {
    return run(scatter, schedule, null, task);
  }

  /**
   * Runs the task on all parts. If the GPUs fail, the CPU task works on the array itself.
   *
   * @param onCpu the CPU task; null if there is none
   * @see Scatter#run(long, Schedule, CpuTask, TileTask)
   */
  public ScatterReport run(
      Scatter scatter, Schedule schedule, @Nullable CpuTask onCpu, PartTask task) {
    Objects.requireNonNull(task, "task");
    try (Staging staging = new Staging()) {
      TileTask whole = tile -> run(tile, task, staging);
      return onCpu == null
          ? scatter.run(units, schedule, whole)
          : scatter.run(units, schedule, onCpu, whole);
    }
  }

  private void run(TileContext tile, PartTask task, Staging staging) throws Exception {
    long bytes = ByteSize.multiply(tile.getTile().getUnits(), bytesPerUnit);
    Stream stream = tile.getStream();
    Device device = tile.getDevice();
    // The close frees the memory in stream order, after the copy back.
    try (Allocation memory = tile.getAllocator().allocate(bytes, stream)) {
      ArrayPart part = new ArrayPart(tile, memory.getAddress(), bytes);
      if (device.supports(Capability.PINNED_HOST_MEMORY)) {
        PinnedBuffer host = staging.take(device, bytes);
        tile.atEnd(unused -> staging.giveBack(device, host, unused));
        eachSlice(tile, (from, to, at) -> elements.load(from, to, view(host, from, to, at)));
        stream.copyToDevice(part.address(), host, 0, bytes);
        task.run(part);
        stream.copyToHost(host, 0, part.address(), bytes);
        tile.afterWork(
            () -> {
              host.hostReads(0, bytes);
              eachSlice(tile, (from, to, at) -> elements.store(from, to, view(host, from, to, at)));
            });
      } else {
        eachSlice(tile, (from, to, at) -> upload(stream, part.address() + at, from, to));
        task.run(part);
        List<Runnable> stores = new ArrayList<>();
        eachSlice(
            tile, (from, to, at) -> stores.add(download(stream, part.address() + at, from, to)));
        tile.afterWork(() -> stores.forEach(Runnable::run));
      }
    }
  }

  private void upload(Stream stream, long address, long from, long to) {
    ByteBuffer bytes = pageable(to - from);
    elements.load(from, to, bytes.duplicate().order(ByteOrder.nativeOrder()));
    stream.copyToDevice(address, bytes);
  }

  private Runnable download(Stream stream, long address, long from, long to) {
    ByteBuffer bytes = pageable(to - from);
    stream.copyToHost(bytes, address);
    return () -> elements.store(from, to, bytes);
  }

  private ByteBuffer pageable(long count) {
    return ByteBuffer.allocateDirect((int) (count * bytesPerUnit)).order(ByteOrder.nativeOrder());
  }

  private ByteBuffer view(PinnedBuffer host, long from, long to, long at) {
    return host.getBytes(at, (int) ((to - from) * bytesPerUnit));
  }

  /** Receives a range of units and the offset of its bytes in the part. */
  private interface SliceStep {
    void run(long from, long to, long at);
  }

  private void eachSlice(TileContext tile, SliceStep step) {
    long most = Math.max(1, SLICE_BYTES / bytesPerUnit);
    long first = tile.getTile().from();
    long end = tile.getTile().to();
    for (long from = first; from < end; from += Math.min(most, end - from)) {
      step.run(from, Math.min(end, from + most), (from - first) * bytesPerUnit);
    }
  }
}
