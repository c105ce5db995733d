package org.vramkit.gpu.truth;

import java.util.List;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;

/** Captures of two threads beside each other, and how far a relaxation reaches. */
final class CaptureThreads implements Topic {
  @Override
  public void run(Lab lab) {
    List<Calls.Call> calls = Calls.all();
    for (int i = 0; i < calls.size(); i++) {
      Calls.Call call = calls.get(i);
      lab.probe("JB" + i, p -> blockingElsewhere(p, call));
      lab.probe("JT" + i, p -> two(p, call));
      lab.probe("JR" + i, p -> relaxedElsewhere(p, call));
      lab.probe("JV" + i, p -> invalidated(p, call));
    }
    lab.probe("JN", CaptureThreads::nested);
    lab.probe("JF", CaptureThreads::forks);
    lab.probe("JE", CaptureThreads::events);
    lab.probe("JD", CaptureThreads::defaultStream);
    lab.probe("JW", CaptureThreads::wrongThread);
    lab.probe("JG", CaptureThreads::graphs);
  }

  private static void blockingElsewhere(Probe p, Calls.Call call) {
    Runnable action = call.prepare().apply(p);
    Stream stream = p.stream(StreamKind.BLOCKING);
    p.lab.elsewhere(() -> p.capture(stream));
    String outcome = Probe.outcome(action);
    p.say(
        "a blocking stream captured by another thread: " + call.name(),
        outcome + "; then end " + endElsewhere(p, stream));
  }

  private static String endElsewhere(Probe p, Stream stream) {
    String[] end = new String[1];
    p.lab.elsewhere(() -> end[0] = p.endCapture(stream));
    return end[0];
  }

  private static void two(Probe p, Calls.Call call) {
    Runnable action = call.prepare().apply(p);
    Stream here = p.stream();
    Stream there = p.stream();
    p.capture(here);
    p.lab.elsewhere(() -> p.capture(there));
    String outcome = Probe.outcome(action);
    p.say(
        "captures of two threads: " + call.name(),
        outcome + "; then end " + p.endCapture(here) + "; elsewhere " + endElsewhere(p, there));
  }

  private static void relaxedElsewhere(Probe p, Calls.Call call) {
    Runnable action = call.prepare().apply(p);
    Stream stream = p.stream();
    Graphs.Relaxation[] scope = new Graphs.Relaxation[1];
    p.lab.elsewhere(() -> scope[0] = p.device.getGraphs().relax());
    p.capture(stream);
    String outcome = Probe.outcome(action);
    p.say(
        "captured, another thread relaxed: " + call.name(),
        outcome + "; then end " + p.endCapture(stream));
    p.lab.elsewhere(() -> scope[0].close());
  }

  /** Calls after a refused one. */
  private static void invalidated(Probe p, Calls.Call call) {
    Runnable action = call.prepare().apply(p);
    Stream stream = p.stream();
    p.capture(stream);
    Probe.outcome(() -> p.device.getMemory().allocate(1));
    String outcome = Probe.outcome(action);
    p.say(
        "a capture invalidated before: " + call.name(),
        outcome + "; then end " + p.endCapture(stream));
  }

  private static void nested(Probe p) {
    Stream stream = p.stream();
    Graphs graphs = p.device.getGraphs();
    p.capture(stream);
    Graphs.Relaxation outer = graphs.relax();
    Graphs.Relaxation inner = graphs.relax();
    p.call("relaxed twice: alloc", () -> p.plain(1));
    inner.close();
    p.call("the inner ended: alloc", () -> p.plain(1));
    inner.close();
    p.call("ended again: alloc", () -> p.plain(1));
    p.say("the other thread: alloc", p.lab.elsewhere(() -> p.plain(1)));
    outer.close();
    p.call("both ended: alloc", () -> p.plain(1));
    p.say("end", p.endCapture(stream));
    Graphs.Relaxation before = graphs.relax();
    p.capture(stream);
    p.call("relaxed before the capture: alloc", () -> p.plain(1));
    p.call("query of the captured stream", stream::isIdle);
    p.say("end", p.endCapture(stream));
    p.capture(stream);
    before.close();
    p.call("ended in a capture: alloc", () -> p.plain(1));
    p.say("end", p.endCapture(stream));
    p.capture(stream);
    Graphs.Relaxation open = graphs.relax();
    p.call("wait for the device", p.device::synchronize);
    p.call("alloc then", () -> p.plain(1));
    open.close();
    p.say("end", p.endCapture(stream));
  }

