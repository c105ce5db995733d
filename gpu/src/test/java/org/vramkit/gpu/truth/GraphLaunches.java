package org.vramkit.gpu.truth;

import java.nio.ByteBuffer;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;

/** What launches of graphs do: order, content, waits, refusals. */
final class GraphLaunches implements Topic {
  private static final int BYTES = 1 << 16;

  @Override
  public void run(Lab lab) {
    lab.probe("GC", GraphLaunches::content);
    lab.probe("GB", GraphLaunches::branches);
    lab.probe("GO", GraphLaunches::order);
    lab.probe("GE", GraphLaunches::events);
    lab.probe("GM", GraphLaunches::memory);
    lab.probe("GK", GraphLaunches::kernels);
    lab.probe("GR", GraphLaunches::refusals);
  }

  private static int first(Stream stream, long address) {
    ByteBuffer found = ByteBuffer.allocate(1);
    stream.copyToHost(found, address);
    return found.get(0);
  }

  private static void content(Probe p) {
    Stream stream = p.stream();
    long memory = p.plain(BYTES);
    PinnedBuffer source = p.pinned(BYTES);
    source.getBytes(0, BYTES).put(0, (byte) 5);
    stream.fill(memory, (byte) 1, BYTES);
    stream.synchronize();
    Graph graph = p.graph(stream, () -> stream.copyToDevice(memory, source, 0, BYTES));
    p.say("before the first launch", first(stream, memory));
    graph.launch(stream);
    p.say("after it", first(stream, memory));
    source.getBytes(0, BYTES).put(0, (byte) 6);
    graph.launch(stream);
    p.say("after a second, with a new source", first(stream, memory));
    Stream other = p.stream();
    source.getBytes(0, BYTES).put(0, (byte) 7);
    graph.launch(other);
    other.synchronize();
    p.say("on another stream", first(other, memory));
    graph.launch(p.device.getDefaultStream());
    p.call("on the default stream", p.device::synchronize);
    Graph empty = p.graph(stream, () -> {});
    p.call("launch of an empty graph", () -> empty.launch(stream));
    p.call("wait", stream::synchronize);
  }

  private static void branches(Probe p) {
    Stream stream = p.stream();
    Stream side = p.stream();
    long memory = p.plain(2 * BYTES);
    Graph graph =
        p.graph(
            stream,
            () -> {
              stream.fill(memory, (byte) 1, BYTES);
              side.waitFor(p.event(stream));
              side.copy(memory + BYTES, memory, BYTES);
              stream.waitFor(p.event(side));
              stream.fill(memory, (byte) 2, BYTES);
            });
    graph.launch(stream);
    stream.synchronize();
    p.say("joined branches", first(stream, memory) + "; " + first(stream, memory + BYTES));
    Busy busy = p.busy(side);
    graph.launch(stream);
    stream.synchronize();
    p.say("work on the joined stream does not matter to a launch", busy.state());
  }

  private static void order(Probe p) {
    Stream first = p.stream();
    Stream second = p.stream();
    long memory = p.plain(BYTES);
    Graph slow = p.graph(first, () -> slow(p, first));
    Graph fill = p.graph(first, () -> first.fill(memory, (byte) 1, BYTES));
    Busy busy = p.busy(first);
    slow.launch(first);
    p.say("a launch returns", busy.state());
    slow.launch(second);
    second.synchronize();
    p.say("a second launch waits for the first", busy.state());
    p.device.synchronize();
    busy = p.busy(first);
    fill.launch(second);
    second.synchronize();
    p.say("a launch of another graph on another stream does not", busy.state());
    p.device.synchronize();
    Stream blocking = p.stream(StreamKind.BLOCKING);
    busy = p.busy(blocking);
    fill.launch(p.device.getDefaultStream());
    p.device.getDefaultStream().synchronize();
    p.say("a launch on the default stream waits for blocking ones", busy.state());
    p.device.synchronize();
    busy = p.busy(first);
    slow.launch(first);
    slow.close();
    p.say("the close of a launched graph", busy.state());
    p.call("wait", first::synchronize);
  }

  private static void slow(Probe p, Stream stream) {
    for (int i = 0; i < 8; i++) {
      stream.fill(p.lab.work, (byte) i, Lab.WORK);
    }
  }

  private static void events(Probe p) {
    Stream stream = p.stream();
    Stream other = p.stream();
    Event event = p.event();
    Graph graph =
        p.graph(
            stream,
            () -> {
              stream.fill(p.lab.work, (byte) 1, 16);
              event.record(stream);
            });
    p.call("query of an event of the graph before a launch", event::isComplete);
    graph.launch(stream);
    stream.synchronize();
    p.call("after a launch", event::isComplete);
    p.call("wait of the host", event::synchronize);
    p.call("wait of a stream", () -> other.waitFor(event));
    event.record(other);
    p.call("recorded outside", event::synchronize);
    graph.launch(stream);
    stream.synchronize();
    p.call("after another launch", event::isComplete);
  }

  private static void memory(Probe p) {
    Stream stream = p.stream();
    long before = p.free();
    Graph graph = p.graph(stream, () -> stream.fill(p.lab.work, (byte) 1, BYTES));
    p.say("free memory after a small graph", p.free() - before);
    graph.launch(stream);
    stream.synchronize();
    p.say("after its launch", p.free() - before);
    Graph large =
        p.graph(
            stream,
            () -> {
              for (int i = 0; i < 1000; i++) {
                stream.fill(p.lab.work, (byte) i, 16);
              }
            });
    large.launch(stream);
    stream.synchronize();
    p.say("after a graph of 1000 fills", p.free() - before);
    large.close();
    graph.close();
    p.say("after their closes", p.free() - before);
  }

  private static void kernels(Probe p) {
    Stream stream = p.stream();
    long memory = p.plain(BYTES);
    var module = p.module(Ptx.STORE);
    var store = module.getKernel("store");
    var count = module.getKernel("count");
    Graph graph =
        p.graph(
            stream,
            () -> {
              stream.launch(store, LaunchConfig.of(1, 1), memory, 77);
              stream.launch(count, LaunchConfig.of(1, 1));
            });
    graph.launch(stream);
    graph.launch(stream);
    stream.synchronize();
    p.say("a kernel of a graph", first(stream, memory));
    p.say("a counter, twice", first(stream, module.getGlobal("counter").address()));
    module.close();
    p.call("launch after the close of the module", () -> graph.launch(stream));
    p.call("wait", stream::synchronize);
  }

  private static void refusals(Probe p) {
    Stream stream = p.stream();
    Graph graph = p.graph(stream, () -> stream.fill(p.lab.work, (byte) 1, 16));
    p.say("open graphs", p.device.getGraphs().hasOpenGraphs());
    Stream closed = p.stream();
    closed.close();
    p.call("launch on a closed stream", () -> graph.launch(closed));
    graph.close();
    graph.close();
    p.say("closed; open graphs", graph.isClosed() + "; " + p.device.getGraphs().hasOpenGraphs());
    p.call("launch of a closed graph", () -> graph.launch(stream));
    long freed = p.plain(1 << 22);
    Graph late = p.graph(stream, () -> stream.fill(p.lab.work, (byte) 1, 16));
    p.freePlain(freed);
    p.call("launch of a graph after a free of other memory", () -> late.launch(stream));
    p.call("wait", stream::synchronize);
  }
}
