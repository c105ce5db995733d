package org.vramkit.cuda;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.when;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.CopyBatch;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.PiecewiseBuffer.Locking;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.HostPages;
import org.vramkit.cuda.driver.MemoryCalls;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("17.26 Memory for copies that is page-locked piece by piece")
class PiecewiseBufferTest {
  private static final int PIECE = 64 << 10;
  private static final int BYTES = 5 * PIECE + 4096;

  private final SimBackend sim = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimulatedDriver driver = spy(new SimulatedDriver(sim));
  private final Pages pages = new Pages();
  private final CudaBackend backend = backend();
  private final CudaDevice device = (CudaDevice) backend.getDevice(0);
  private final CudaStream stream = (CudaStream) device.createStream();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger threadsLeft = new AtomicInteger(Integer.MAX_VALUE);

  /** Bytes that threads have touched, without those of all buffers. */
  private final AtomicLong untouched = new AtomicLong();

  private final long memory = device.getMemory().allocate(BYTES);

  /** Pages in direct buffers. */
  private static final class Pages implements HostPages {
    final AtomicInteger mapped = new AtomicInteger();

    /** The last piece, which is a short one, is handed out when this is 0. */
    volatile CountDownLatch beforeLast = new CountDownLatch(0);

    private final class Memory implements HostMemory {
      private final ByteBuffer bytes;

      Memory(ByteBuffer bytes) {
        this.bytes = bytes;
      }

      @Override
      public long getAddress() {
        return 4096;
      }

      @Override
      public ByteBuffer view(long offset, int count) {
        if (count == BYTES % PIECE) {
          awaitQuietly(beforeLast);
        }
        return bytes.slice((int) offset, count);
      }
    }

    @Override
    public HostMemory map(long bytes) {
      mapped.incrementAndGet();
      return new Memory(ByteBuffer.allocateDirect((int) bytes + 4096).alignedSlice(4096));
    }

    @Override
    public void unmap(HostMemory given, long bytes) {
      mapped.decrementAndGet();
    }
  }

  private CudaBackend backend() {
    doReturn(pages).when(driver).hostPages();
    return new CudaBackend("simulated-cuda", driver, new ProcessHealth());
  }

  @AfterEach
  void nothingIsLeft() throws InterruptedException {
    assertEquals(0, pages.mapped.get());
    for (Thread each : threads) {
      each.join();
    }
    assertEquals(0, untouched.get());
    device.getMemory().free(memory);
    stream.close();
    backend.close();
    sim.close();
    assertEquals(List.of(), sim.getHazards());
    assertEquals(List.of(), sim.getLeaks());
  }

