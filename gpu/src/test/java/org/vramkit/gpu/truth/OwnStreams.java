package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;

/** Whether calls wait for work of the stream on which they are made, or that orders it. */
final class OwnStreams implements Topic {
  private interface OnBusy extends BiFunction<Probe, Stream, Runnable> {}

  @Override
  public void run(Lab lab) {
    int i = 0;
    for (Map.Entry<String, OnBusy> each : calls().entrySet()) {
      String id = String.valueOf(i++);
      lab.probe("ZN" + id, p -> own(p, each.getKey(), each.getValue(), p.stream(), "non-blocking"));
      lab.probe(
          "ZB" + id,
          p -> own(p, each.getKey(), each.getValue(), p.stream(StreamKind.BLOCKING), "blocking"));
      lab.probe(
          "ZD" + id,
          p -> own(p, each.getKey(), each.getValue(), p.device.getDefaultStream(), "default"));
      lab.probe("ZE" + id, p -> behind(p, each.getKey(), each.getValue()));
    }
    lab.probe("ZK", OwnStreams::kinds);
    lab.probe("ZC", OwnStreams::chains);
    lab.probe("ZH", OwnStreams::hostCopies);
  }

  private static Map<String, OnBusy> calls() {
    Map<String, OnBusy> calls = new LinkedHashMap<>();
    calls.put("fill", (p, s) -> () -> s.fill(p.lab.work, (byte) 1, 4096));
    calls.put("copy", (p, s) -> () -> s.copy(p.lab.work, p.lab.one, 512));
    calls.put("record", (p, s) -> () -> p.event(s));
    calls.put("record and close of the event", (p, s) -> () -> p.event(s).close());
    calls.put(
        "wait for an event that has passed",
        (p, s) -> {
          Event event = p.event(p.stream());
          event.synchronize();
          return () -> s.waitFor(event);
        });
    calls.put(
        "launch of a graph",
        (p, s) -> {
          Stream other = p.stream();
          Graph graph = p.graph(other, () -> other.fill(p.lab.work, (byte) 1, 16));
          return () -> graph.launch(s);
        });
    calls.put("alloc of a pool", (p, s) -> alloc(p, p.pool(), s));
    calls.put(
        "free of a pool",
        (p, s) -> {
          DriverPool pool = p.pool();
          long address = p.pooled(pool, MIB, s);
          return () -> p.freePooled(pool, address, s);
        });
    calls.put(
        "stream-ordered free of plain memory",
        (p, s) -> {
          long address = p.plain(MIB);
          return () -> p.device.getStreamOrderedMemory().free(address, s);
        });
    calls.put("alloc and free of the default pool", (p, s) -> () -> allocateAndFree(p, s));
    calls.put(
        "close of page-locked memory",
        (p, s) -> {
          PinnedBuffer buffer = p.pinned(4096);
          return buffer::close;
        });
    calls.put("page-locked copy", (p, s) -> () -> s.copyToDevice(p.lab.work, p.lab.flags, 0, 64));
    calls.put("query", (p, s) -> s::isIdle);
    calls.put("is it captured", (p, s) -> () -> captured(p, s));
    calls.put("empty fill", (p, s) -> () -> s.fill(p.lab.work, (byte) 1, 0));
    calls.put("refused fill", (p, s) -> () -> s.fill(1L << 40, (byte) 1, 16));
    calls.put(
        "empty copy from a heap buffer",
        (p, s) -> () -> s.copyToDevice(p.lab.work, ByteBuffer.allocate(0)));
    calls.put(
        "refused copy to a heap buffer",
        (p, s) -> () -> s.copyToHost(ByteBuffer.allocate(16), 1L << 40));
    calls.put("copy to a heap buffer", (p, s) -> () -> s.copyToHost(heap(), p.lab.work));
    calls.put("copy from a heap buffer", (p, s) -> () -> s.copyToDevice(p.lab.work, heap()));
    return calls;
  }

  private static ByteBuffer heap() {
    return ByteBuffer.allocate(16);
  }

  private static Runnable alloc(Probe p, DriverPool pool, Stream stream) {
    return () -> p.pooled(pool, MIB, stream);
  }

  private static void allocateAndFree(Probe p, Stream stream) {
    var pool = p.device.getStreamOrderedMemory();
    pool.free(pool.allocate(MIB, stream), stream);
  }

  private static void captured(Probe p, Stream stream) {
    p.device.getGraphs().isCapturing(stream);
  }

