package org.vramkit.gpu.truth;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;

/** Streams and events: order, content, closes and refusals. */
final class Streams implements Topic {
  @Override
  public void run(Lab lab) {
    lab.probe("SO", Streams::order);
    lab.probe("SC", Streams::copies);
    lab.probe("SR", Streams::refusals);
    lab.probe("SX", Streams::closed);
    lab.probe("SE", Streams::events);
    lab.probe("SW", Streams::waits);
    lab.probe("SM", Streams::memory);
  }

  private static int first(Stream stream, long address) {
    ByteBuffer found = ByteBuffer.allocate(1);
    stream.copyToHost(found, address);
    return found.get(0);
  }

  private static void order(Probe p) {
    long memory = p.plain(1 << 20);
    Stream first = p.stream();
    Stream second = p.stream();
    p.busy(first);
    first.fill(memory, (byte) 1, 1 << 20);
    second.waitFor(p.event(first));
    second.fill(memory, (byte) 2, 1 << 20);
    second.synchronize();
    p.say("ordered fills: the later one stays", first(second, memory));
    Stream blocking = p.stream(StreamKind.BLOCKING);
    Stream main = p.device.getDefaultStream();
    p.busy(blocking);
    blocking.fill(memory, (byte) 3, 1 << 20);
    main.fill(memory, (byte) 4, 1 << 20);
    main.synchronize();
    p.say("a blocking stream, then the default one", first(main, memory));
    p.busy(main);
    main.fill(memory, (byte) 5, 1 << 20);
    blocking.fill(memory, (byte) 6, 1 << 20);
    blocking.synchronize();
    p.say("the default stream, then a blocking one", first(blocking, memory));
    Stream other = p.stream(StreamKind.BLOCKING);
    p.busy(blocking);
    blocking.fill(memory, (byte) 7, 1 << 20);
    main.fill(p.lab.work, (byte) 0, 16);
    other.fill(memory, (byte) 8, 1 << 20);
    other.synchronize();
    p.say("two blocking streams with the default one between", first(other, memory));
  }

  private static void copies(Probe p) {
    Stream stream = p.stream();
    long a = p.plain(4096);
    long b = p.plain(4096);
    ByteBuffer source = ByteBuffer.allocate(256);
    for (int i = 0; i < 256; i++) {
      source.put(i, (byte) i);
    }
    stream.copyToDevice(a, source.position(16).limit(32));
    p.say("position and limit after a copy", source.position() + " " + source.limit());
    stream.copy(b + 100, a, 16);
    p.say("the byte at 100 is the 16th", first(stream, b + 100));
    p.say("the byte at 115", first(stream, b + 115));
    PinnedBuffer pinned = p.pinned(64);
    stream.copyToHost(pinned, 8, b + 100, 16);
    stream.synchronize();
    p.say("page-locked byte at 8; at 23", pinned.getBytes(8, 1).get(0) + "; " + at(pinned, 23));
    stream.fill(pinned.getAddress(), (byte) 9, 8);
    stream.synchronize();
    p.say("fill of page-locked memory by its address", at(pinned, 7));
    stream.copy(b, pinned.getAddress(), 8);
    p.say("copy from it by its address", first(stream, b + 7));
    PinnedBuffer managed = p.managed(64);
    managed.getBytes(0, 1).put(0, (byte) 33);
    stream.copy(b, managed.getAddress(), 8);
    p.say("copy from managed memory", first(stream, b));
    stream.fill(managed.getAddress(), (byte) 34, 8);
    stream.synchronize();
    p.say("fill of managed memory", at(managed, 3));
    p.say("a new managed buffer has zeros", at(p.managed(4096), 100));
  }

  private static int at(PinnedBuffer buffer, int offset) {
    return buffer.getBytes(offset, 1).get(0);
  }

  private static void refusals(Probe p) {
    Stream stream = p.stream();
    long memory = p.plain(4096);
    PinnedBuffer pinned = p.pinned(64);
    ByteBuffer heap = ByteBuffer.allocate(16);
    p.call("copy of -1", () -> stream.copy(memory, memory, -1));
    p.call("copy of 0 from nowhere", () -> stream.copy(memory, 1, 0));
    p.call("page-locked copy of -1", () -> stream.copyToDevice(memory, pinned, 0, -1));
    p.call("page-locked copy from -1", () -> stream.copyToDevice(memory, pinned, -1, 1));
    p.call("page-locked copy over the end", () -> stream.copyToDevice(memory, pinned, 60, 5));
    p.call("page-locked copy of 0 at the end", () -> stream.copyToHost(pinned, 64, memory, 0));
    p.call("page-locked copy of 0 behind it", () -> stream.copyToHost(pinned, 65, memory, 0));
    p.call("copy to a read-only buffer", () -> stream.copyToHost(heap.asReadOnlyBuffer(), memory));
    p.call(
        "copy from a read-only buffer", () -> stream.copyToDevice(memory, heap.asReadOnlyBuffer()));
    p.call("copy from an empty buffer", () -> stream.copyToDevice(1, ByteBuffer.allocate(0)));
    p.call("copy to an unknown address", () -> stream.copyToDevice(1L << 40, heap));
    p.call("copy from an unknown address", () -> stream.copyToHost(heap, 1L << 40));
    p.call("page-locked to an unknown address", () -> stream.copyToDevice(1L << 40, pinned, 0, 8));
    p.call("page-locked from an unknown address", () -> stream.copyToHost(pinned, 0, 1L << 40, 8));
    p.call("copy over the end of a block", () -> stream.copyToDevice(memory + 4090, heap));
    p.call("close of the default stream", () -> p.device.getDefaultStream().close());
    p.say("it is closed", p.device.getDefaultStream().isClosed());
    p.call("its fill then", () -> p.device.getDefaultStream().fill(memory, (byte) 1, 1));
    p.call("wait", p.device::synchronize);
  }