  /** Lets the driver answer registrations by their number; other calls go to the simulator. */
  private void answerRegistrations(IntUnaryOperator answer) {
    MemoryCalls real = driver.memory();
    AtomicInteger number = new AtomicInteger();
    Object calls =
        Proxy.newProxyInstance(
            MemoryCalls.class.getClassLoader(),
            new Class<?>[] {MemoryCalls.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("cuMemHostRegister")) {
                int result = answer.applyAsInt(number.getAndIncrement());
                if (result != CudaResult.SUCCESS) {
                  return result;
                }
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    doReturn(calls).when(driver).memory();
  }

  private @Nullable PiecewiseBuffer begin(long bytes) {
    Locking locking =
        new Locking(this::startThread, untouched::addAndGet, device.getPinnedMemory()::register);
    PiecewiseBuffer made = PiecewiseBuffer.begin(driver.hostPages(), locking, bytes, PIECE);
    untouched.addAndGet(made == null ? 0 : -bytes);
    return made;
  }

  private void startThread(Runnable task) {
    if (threadsLeft.getAndDecrement() <= 0) {
      throw new OutOfMemoryError("unable to create native thread");
    }
    Thread thread = new Thread(task);
    threads.add(thread);
    thread.start();
  }

  private PiecewiseBuffer begin() {
    return requireNonNull(begin(BYTES));
  }

  private static byte[] pattern() {
    byte[] bytes = new byte[BYTES];
    for (int i = 0; i < BYTES; i++) {
      bytes[i] = (byte) (i * 31 + i / PIECE);
    }
    return bytes;
  }

  /** Writes the pattern on the host, and copies it to the device and to another buffer. */
  private void assertCopies() {
    try (PiecewiseBuffer from = begin();
        PiecewiseBuffer to = begin()) {
      ByteBuffer whole = from.getBytes(0, BYTES);
      whole.put(pattern());
      // Crosses borders, begins and ends inside of pieces.
      stream.copyToDevice(memory, from, 0, 100);
      stream.copyToDevice(memory + 100, from, 100, 2 * PIECE);
      CopyBatch batch = CopyBatch.toDevice();
      int done = 100 + 2 * PIECE;
      batch.add(BYTES - 50, memory + BYTES - 50, 50);
      batch.add(done, memory + done, BYTES - done - 50);
      stream.copyAll(batch, from);
      stream.copyToHost(to, 0, memory, BYTES);
      stream.copyToHost(to, 0, memory, 0);
      stream.synchronize();
      byte[] read = new byte[BYTES];
      to.getBytes(0, BYTES).get(read);
      assertArrayEquals(pattern(), read);
    }
  }

  @Test
  @DisplayName("17.26 is copied as if it were whole")
  void copies() {
    assertCopies();
  }

  @Test
  @DisplayName("17.26 is copied rightly where pieces cannot be locked")
  void pageablePieces() {
    answerRegistrations(number -> number % 2 == 0 ? CudaResult.OUT_OF_MEMORY : CudaResult.SUCCESS);
    assertCopies();
  }

  @Test
  @DisplayName(
      "17.26 is copied rightly if the system has no more threads, and all of it is returned")
  void noThreads() {
    for (int left = 0; left < 2; left++) {
      threadsLeft.set(left);
      assertCopies();
    }
  }

  @Test
  @DisplayName("17.26 is locked while a capture restricts the calls of its thread")
  void besideCapture() {
    CudaPinnedMemory pinned = (CudaPinnedMemory) device.getPinnedMemory();
    ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
    device.graphs.beginCapture(stream);
    PinnedBuffer locked = pinned.lockPiece(piece);
    device.graphs.endCapture(stream).close();
    locked.close();
  }

  @Test
  @DisplayName("17.26 lets copies of locked pieces run while the others are being locked")
  void pipelined() {
    CountDownLatch copied = new CountDownLatch(1);
    pages.beforeLast = copied;
    try (PiecewiseBuffer buffer = begin()) {
      stream.fill(memory, (byte) 7, PIECE);
      stream.copyToHost(buffer, 0, memory, PIECE);
      stream.synchronize();
      assertEquals(7, buffer.getBytes(0, 1).get(0));
      copied.countDown();
      stream.copyToHost(buffer, BYTES - 1, memory, 1);
      stream.synchronize();
      assertEquals(7, buffer.getBytes(BYTES - 1, 1).get(0));
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("17.26 has an address once it is locked, and refuses what is outside or closed")
  void misuse() {
    PinnedBuffer buffer = begin();
    assertEquals(4096, buffer.getAddress());
    assertEquals(BYTES, buffer.getSize());
    assertTrue(buffer.toString().contains(BYTES + " bytes in pieces"), buffer.toString());
    assertThrows(InvalidArgumentException.class, () -> buffer.getBytes(BYTES, 1));
    assertThrows(InvalidArgumentException.class, () -> stream.copyToHost(buffer, BYTES, memory, 1));
    assertThrows(InvalidArgumentException.class, () -> stream.copyToHost(buffer, 0, memory, -1));
    buffer.close();
    buffer.close();
    assertThrows(ClosedException.class, buffer::getAddress);
    assertThrows(ClosedException.class, () -> buffer.getBytes(0, 1));
    assertThrows(ClosedException.class, () -> stream.copyToDevice(memory, buffer, 0, 1));
    assertThrows(ClosedException.class, () -> stream.copyToDevice(memory, buffer, 0, 0));
    assertThrows(ClosedException.class, () -> stream.copyToHost(buffer, 0, memory, 0));
  }

  @Test
  @DisplayName("17.26 refuses a view that is longer than a ByteBuffer")
  void longView() {
    HostMemory empty = mock(HostMemory.class);
    when(empty.view(anyLong(), anyInt())).thenReturn(ByteBuffer.allocateDirect(0));
    HostPages large = mock(HostPages.class);
    when(large.map(anyLong())).thenReturn(empty);
    Locking none = new Locking(Runnable::run, count -> {}, device.getPinnedMemory()::register);
    try (PiecewiseBuffer buffer =
        requireNonNull(PiecewiseBuffer.begin(large, none, 1L << 32, 1 << 30))) {
      assertThrows(
          InvalidArgumentException.class, () -> buffer.getBytes(0, PinnedBuffer.LONGEST_VIEW + 1));
      assertEquals(0, buffer.getBytes(0, PinnedBuffer.LONGEST_VIEW).capacity());
    }
  }

  @Test
  @DisplayName("17.26 is one block of the driver where it would be one piece, or has no pages")
  void whole() {
    assertNull(begin(PIECE));
    doReturn(HostPages.NONE).when(driver).hostPages();
    assertNull(begin(BYTES));
    try (PinnedBuffer small = device.getPinnedMemory().allocateForCopies(1000);
        Stream other = device.createStream()) {
      other.copyToHost(small, 0, memory, 0);
      assertEquals(1000, small.getBytes(0, 1000).capacity());
    }
  }
}
