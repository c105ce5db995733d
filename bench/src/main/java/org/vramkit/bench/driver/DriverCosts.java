package org.vramkit.bench.driver;

import static org.vramkit.api.units.ByteSize.GIB;
import static org.vramkit.api.units.ByteSize.MIB;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.bench.driver.CostTable.Subject;
import org.vramkit.sim.driver.DriverFunction;

/**
 * Times single driver calls and prints mean, median and 99th percentile of each, beside the value
 * of the simulator's cost model. Usage: {@code DriverCosts [BACKEND]}, by default javacpp.
 */
public final class DriverCosts {
  private static final int ROUNDS = 41;
  private static final int SHORT_CALLS = 2_000;

  /** Rounds of launches between two waits, which keep the queue of the driver short. */
  private static final int LAUNCHES = 50;

  /** Bytes of one queued fill. The fills together keep an H200 busy for about 20 ms. */
  private static final long QUEUED_BYTES = GIB;

  private static final int QUEUED_FILLS = 80;

  private static final String PTX =
      """
      .version 6.0
      .target sm_50
      .address_size 64
      .visible .entry nothing()
      {
        ret;
      }
      """;

  private final List<Device> devices;
  private final Device device;
  private final CostTable table;
  private final Stream stream;
  private final long work;

  private DriverCosts(Backend backend) {
    this.devices = backend.getDevices();
    this.device = devices.get(0);
    this.table = new CostTable(backend);
    this.stream = device.createStream();
    this.work = device.getMemory().allocate(QUEUED_BYTES);
  }

  /** Measures and prints the costs. */
  public static void main(String[] arguments) {
    try (Backend backend = Backends.open(arguments.length > 0 ? arguments[0] : "javacpp")) {
      new DriverCosts(backend).run();
    }
  }

  private void run() {
    hostMemory();
    shortCalls();
    launches();
    for (int round = 0; round < ROUNDS; round++) {
      plainMemory();
      pools();
      for (int count : new int[] {1, 4, 16, 64}) {
        mapped(count, 2 * MIB);
        mapped(count, 20 * MIB);
      }
      mapped(1, 128 * MIB);
      mapped(1, GIB);
      if (devices.size() > 1) {
        peers(0);
        peers(200);
      }
    }
    new Contention(device, table, work).run();
    table.print(device.getProperties().name());
    stream.close();
    device.getMemory().free(work);
  }

  private static Subject of(DriverFunction function, String name, long... bytes) {
    return new Subject(function, name, false, bytes);
  }

  private static String size(long bytes) {
    return ByteSize.format(bytes);
  }

  /** The first of several small blocks takes a page, and the last gives it back. */
  private void plainMemory() {
    for (long bytes : new long[] {512, 2 * MIB, 20 * MIB, 256 * MIB, 2 * GIB}) {
      long[] blocks = new long[bytes < GIB ? 8 : 2];
      for (int i = 0; i < blocks.length; i++) {
        String name = size(bytes) + (i == 0 ? ", the first" : ", another");
        blocks[i] =
            table.time(
                of(DriverFunction.MEM_ALLOC, name, bytes),
                () -> device.getMemory().allocate(bytes));
      }
      for (int i = 0; i < blocks.length; i++) {
        long block = blocks[i];
        String name = size(bytes) + (i == blocks.length - 1 ? ", the last" : ", another");
        table.time(of(DriverFunction.MEM_FREE, name, bytes), () -> device.getMemory().free(block));
      }
    }
    table.time(of(DriverFunction.MEM_GET_INFO, ""), (Runnable) device::getMemoryInfo);
  }

