package org.vramkit.gpu.truth;

import java.util.List;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;

/** Each call of a device while the other is bound, captured or relaxed, or while both are. */
final class PairCalls implements PairTopic {
  @Override
  public void run(Lab first, Lab second) {
    List<Calls.Call> calls = Calls.all();
    for (int i = 0; i < calls.size(); i++) {
      Calls.Call call = calls.get(i);
      first.probe("2DN" + i, second, (p, q) -> bound(p, q, call));
      first.probe("2DB" + i, second, (p, q) -> bothCaptured(p, q, call));
      first.probe("2DJ" + i, second, (p, q) -> joined(p, q, call));
      first.probe("2DR" + i, second, (p, q) -> relaxed(p, q, call));
    }
  }

  private static void bound(Probe p, Probe q, Calls.Call call) {
    Runnable action = call.prepare().apply(p);
    p.device.synchronize();
    DeviceBinding other = q.device.bind();
    String outcome = Probe.outcome(action);
    other.close();
    p.say("while the other is bound: " + call.name(), outcome);
  }

  private static void bothCaptured(Probe p, Probe q, Calls.Call call) {
    Runnable action = call.prepare().apply(q);
    q.device.synchronize();
    Stream ours = p.stream();
    Stream theirs = q.stream();
    p.capture(ours);
    q.capture(theirs);
    String outcome = Probe.outcome(action);
    p.say(
        "a stream of each captured, on the other device: " + call.name(),
        outcome + "; then end " + p.endCapture(ours) + "; of the other " + q.endCapture(theirs));
  }

  private static void joined(Probe p, Probe q, Calls.Call call) {
    Runnable action = call.prepare().apply(q);
    q.device.synchronize();
    Stream ours = p.stream();
    Stream theirs = q.stream();
    Event back = q.event();
    p.capture(ours);
    theirs.waitFor(p.event(ours));
    String outcome = Probe.outcome(action);
    String joins =
        Probe.outcome(
            () -> {
              back.record(theirs);
              ours.waitFor(back);
            });
    p.say(
        "the other's stream in the capture, on the other device: " + call.name(),
        outcome + "; back " + joins + "; then end " + p.endCapture(ours));
  }

  private static void relaxed(Probe p, Probe q, Calls.Call call) {
    Runnable action = call.prepare().apply(q);
    q.device.synchronize();
    Stream stream = p.stream();
    p.capture(stream);
    Graphs.Relaxation scope = p.device.getGraphs().relax();
    String outcome = Probe.outcome(action);
    scope.close();
    p.say(
        "captured and relaxed, on the other device: " + call.name(),
        outcome + "; then end " + p.endCapture(stream));
  }
}
