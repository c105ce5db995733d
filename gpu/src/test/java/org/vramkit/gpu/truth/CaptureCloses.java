package org.vramkit.gpu.truth;

import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;

/** Closes in and of captures, which may leave a thread in a capture that never ends. */
final class CaptureCloses implements Topic {
  @Override
  public void run(Lab lab) {
    lab.probe("XM", CaptureCloses::memory);
    lab.probe("XE", CaptureCloses::event);
    lab.probe("XP", CaptureCloses::pool);
    lab.probe("XG", CaptureCloses::graph);
    lab.probe("XS", CaptureCloses::stream);
    lab.probe("XI", CaptureCloses::invalidated);
  }

  private static void memory(Probe p) {
    Stream stream = p.stream();
    PinnedBuffer buffer = p.pinned(4096);
    p.capture(stream);
    p.call("close of page-locked memory in a capture", buffer::close);
    p.say("end", p.endCapture(stream));
    p.call("its view then", () -> buffer.getBytes(0, 1));
    p.call("its close again", buffer::close);
    PinnedBuffer managed = p.managed(4096);
    p.capture(stream);
    p.call("close of managed memory in a capture", managed::close);
    p.say("end", p.endCapture(stream));
    p.call("its view then", () -> managed.getBytes(0, 1));
    p.call("its close again", managed::close);
    long plain = p.plain(4096);
    p.capture(stream);
    p.call("free of plain memory in a capture", () -> p.freePlain(plain));
    p.say("end", p.endCapture(stream));
    p.call("its free again", () -> p.freePlain(plain));
  }

  private static void event(Probe p) {
    Stream stream = p.stream();
    Stream side = p.stream();
    p.capture(stream);
    Event event = p.event(stream);
    side.waitFor(event);
    p.call("close of an event of the capture", event::close);
    side.fill(p.lab.work, (byte) 1, 16);
    Event back = p.event(side);
    stream.waitFor(back);
    back.close();
    p.say("end", p.endCapture(stream));
  }

  private static void pool(Probe p) {
    Stream stream = p.stream();
    DriverPool pool = p.pool();
    p.capture(stream);
    p.call("close of a pool in a capture", pool::close);
    p.say("end", p.endCapture(stream));
    p.call("its statistics then", pool::getStatistics);
    p.call("its close again", pool::close);
  }

  private static void graph(Probe p) {
    Stream stream = p.stream();
    long memory = p.plain(4096);
    var graph = p.graph(stream, () -> stream.fill(memory, (byte) 1, 4096));
    p.say("open graphs", p.device.getGraphs().hasOpenGraphs());
    Busy busy = p.busy(stream);
    graph.launch(stream);
    p.call("close of a launched graph", graph::close);
    p.say("its work", busy.state());
    p.say("open graphs", p.device.getGraphs().hasOpenGraphs());
    p.call("launch after the close", () -> graph.launch(stream));
    p.call("wait", stream::synchronize);
  }

  private static void stream(Probe p) {
    Stream stream = p.stream();
    p.capture(stream);
    p.call("close of a captured stream", stream::close);
    p.say("any captured then", p.device.getGraphs().isAnyCapturing());
    p.call("alloc then", () -> p.plain(1));
    Stream origin = p.stream();
    Stream side = p.stream();
    p.capture(origin);
    side.waitFor(p.event(origin));
    p.call("close of a joined stream", side::close);
    p.say("end", p.endCapture(origin));
  }

  private static void invalidated(Probe p) {
    Stream stream = p.stream();
    p.capture(stream);
    p.call("a refused call", () -> p.device.getMemory().allocate(1));
    p.call("close of the invalidated stream", stream::close);
    p.say("any captured then", p.device.getGraphs().isAnyCapturing());
    p.call("alloc then", () -> p.plain(1));
  }
}
