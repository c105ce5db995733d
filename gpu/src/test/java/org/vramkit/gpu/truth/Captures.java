package org.vramkit.gpu.truth;

import java.nio.ByteBuffer;
import java.util.List;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;

/** Which calls a capture refuses, on which thread, and whether it survives them. */
final class Captures implements Topic {
  @Override
  public void run(Lab lab) {
    List<Calls.Call> calls = Calls.all();
    for (int i = 0; i < calls.size(); i++) {
      Calls.Call call = calls.get(i);
      lab.probe("CS" + i, p -> sameThread(p, call));
      lab.probe("CR" + i, p -> relaxed(p, call));
      lab.probe("CO" + i, p -> otherThread(p, call));
      lab.probe("CB" + i, p -> blocking(p, call));
    }
    onCaptured(lab);
    lab.probe("CE", Captures::ends);
    lab.probe("CV", Captures::events);
    lab.probe("CJ", Captures::joins);
    lab.probe("CT", Captures::threads);
  }

  private static void sameThread(Probe p, Calls.Call call) {
    Runnable action = call.prepare().apply(p);
    Stream stream = p.stream();
    p.capture(stream);
    String outcome = Probe.outcome(action);
    p.say("captured: " + call.name(), outcome + "; then end " + p.endCapture(stream));
  }

  private static void relaxed(Probe p, Calls.Call call) {
    Runnable action = call.prepare().apply(p);
    Stream stream = p.stream();
    p.capture(stream);
    Graphs.Relaxation scope = p.device.getGraphs().relax();
    String outcome = Probe.outcome(action);
    scope.close();
    p.say("captured and relaxed: " + call.name(), outcome + "; then end " + p.endCapture(stream));
  }

  private static void otherThread(Probe p, Calls.Call call) {
    Runnable action = call.prepare().apply(p);
    Stream stream = p.stream();
    String begun = p.lab.elsewhere(() -> p.capture(stream));
    String outcome = Probe.outcome(action);
    String[] end = new String[1];
    p.lab.elsewhere(() -> end[0] = p.endCapture(stream));
    p.say(
        "captured by another thread: " + call.name(),
        begun + "; " + outcome + "; then end " + end[0]);
  }

  private static void blocking(Probe p, Calls.Call call) {
    Runnable action = call.prepare().apply(p);
    Stream stream = p.stream(StreamKind.BLOCKING);
    p.capture(stream);
    String outcome = Probe.outcome(action);
    p.say(
        "a blocking stream captured: " + call.name(),
        outcome + "; then end " + p.endCapture(stream));
  }

  private interface OnStream {
    Runnable prepare(Probe probe, Stream captured);
  }

  private static void captured(Lab lab, String id, String name, OnStream call) {
    lab.probe(
        id,
        p -> {
          Stream stream = p.stream();
          Runnable action = call.prepare(p, stream);
          p.capture(stream);
          String outcome = Probe.outcome(action);
          boolean still = p.device.getGraphs().isCapturing(stream);
          p.say(
              "on the captured stream: " + name,
              outcome + "; captured " + still + "; then end " + p.endCapture(stream));
        });
  }

  /** Calls on the captured stream itself. */
  private static void onCaptured(Lab lab) {
    captured(lab, "CC1", "query", (p, s) -> s::isIdle);
    captured(lab, "CC2", "wait", (p, s) -> s::synchronize);
    captured(lab, "CC3", "fill", (p, s) -> () -> s.fill(p.lab.work, (byte) 1, 4096));
    captured(lab, "CC4", "copy", (p, s) -> () -> s.copy(p.lab.work, p.lab.one, 4));
    captured(
        lab,
        "CC5",
        "copy from a heap buffer",
        (p, s) -> () -> s.copyToDevice(p.lab.work, ByteBuffer.allocate(16)));
    captured(
        lab,
        "CC6",
        "copy to a heap buffer",
        (p, s) -> () -> s.copyToHost(ByteBuffer.allocate(16), p.lab.work));
    captured(
        lab,
        "CC7",
        "copy from page-locked memory",
        (p, s) -> () -> s.copyToDevice(p.lab.work, p.lab.flags, 0, 16));
    captured(
        lab,
        "CC8",
        "alloc of a pool",
        (p, s) -> {
          DriverPool pool = p.pool();
          return () -> p.pooled(pool, 1, s);
        });
    captured(
        lab,
        "CC9",
        "free of a pool",
        (p, s) -> {
          DriverPool pool = p.pool();
          long address = p.pooled(pool, 1, s);
          return () -> pool.free(address, s);
        });
    captured(
        lab,
        "CC10",
        "default pool alloc",
        (p, s) -> () -> p.device.getStreamOrderedMemory().allocate(1, s));
    captured(
        lab,
        "CC11",
        "launch of a graph",
        (p, s) -> {
          Graph graph = p.graph(s, () -> s.fill(p.lab.work, (byte) 1, 16));
          return () -> graph.launch(s);
        });
    captured(lab, "CC12", "begin again", (p, s) -> () -> p.device.getGraphs().beginCapture(s));
    captured(
        lab,
        "CC13",
        "wait for an event from before",
        (p, s) -> {
          Event event = p.event(p.stream());
          return () -> s.waitFor(event);
        });
    captured(
        lab,
        "CC14",
        "wait for an event never recorded",
        (p, s) -> {
          Event event = p.event();
          return () -> s.waitFor(event);
        });
    captured(lab, "CC15", "record", (p, s) -> () -> p.event(s));
    captured(
        lab,
        "CC16",
        "launch of a kernel",
        (p, s) -> {
          var kernel = p.module(Ptx.STORE).getKernel("store");
          return () -> s.launch(kernel, LaunchConfig.of(1, 1), p.lab.work, 3);
        });
    captured(
        lab, "CC17", "fill of an unknown address", (p, s) -> () -> s.fill(1L << 40, (byte) 1, 16));
    captured(
        lab,
        "CC18",
        "fill of managed memory",
        (p, s) -> {
          PinnedBuffer managed = p.managed(4096);
          return () -> s.fill(managed.getAddress(), (byte) 1, 16);
        });
    captured(
        lab,
        "CC20",
        "stream-ordered free of plain memory",
        (p, s) -> {
          long address = p.plain(4096);
          return () -> p.device.getStreamOrderedMemory().free(address, s);
        });
  }