  /** The first buffer of a size is new to the process. */
  private void hostMemory() {
    for (long bytes : new long[] {MIB, 16 * MIB, 256 * MIB}) {
      for (int i = 0; i < ROUNDS / 2; i++) {
        String name = size(bytes) + (i == 0 ? ", the first" : ", another");
        PinnedBuffer[] buffer = new PinnedBuffer[1];
        table.time(
            of(DriverFunction.MEM_ALLOC_HOST, name, bytes),
            () -> buffer[0] = device.getPinnedMemory().allocate(bytes));
        table.time(of(DriverFunction.MEM_FREE_HOST, name, bytes), buffer[0]::close);
      }
      ByteBuffer memory = ByteBuffer.allocateDirect((int) bytes);
      for (int i = 0; i < ROUNDS / 2; i++) {
        String name = size(bytes) + (i == 0 ? ", the first" : ", again");
        PinnedBuffer[] locked = new PinnedBuffer[1];
        table.time(
            of(DriverFunction.MEM_HOST_REGISTER, name, bytes),
            () -> locked[0] = device.getPinnedMemory().register(memory));
        table.time(of(DriverFunction.MEM_HOST_UNREGISTER, name, bytes), locked[0]::close);
      }
    }
  }

  private void shortCalls() {
    for (int i = 0; i < SHORT_CALLS; i++) {
      Stream[] made = new Stream[1];
      Event[] events = new Event[1];
      table.time(of(DriverFunction.STREAM_CREATE, ""), () -> made[0] = device.createStream());
      table.time(of(DriverFunction.EVENT_CREATE, ""), () -> events[0] = device.createEvent());
      Event event = events[0];
      table.time(of(DriverFunction.EVENT_RECORD, ""), () -> event.record(stream));
      table.time(of(DriverFunction.STREAM_WAIT_EVENT, ""), () -> made[0].waitFor(event));
      table.time(of(DriverFunction.STREAM_SYNCHRONIZE, "done"), made[0]::synchronize);
      table.time(of(DriverFunction.EVENT_SYNCHRONIZE, "done"), event::synchronize);
      table.time(of(DriverFunction.CTX_SYNCHRONIZE, "done"), device::synchronize);
      queries("done", event, made[0]);
      table.time(of(DriverFunction.EVENT_DESTROY, ""), event::close);
      table.time(of(DriverFunction.STREAM_DESTROY, ""), made[0]::close);
    }
    try (Event event = device.createEvent()) {
      occupy();
      event.record(stream);
      for (int i = 0; i < SHORT_CALLS; i++) {
        queries("pending", event, stream);
      }
      stream.synchronize();
    }
  }

  private void queries(String state, Event event, Stream stream) {
    table.time(of(DriverFunction.EVENT_QUERY, state), (Runnable) event::isComplete);
    table.time(of(DriverFunction.STREAM_QUERY, state), (Runnable) stream::isIdle);
  }

  private void occupy() {
    for (int i = 0; i < QUEUED_FILLS; i++) {
      stream.fill(work, (byte) i, QUEUED_BYTES);
    }
  }

  private void launches() {
    try (KernelModule module = device.loadModule(PTX);
        PinnedBuffer pinned = device.getPinnedMemory().allocate(MIB)) {
      Kernel nothing = module.getKernel("nothing");
      device.getGraphs().beginCapture(stream);
      stream.launch(nothing, LaunchConfig.of(1, 1));
      try (Graph graph = device.getGraphs().endCapture(stream)) {
        for (int i = 0; i < SHORT_CALLS; i++) {
          table.time(
              of(DriverFunction.MEMSET_D8_ASYNC, "4 KiB"), () -> stream.fill(work, (byte) 1, 4096));
          table.time(
              of(DriverFunction.MEMCPY_DTOD_ASYNC, "4 KiB"),
              () -> stream.copy(work, work + MIB, 4096));
          table.time(
              of(DriverFunction.MEMCPY_HTOD_ASYNC, "4 KiB, page-locked"),
              () -> stream.copyToDevice(work, pinned, 0, 4096));
          table.time(
              of(DriverFunction.MEMCPY_DTOH_ASYNC, "4 KiB, page-locked"),
              () -> stream.copyToHost(pinned, 0, work, 4096));
          table.time(
              of(DriverFunction.LAUNCH_KERNEL, ""),
              () -> stream.launch(nothing, LaunchConfig.of(1, 1)));
          table.time(of(DriverFunction.GRAPH_LAUNCH, "one kernel"), () -> graph.launch(stream));
          if (i % LAUNCHES == 0) {
            stream.synchronize();
          }
        }
      }
      stream.synchronize();
    }
  }