  private static void forks(Probe p) {
    Stream origin = p.stream();
    Stream one = p.stream();
    Stream two = p.stream();
    Stream blocking = p.stream(StreamKind.BLOCKING);
    p.capture(origin);
    one.waitFor(p.event(origin));
    two.waitFor(p.event(one));
    p.call("a fill of the third", () -> two.fill(p.lab.work, (byte) 1, 16));
    one.waitFor(p.event(two));
    origin.waitFor(p.event(one));
    p.say("end of a chain", p.endCapture(origin));
    p.capture(origin);
    one.waitFor(p.event(origin));
    p.say("end with a joined stream without work", p.endCapture(origin));
    p.capture(origin);
    blocking.waitFor(p.event(origin));
    p.call("a blocking stream joined: query of the default", main(p)::isIdle);
    p.say("end", p.endCapture(origin));
    p.capture(origin);
    blocking.waitFor(p.event(origin));
    blocking.fill(p.lab.work, (byte) 1, 16);
    origin.waitFor(p.event(blocking));
    p.call("a blocking stream joined and back: fill on the default", () -> fill(p, main(p)));
    p.say("end", p.endCapture(origin));
    p.capture(origin);
    one.waitFor(p.event(origin));
    p.call("begin on a joined stream", () -> p.device.getGraphs().beginCapture(one));
    p.call("wait for a joined stream", one::synchronize);
    p.call("fill on it then", () -> fill(p, one));
    p.say("captured", p.device.getGraphs().isCapturing(one));
    p.say("end", p.endCapture(origin));
    p.say("captured", p.device.getGraphs().isCapturing(one));
    p.call("fill on it", () -> fill(p, one));
    p.capture(origin);
    one.waitFor(p.event(origin));
    fill(p, one);
    Event joined = p.event(one);
    fill(p, one);
    origin.waitFor(joined);
    p.say("end with work behind the join", p.endCapture(origin));
    p.capture(origin);
    one.waitFor(p.event(origin));
    one.close();
    p.say("end with a joined stream that was closed", p.endCapture(origin));
  }

  private static Stream main(Probe p) {
    return p.device.getDefaultStream();
  }

  private static void fill(Probe p, Stream stream) {
    stream.fill(p.lab.work, (byte) 1, 16);
  }

  private static void events(Probe p) {
    Stream stream = p.stream();
    Stream other = p.stream();
    Event event = p.event(other);
    other.synchronize();
    p.capture(stream);
    event.record(stream);
    event.record(other);
    p.call("recorded in the capture, then outside: query", event::isComplete);
    p.call("wait of the captured stream", () -> stream.waitFor(event));
    p.say("end", p.endCapture(stream));
    p.capture(stream);
    event.record(stream);
    p.say("another thread queries", p.lab.elsewhere(event::isComplete));
    p.say("end", p.endCapture(stream));
    p.capture(stream);
    event.record(stream);
    Stream third = p.stream();
    p.say("another thread joins a stream", p.lab.elsewhere(() -> third.waitFor(event)));
    p.say("its fill there", p.lab.elsewhere(() -> fill(p, third)));
    p.call("joined back", () -> stream.waitFor(p.event(third)));
    p.say("end", p.endCapture(stream));
    p.capture(stream);
    Event never = p.event();
    p.call("wait for an event never recorded", () -> stream.waitFor(never));
    p.call("wait for one's own", () -> stream.waitFor(p.event(stream)));
    p.call("query of an event never recorded", never::isComplete);
    p.say("end", p.endCapture(stream));
    p.capture(stream);
    event.record(stream);
    p.say("end", p.endCapture(stream));
    p.capture(stream);
    p.call("wait for the event of the capture before", () -> stream.waitFor(event));
    p.say("end", p.endCapture(stream));
    p.capture(stream);
    event.record(stream);
    p.call("host wait", event::synchronize);
    p.call("recorded again then", () -> event.record(stream));
    p.call("another stream waits for it", () -> other.waitFor(event));
    p.call("its close", event::close);
    p.say("end", p.endCapture(stream));
  }