  private static void own(Probe p, String name, OnBusy call, Stream stream, String kind) {
    Runnable action = call.apply(p, stream);
    p.device.synchronize();
    Busy busy = p.busy(stream);
    String outcome = Probe.outcome(action);
    p.say(name + " on the busy " + kind + " stream", outcome + "; " + busy.state());
  }

  /** On a stream that waits for an event behind the work of another. */
  private static void behind(Probe p, String name, OnBusy call) {
    Stream stream = p.stream();
    Runnable action = call.apply(p, stream);
    p.device.synchronize();
    Stream other = p.stream();
    Busy busy = p.busy(other);
    stream.waitFor(p.event(other));
    String outcome = Probe.outcome(action);
    p.say(name + " on a stream that waits for a busy one", outcome + "; " + busy.state());
  }

  /** Which work of the other kinds a wait of the host includes. */
  private static void kinds(Probe p) {
    Stream none = p.stream();
    Stream blocking = p.stream(StreamKind.BLOCKING);
    Stream second = p.stream(StreamKind.BLOCKING);
    Stream main = p.device.getDefaultStream();
    Stream[] all = {none, blocking, second, main};
    String[] names = {"non-blocking", "blocking", "second blocking", "default"};
    for (int i = 0; i < all.length; i++) {
      for (int j = 0; j < all.length; j++) {
        if (i != j) {
          String beside = names[j] + " stream, work on the " + names[i] + " one";
          Busy busy = p.busy(all[i]);
          all[j].synchronize();
          p.say("a wait for the idle " + beside, busy.state());
          p.device.synchronize();
          busy = p.busy(all[i]);
          p.event(all[j]).synchronize();
          p.say("a wait for an event of the idle " + beside, busy.state());
          p.device.synchronize();
          busy = p.busy(all[i]);
          p.event(all[j]);
          all[j].synchronize();
          p.say("a record on the " + beside + ", and a wait for the stream", busy.state());
          p.device.synchronize();
          busy = p.busy(all[i]);
          p.event(all[j]);
          boolean idle = all[j].isIdle();
          p.say("a record on the " + beside + ", and a query", idle + "; " + busy.state());
          p.device.synchronize();
          busy = p.busy(all[i]);
          all[j].waitFor(p.event(all[i]));
          all[j].synchronize();
          p.say("ordered by an event, a wait for the " + beside, busy.state());
          p.device.synchronize();
          busy = p.busy(all[i]);
          all[j].copyToHost(ByteBuffer.allocate(4), p.lab.one);
          p.say("a copy to a heap buffer on the " + beside, busy.state());
          p.device.synchronize();
        }
      }
    }
  }

  private static void chains(Probe p) {
    Stream first = p.stream();
    Stream second = p.stream();
    Stream third = p.stream();
    Busy busy = p.busy(first);
    second.waitFor(p.event(first));
    third.waitFor(p.event(second));
    third.synchronize();
    p.say("an event of a stream that waits: a wait of the host", busy.state());
    p.device.synchronize();
    busy = p.busy(first);
    Event event = p.event(first);
    event.record(second);
    third.waitFor(event);
    third.synchronize();
    p.say("an event recorded anew on another, idle stream", busy.state());
    p.device.synchronize();
    busy = p.busy(first);
    second.waitFor(p.event(first));
    second.close();
    p.say("a stream that waits is closed", busy.state());
    Stream main = p.device.getDefaultStream();
    main.waitFor(p.event(first));
    Stream blocking = p.stream(StreamKind.BLOCKING);
    blocking.fill(p.lab.work, (byte) 1, 16);
    blocking.synchronize();
    p.say("the default stream waits, a blocking one behind it", busy.state());
    p.device.synchronize();
    busy = p.busy(first);
    Event never = p.event();
    third.waitFor(never);
    never.record(first);
    third.synchronize();
    p.say("an event first recorded after the wait for it", busy.state());
  }

  private static void hostCopies(Probe p) {
    Stream stream = p.stream();
    Stream other = p.stream();
    for (int bytes : new int[] {1, 65536, 65537, 1 << 20, 8 << 20}) {
      Busy busy = p.busy(other);
      stream.copyToDevice(p.lab.work, ByteBuffer.allocateDirect(bytes));
      p.say(
          "a copy of " + bytes + " from a direct buffer beside another busy stream", busy.state());
      stream.copyToHost(ByteBuffer.allocateDirect(bytes), p.lab.work);
      p.say("to a direct buffer", busy.state());
      p.device.synchronize();
    }
  }
}