  /** Growth, hits and trims of a pool that keeps its memory. */
  private void pools() {
    if (!device.supports(Capability.DRIVER_POOLS)) {
      return;
    }
    for (long bytes : new long[] {512, MIB, 64 * MIB, GIB}) {
      try (DriverPool pool = device.getDriverPools().create(0)) {
        pool.setReleaseThreshold(Long.MAX_VALUE);
        for (String name : List.of(", growth", ", hit")) {
          long block =
              table.time(
                  of(DriverFunction.MEM_ALLOC_FROM_POOL_ASYNC, size(bytes) + name),
                  () -> pool.allocate(bytes, stream));
          table.time(
              of(DriverFunction.MEM_FREE_ASYNC, size(bytes)), () -> pool.free(block, stream));
          stream.synchronize();
        }
        table.time(of(DriverFunction.MEM_POOL_TRIM_TO, size(bytes)), () -> pool.trim(0));
      }
    }
  }

  /** Times a range on an idle device, and again with queued work. */
  private void mapped(int count, long bytes) {
    range(count, bytes, false, List.of(device));
    occupy();
    range(count, bytes, true, List.of(device));
    stream.synchronize();
    if (devices.size() > 1 && bytes < GIB) {
      range(count, bytes, false, devices.subList(0, 2));
    }
  }

  /** Maps handles to adjacent addresses, then unmaps and releases them. */
  private void range(int count, long bytes, boolean busy, List<Device> users) {
    String state = (users.size() > 1 ? ", for two devices" : "") + (busy ? ", busy" : "");
    String one = size(bytes) + state;
    String all = count + " x " + size(bytes) + state;
    VirtualMemory memory = device.getVirtualMemory();
    long total = count * bytes;
    long[] sizes = new long[count];
    Arrays.fill(sizes, bytes);
    long range =
        table.time(
            new Subject(DriverFunction.MEM_ADDRESS_RESERVE, size(total), busy, total),
            () -> memory.reserve(total));
    long[] handles = new long[count];
    for (int i = 0; i < count; i++) {
      long address = range + i * bytes;
      handles[i] =
          table.time(
              new Subject(DriverFunction.MEM_CREATE, one, busy, bytes), () -> memory.create(bytes));
      long handle = handles[i];
      table.time(
          new Subject(DriverFunction.MEM_MAP, one, busy, bytes),
          () -> memory.map(address, bytes, handle));
    }
    table.time(
        new Subject(DriverFunction.MEM_SET_ACCESS, all, busy, sizes),
        () -> memory.setAccess(range, total, users));
    table.time(
        new Subject(DriverFunction.MEM_UNMAP, all, busy, sizes), () -> memory.unmap(range, total));
    for (long handle : handles) {
      table.time(
          new Subject(DriverFunction.MEM_RELEASE, one, busy, bytes), () -> memory.release(handle));
    }
    table.time(
        new Subject(DriverFunction.MEM_ADDRESS_FREE, size(total), busy, total),
        () -> memory.unreserve(range, total));
  }

  /** Times access to another device that has blocks of 2 MiB. */
  private void peers(int blocks) {
    Device other = devices.get(1);
    long[] owned = new long[blocks];
    Arrays.setAll(owned, i -> other.getMemory().allocate(2 * MIB));
    String name = blocks + " blocks";
    table.time(
        of(DriverFunction.CTX_ENABLE_PEER_ACCESS, name),
        () -> device.getPeerAccess().enable(other));
    long block =
        table.time(
            of(DriverFunction.MEM_ALLOC, "20 MiB, open to another device", 20 * MIB),
            () -> other.getMemory().allocate(20 * MIB));
    table.time(
        of(DriverFunction.MEM_FREE, "20 MiB, open to another device", 20 * MIB),
        () -> other.getMemory().free(block));
    table.time(
        of(DriverFunction.CTX_DISABLE_PEER_ACCESS, name),
        () -> device.getPeerAccess().disable(other));
    for (long each : owned) {
      other.getMemory().free(each);
    }
  }
}