  private static void defaultStream(Probe p) {
    Stream blocking = p.stream(StreamKind.BLOCKING);
    Stream second = p.stream(StreamKind.BLOCKING);
    Stream none = p.stream();
    Event before = p.event(main(p));
    p.device.synchronize();
    p.capture(blocking);
    p.call("a fill on another blocking stream", () -> fill(p, second));
    p.call("an event recorded there", () -> p.event(second));
    p.call(
        "a non-blocking stream waits for an event of the default one", () -> none.waitFor(before));
    p.call("empty fill on the default stream", () -> main(p).fill(p.lab.work, (byte) 1, 0));
    p.say("end", p.endCapture(blocking));
    p.capture(blocking);
    p.call("record on the default stream", () -> before.record(main(p)));
    p.call("a fill of the captured then", () -> fill(p, blocking));
    p.say("end", p.endCapture(blocking));
    p.capture(blocking);
    p.call("the default stream waits for an event", () -> main(p).waitFor(p.event(none)));
    p.say("end", p.endCapture(blocking));
    p.capture(blocking);
    p.call("is the default stream captured", () -> p.device.getGraphs().isCapturing(main(p)));
    p.say("end", p.endCapture(blocking));
    p.capture(blocking);
    Graphs.Relaxation scope = p.device.getGraphs().relax();
    p.call("relaxed: fill on the default stream", () -> fill(p, main(p)));
    scope.close();
    p.say("end", p.endCapture(blocking));
  }

  private static void wrongThread(Probe p) {
    Stream stream = p.stream();
    Stream side = p.stream();
    p.capture(stream);
    side.waitFor(p.event(stream));
    p.say("end of a joined stream elsewhere", endElsewhere(p, side));
    p.say("captured", p.device.getGraphs().isCapturing(stream));
    p.say("end elsewhere", endElsewhere(p, stream));
    p.say("captured", p.device.getGraphs().isCapturing(stream));
    p.say("end here", p.endCapture(stream));
    p.call("alloc", () -> p.plain(1));
    p.capture(stream);
    p.say("begin elsewhere too", p.lab.elsewhere(() -> p.device.getGraphs().beginCapture(stream)));
    p.say("a fill elsewhere", p.lab.elsewhere(() -> fill(p, stream)));
    p.say("a query elsewhere", p.lab.elsewhere(stream::isIdle));
    p.call("a fill here then", () -> fill(p, stream));
    p.say("end", p.endCapture(stream));
  }

  private static void graphs(Probe p) {
    Stream stream = p.stream();
    Stream other = p.stream();
    var graph = p.graph(stream, () -> fill(p, stream));
    p.capture(stream);
    p.call("launch on another stream", () -> graph.launch(other));
    p.say("launch by another thread", p.lab.elsewhere(() -> graph.launch(other)));
    p.call("its close", graph::close);
    p.call("launch on the captured stream", () -> graph.launch(stream));
    p.say("open graphs", p.device.getGraphs().hasOpenGraphs());
    p.say("end", p.endCapture(stream));
    var second = p.graph(stream, () -> {});
    Busy busy = p.busy(other);
    second.launch(other);
    p.say("a launch of an empty graph behind work", busy.state());
    p.call("on a busy stream: begin", () -> p.capture(other));
    p.say("its work", busy.state());
    p.call("a fill in it", () -> fill(p, other));
    p.say("end", p.endCapture(other));
    p.say("the work", busy.state());
  }
}