  private static void ends(Probe p) {
    Stream stream = p.stream();
    Graphs graphs = p.device.getGraphs();
    p.say("end without a capture", p.endCapture(stream));
    p.call("capture of the default stream", () -> p.capture(p.device.getDefaultStream()));
    p.capture(stream);
    p.say("captured; any; open graphs", state(graphs, stream));
    p.say("end of an empty capture", p.endCapture(stream));
    p.say("captured; any; open graphs", state(graphs, stream));
    p.say("end again", p.endCapture(stream));
    p.capture(stream);
    p.call("a refused call", () -> p.device.getMemory().allocate(1));
    p.say("captured; any; open graphs", state(graphs, stream));
    p.call("a fill then", () -> stream.fill(p.lab.work, (byte) 1, 16));
    p.call("a query then", stream::isIdle);
    p.call("another alloc then", () -> p.plain(1));
    p.call("begin then", () -> p.device.getGraphs().beginCapture(stream));
    p.say("end", p.endCapture(stream));
    p.say("captured; any", graphs.isCapturing(stream) + "; " + graphs.isAnyCapturing());
    p.call("a fill and a wait then", () -> fillAndWait(p, stream));
  }

  private static String state(Graphs graphs, Stream stream) {
    return graphs.isCapturing(stream)
        + "; "
        + graphs.isAnyCapturing()
        + "; "
        + graphs.hasOpenGraphs();
  }

  private static void fillAndWait(Probe p, Stream stream) {
    stream.fill(p.lab.work, (byte) 1, 16);
    stream.synchronize();
  }

  private static void events(Probe p) {
    Stream stream = p.stream();
    Stream other = p.stream();
    p.capture(stream);
    Event event = p.event(stream);
    p.call("captured: query of an event of the capture", event::isComplete);
    p.say("end", p.endCapture(stream));
    p.capture(stream);
    event.record(stream);
    p.call("captured: wait of the host for an event of the capture", event::synchronize);
    p.say("end", p.endCapture(stream));
    p.capture(stream);
    event.record(stream);
    p.say("end", p.endCapture(stream));
    p.call("query of the event after the end", event::isComplete);
    p.call("wait of the host for it", event::synchronize);
    p.call("wait of a stream for it", () -> other.waitFor(event));
    p.capture(other);
    p.call("wait of another capture for it", () -> other.waitFor(event));
    p.say("end of that", p.endCapture(other));
    p.call("record anew and query", () -> event.record(stream));
    stream.synchronize();
    p.say("then it is complete", event.isComplete());
    p.capture(stream);
    event.record(stream);
    p.call("a refused call", () -> p.device.getMemory().allocate(1));
    p.call("query of an event of an invalidated capture", event::isComplete);
    p.say("end", p.endCapture(stream));
    p.call("query of it after the end", event::isComplete);
    p.capture(stream);
    event.record(stream);
    p.call("the default stream waits for a captured event", () -> wait(p, event));
    p.say("end", p.endCapture(stream));
  }

  private static void wait(Probe p, Event event) {
    p.device.getDefaultStream().waitFor(event);
  }

  private static void joins(Probe p) {
    Stream stream = p.stream();
    Stream side = p.stream();
    p.capture(stream);
    side.waitFor(p.event(stream));
    p.say("joined stream is captured", p.device.getGraphs().isCapturing(side));
    p.call("fill on it", () -> side.fill(p.lab.work, (byte) 1, 16));
    p.say("end on the joined stream", p.endCapture(side));
    p.say("end without joining back", p.endCapture(stream));
    p.say("joined stream is captured", p.device.getGraphs().isCapturing(side));
    p.capture(stream);
    side.waitFor(p.event(stream));
    side.fill(p.lab.work, (byte) 1, 16);
    stream.waitFor(p.event(side));
    p.say("end after joining back", p.endCapture(stream));
    p.capture(stream);
    side.waitFor(p.event(stream));
    p.call("query of the joined stream", side::isIdle);
    p.say("end", p.endCapture(stream));
    p.capture(stream);
    p.capture(side);
    Event event = p.event(stream);
    p.call("wait of one capture for another", () -> side.waitFor(event));
    p.say("end of the first", p.endCapture(stream));
    p.say("end of the second", p.endCapture(side));
    p.capture(stream);
    p.capture(side);
    p.call("a refused call with two captures", () -> p.device.getMemory().allocate(1));
    p.say("end of the first", p.endCapture(stream));
    p.say("end of the second", p.endCapture(side));
    Stream blocking = p.stream(StreamKind.BLOCKING);
    p.capture(blocking);
    p.say("end of a blocking capture", p.endCapture(blocking));
  }

  private static void threads(Probe p) {
    Stream stream = p.stream();
    p.say("begun elsewhere", p.lab.elsewhere(() -> p.capture(stream)));
    p.call("fill by this thread", () -> stream.fill(p.lab.work, (byte) 1, 16));
    p.say("end by this thread", p.endCapture(stream));
    p.say("captured", p.device.getGraphs().isCapturing(stream));
    String[] end = new String[1];
    p.lab.elsewhere(() -> end[0] = p.endCapture(stream));
    p.say("end by the thread that began", end[0]);
  }
}
