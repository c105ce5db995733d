package org.vramkit.gpu.truth;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolStatistics;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.units.ByteSize;

/** One experiment: makes calls, says what it observes, and ends what it has begun. */
final class Probe {
  static final long MIB = ByteSize.MIB;
  static final long PAGE = 2 * MIB;

  /** The unit of a driver's pool. */
  static final long UNIT = 32 * MIB;

  final Lab lab;
  final Device device;
  private final String id;
  private final Consumer<String> lines;
  private final Map<Object, Runnable> undo = new LinkedHashMap<>();
  private final List<Stream> captured = new ArrayList<>();
  private int said;

  Probe(Lab lab, String id, Consumer<String> lines) {
    this.lab = lab;
    this.device = lab.device;
    this.id = id;
    this.lines = lines;
  }

  void run(Consumer<Probe> body) {
    String ended = outcome(() -> body.accept(this));
    if (!ended.equals("ok")) {
      say("ends early", ended);
    }
  }

  /** Prints a line. */
  void say(String question, Object observed) {
    String letter = Integer.toString(said++, 36);
    lines.accept(id + "." + letter + " | " + question + " | " + observed);
  }

  /** Returns what a call did: {@code ok}, or its exception. */
  static String outcome(Runnable action) {
    try {
      action.run();
      return "ok";
    } catch (GpuException e) {
      return words(e);
    } catch (IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException e) {
      return e.getClass().getSimpleName();
    }
  }

  private static String words(GpuException e) {
    DriverStatus status = e.getStatus();
    String name = e.getClass().getSimpleName();
    return status.isFromDriver()
        ? name + " " + status.code() + " " + status.name() + " by " + status.call()
        : name + " no status";
  }

  /** Makes a call and prints what it did. */
  void call(String question, Runnable action) {
    say(question, outcome(action));
  }

  long free() {
    return device.getMemoryInfo().freeBytes();
  }

  /** Returns how free memory changes by an action, in bytes. */
  long change(Runnable action) {
    long before = free();
    action.run();
    return free() - before;
  }

  Stream stream() {
    return stream(StreamKind.NON_BLOCKING);
  }

  Stream stream(StreamKind kind) {
    return kept(device.createStream(kind));
  }

  Event event() {
    return kept(device.createEvent());
  }

  /** Returns an event that is recorded on a stream. */
  Event event(Stream stream) {
    Event event = event();
    event.record(stream);
    return event;
  }

  long plain(long bytes) {
    long address = device.getMemory().allocate(bytes);
    undo.put(address, () -> device.getMemory().free(address));
    return address;
  }

  void freePlain(long address) {
    device.getMemory().free(address);
    undo.remove(address);
  }

  DriverPool pool() {
    return pool(0);
  }

  DriverPool pool(long most) {
    return kept(device.getDriverPools().create(most));
  }

  /** Returns memory of a pool, which is freed on the same stream at the end. */
  long pooled(DriverPool pool, long bytes, Stream stream) {
    long address = pool.allocate(bytes, stream);
    undo.put(
        "pooled " + address,
        () -> {
          pool.free(address, stream);
          device.synchronize();
        });
    return address;
  }

  void freePooled(DriverPool pool, long address, Stream stream) {
    pool.free(address, stream);
    undo.remove("pooled " + address);
  }

  static String used(DriverPool pool) {
    DriverPoolStatistics now = pool.getStatistics();
    return "used " + now.usedBytes() + " reserved " + now.reservedBytes();
  }

  static String peaks(DriverPool pool) {
    DriverPoolStatistics now = pool.getStatistics();
    return used(pool) + " peaks " + now.usedPeakBytes() + " " + now.reservedPeakBytes();
  }

  PinnedBuffer pinned(long bytes) {
    return kept(device.getPinnedMemory().allocate(bytes));
  }

  PinnedBuffer managed(long bytes) {
    return kept(device.getManagedMemory().allocate(bytes));
  }

  long reserve(long bytes) {
    long address = device.getVirtualMemory().reserve(bytes);
    undo.put("reserved " + address, () -> device.getVirtualMemory().unreserve(address, bytes));
    return address;
  }

  long physical(long bytes) {
    long handle = device.getVirtualMemory().create(bytes);
    undo.put("physical " + handle, () -> device.getVirtualMemory().release(handle));
    return handle;
  }

  void release(long handle) {
    device.getVirtualMemory().release(handle);
    undo.remove("physical " + handle);
  }

  void unreserve(long address, long bytes) {
    device.getVirtualMemory().unreserve(address, bytes);
    undo.remove("reserved " + address);
  }

  void map(long address, long bytes, long handle) {
    device.getVirtualMemory().map(address, bytes, handle);
    undo.put("mapped " + address, () -> device.getVirtualMemory().unmap(address, bytes));
  }

  void unmap(long address, long bytes) {
    device.getVirtualMemory().unmap(address, bytes);
    undo.remove("mapped " + address);
  }

  void access(long address, long bytes) {
    device.getVirtualMemory().setAccess(address, bytes, device);
  }

  /** Returns mapped memory that the device may access. */
  long mapped(long bytes) {
    long address = reserve(bytes);
    map(address, bytes, physical(bytes));
    access(address, bytes);
    return address;
  }

  Busy busy(Stream stream) {
    return new Busy(lab, stream);
  }

  /** Begins a capture, which the end of the probe ends. */
  void capture(Stream stream) {
    device.getGraphs().beginCapture(stream);
    captured.add(stream);
  }

  /** Ends a capture; returns what that did. */
  String endCapture(Stream stream) {
    return outcome(() -> kept(device.getGraphs().endCapture(stream)));
  }

  Graph graph(Stream stream, Runnable work) {
    capture(stream);
    work.run();
    return kept(device.getGraphs().endCapture(stream));
  }

  KernelModule module(String ptx) {
    return kept(device.loadModule(ptx));
  }

  /** Closes something at the end of the probe. */
  <T extends AutoCloseable> T kept(T resource) {
    undo.put(new Object(), () -> close(resource));
    return resource;
  }

  private static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  void endCaptures() {
    for (Stream stream : captured) {
      end(stream);
      lab.elsewhere(() -> end(stream));
    }
    captured.clear();
  }

  /** Ends captures and frees the rest. What the probe has ended itself is refused here. */
  void end() {
    endCaptures();
    device.synchronize();
    List<Runnable> left = new ArrayList<>(undo.values());
    for (int i = left.size() - 1; i >= 0; i--) {
      outcome(left.get(i));
    }
    device.synchronize();
  }

  private void end(Stream stream) {
    if (!stream.isClosed() && device.getGraphs().isCapturing(stream)) {
      outcome(() -> device.getGraphs().endCapture(stream).close());
    }
  }
}