  private static void closed(Probe p) {
    Stream stream = p.stream();
    Event event = p.event(stream);
    stream.close();
    stream.close();
    p.say("closed", stream.isClosed());
    p.call("query", stream::isIdle);
    p.call("wait", stream::synchronize);
    p.call("fill", () -> stream.fill(p.lab.work, (byte) 1, 1));
    p.call("fill of 0", () -> stream.fill(p.lab.work, (byte) 1, 0));
    p.call("record", () -> event.record(stream));
    p.call("wait for an event", () -> stream.waitFor(event));
    p.call("query of its event", event::isComplete);
    p.call("capture", () -> p.device.getGraphs().beginCapture(stream));
    p.call("is it captured", () -> p.device.getGraphs().isCapturing(stream));
    event.close();
    event.close();
    Stream other = p.stream();
    p.call("record of a closed event", () -> event.record(other));
    p.call("query of a closed event", event::isComplete);
    p.call("wait of the host for it", event::synchronize);
    p.call("wait of a stream for it", () -> other.waitFor(event));
    PinnedBuffer pinned = p.pinned(64);
    pinned.close();
    p.call("address of a closed buffer", pinned::getAddress);
    p.call("its size", pinned::getSize);
    p.call("its view", () -> pinned.getBytes(0, 1));
    p.call("copy from it", () -> other.copyToDevice(p.lab.work, pinned, 0, 8));
    p.call("copy of 0 to it", () -> other.copyToHost(pinned, 0, p.lab.work, 0));
  }

  private static void events(Probe p) {
    Stream stream = p.stream();
    Event event = p.event();
    p.say("an event never recorded is complete", event.isComplete());
    p.call("wait of the host for it", event::synchronize);
    p.call("wait of a stream for it", () -> stream.waitFor(event));
    Busy busy = p.busy(stream);
    event.record(stream);
    p.say("an event behind work is complete", event.isComplete() + "; " + busy.state());
    event.close();
    p.say("its close", busy.state());
    p.device.synchronize();
    Event again = p.event(stream);
    Busy later = p.busy(stream);
    p.say("an event before work is complete", soon(again) + "; " + later.state());
    again.record(stream);
    p.say("recorded anew behind it", again.isComplete() + "; " + later.state());
    again.synchronize();
    p.say("wait of the host for it", again.isComplete() + "; " + later.state());
    Busy third = p.busy(stream);
    p.say("work behind does not matter", again.isComplete() + "; " + third.state());
  }

  /** Returns whether an event passes within some queries, as work before it has no length. */
  private static boolean soon(Event event) {
    for (int i = 0; i < 1000; i++) {
      if (event.isComplete()) {
        return true;
      }
    }
    return false;
  }

  private static void waits(Probe p) {
    Stream first = p.stream();
    Stream second = p.stream();
    Event event = p.event();
    Busy busy = p.busy(first);
    event.record(first);
    second.waitFor(event);
    event.close();
    second.fill(p.lab.work, (byte) 1, 16);
    second.synchronize();
    p.say("a wait for an event closed since", busy.state());
    Event moved = p.event();
    Busy early = p.busy(first);
    moved.record(first);
    second.waitFor(moved);
    Busy late = p.busy(first);
    moved.record(first);
    second.fill(p.lab.work, (byte) 1, 16);
    second.synchronize();
    p.say(
        "a wait for an event recorded anew since: the first work; the second",
        early.state() + "; " + late.state());
    p.device.synchronize();
    Busy own = p.busy(first);
    first.waitFor(p.event(first));
    p.say("a stream waits for its own event", own.state());
    first.close();
    p.say("the stream is closed", own.state());
    p.device.synchronize();
    p.say("the device is waited for", own.state());
  }

  /** The driver keeps memory for streams, so this goes beyond what the preparation created. */
  private static void memory(Probe p) {
    long before = p.free();
    List<Stream> streams = new ArrayList<>();
    List<Long> falls = new ArrayList<>();
    for (int i = 1; i <= 96; i++) {
      streams.add(p.stream());
      if (i % 8 == 0) {
        falls.add(p.free() - before);
      }
    }
    p.say("96 streams: free memory after each 8", falls);
    streams.forEach(stream -> stream.fill(p.lab.work, (byte) 1, 16));
    p.device.synchronize();
    p.say("after a fill on each", p.free() - before);
    streams.forEach(Stream::close);
    p.say("after their closes", p.free() - before);
    long events = p.change(() -> createEvents(p));
    p.say("1000 events", events);
  }

  private static void createEvents(Probe p) {
    for (int i = 0; i < 1000; i++) {
      p.event().close();
    }
  }
}
