package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;

/** Whether calls wait for queued work of the other device. */
final class PairWaiting implements PairTopic {
  private static final long COPIED = 4 * MIB;

  @Override
  public void run(Lab first, Lab second) {
    List<Calls.Call> calls =
        Calls.all().stream().filter(each -> !each.name().contains("PiB")).toList();
    for (int i = 0; i < calls.size(); i++) {
      Calls.Call call = calls.get(i);
      first.probe("2WN" + i, second, (p, q) -> beside(p, q, call, q.stream(), "non-blocking"));
      first.probe(
          "2WD" + i, second, (p, q) -> beside(p, q, call, q.device.getDefaultStream(), "default"));
    }
    for (boolean open : new boolean[] {false, true}) {
      String id = open ? "O" : "C";
      first.probe("2WF" + id, second, (p, q) -> frees(p, q, open));
      first.probe("2WH" + id, second, (p, q) -> hostMemory(p, q, open));
      first.probe("2WK" + id, second, (p, q) -> copies(p, q, open));
      first.probe("2WI" + id, second, (p, q) -> included(p, q, open));
    }
    first.probe("2WP", second, PairWaiting::access);
    first.probe("2WG", second, PairWaiting::graph);
    first.probe("2WE", second, PairWaiting::events);
  }

  static void open(Probe p, Probe q, boolean open) {
    if (open) {
      p.device.getPeerAccess().enable(q.device);
      q.device.getPeerAccess().enable(p.device);
    } else {
      p.device.getPeerAccess().disable(q.device);
      q.device.getPeerAccess().disable(p.device);
    }
  }

  private static String words(boolean open) {
    return open ? ", access both ways" : ", no access";
  }

  private static void settle(Probe p, Probe q) {
    p.device.synchronize();
    q.device.synchronize();
  }

  private static void beside(Probe p, Probe q, Calls.Call call, Stream other, String kind) {
    Runnable action = call.prepare().apply(p);
    p.device.synchronize();
    Busy busy = q.busy(other);
    String outcome = Probe.outcome(action);
    p.say(
        call.name() + " beside work on the other device's " + kind + " stream",
        busy.state() + "; " + outcome);
    other.synchronize();
  }

  private static void frees(Probe p, Probe q, boolean open) {
    open(p, q, open);
    Stream ours = p.stream();
    Stream theirs = q.stream();
    for (Probe owner : List.of(p, q)) {
      String whose = owner == p ? "its own memory" : "the other's memory";
      for (long bytes : new long[] {1, 20 * MIB}) {
        for (Stream stream : List.of(ours, theirs)) {
          long address = owner.plain(bytes);
          Busy busy = busy(p, q, stream);
          String outcome = Probe.outcome(() -> p.device.getMemory().free(address));
          p.say(
              "plain free of %s, %d bytes, beside work of %s%s"
                  .formatted(whose, bytes, stream == ours ? "itself" : "the other", words(open)),
              outcome + "; " + busy.state());
          p.say("again through its owner", Probe.outcome(() -> owner.freePlain(address)));
          settle(p, q);
        }
      }
    }
    open(p, q, false);
  }

  /** Queues work on a stream of either device. */
  private static Busy busy(Probe p, Probe q, Stream stream) {
    return (stream.getDevice() == p.device ? p : q).busy(stream);
  }

  private static void hostMemory(Probe p, Probe q, boolean open) {
    open(p, q, open);
    Stream ours = p.stream();
    Stream theirs = q.stream();
    for (Stream stream : List.of(ours, theirs)) {
      for (Probe owner : List.of(p, q)) {
        Map<String, PinnedBuffer> buffers = new LinkedHashMap<>();
        buffers.put("page-locked", owner.pinned(4 * MIB));
        buffers.put(
            "registered",
            owner.kept(owner.device.getPinnedMemory().register(Calls.direct(4 * MIB))));
        buffers.put("managed, not used", owner.managed(MIB));
        PinnedBuffer used = owner.managed(MIB);
        theirs.fill(used.getAddress(), (byte) 1, MIB);
        theirs.synchronize();
        buffers.put("managed, used by the other", used);
        buffers.forEach(
            (name, buffer) -> {
              Busy busy = busy(p, q, stream);
              buffer.close();
              p.say(
                  "close of %s memory of %s beside work of %s%s"
                      .formatted(
                          name,
                          owner == p ? "one" : "the other",
                          stream == ours ? "one" : "the other",
                          words(open)),
                  busy.state());
              settle(p, q);
            });
      }
    }
    open(p, q, false);
  }

  private static Map<String, Stream> streams(Probe p, Probe q) {
    Map<String, Stream> streams = new LinkedHashMap<>();
    streams.put("its non-blocking", p.stream());
    streams.put("its blocking", p.stream(StreamKind.BLOCKING));
    streams.put("its default", p.device.getDefaultStream());
    streams.put("the other's non-blocking", q.stream());
    streams.put("the other's blocking", q.stream(StreamKind.BLOCKING));
    streams.put("the other's default", q.device.getDefaultStream());
    return streams;
  }

  private static void copies(Probe p, Probe q, boolean open) {
    open(p, q, open);
    long source = p.plain(COPIED);
    long target = q.plain(COPIED);
    Map<String, Stream> streams = streams(p, q);
    streams.forEach(
        (where, busyStream) ->
            streams.forEach(
                (on, stream) -> {
                  if (stream != busyStream) {
                    Busy busy = busy(p, q, busyStream);
                    stream.copy(target, source, MIB);
                    stream.synchronize();
                    p.say(
                        "copy to the other on %s stream beside work on %s stream%s"
                            .formatted(on, where, words(open)),
                        busy.state());
                    settle(p, q);
                  }
                }));
    open(p, q, false);
  }

  /** Whether waits for a device include a copy from or to its memory on the other's stream. */
  private static void included(Probe p, Probe q, boolean open) {
    open(p, q, open);
    long source = p.plain(COPIED);
    long target = q.plain(COPIED);
    Stream ours = p.stream();
    Stream theirs = q.stream();
    Device other = q.device;
    Map<String, Runnable> waits = new LinkedHashMap<>();
    waits.put("the other", other::synchronize);
    waits.put("the other's stream", theirs::synchronize);
    waits.put("the other's default stream", other.getDefaultStream()::synchronize);
    waits.put("one's own default stream", p.device.getDefaultStream()::synchronize);
    waits.forEach(
        (name, wait) -> {
          Busy busy = p.busy(ours);
          ours.copy(target, source, COPIED);
          wait.run();
          p.say("a copy to the other behind work, a wait for " + name + words(open), busy.state());
          settle(p, q);
        });
    Busy busy = p.busy(ours);
    ours.copy(source, target, COPIED);
    other.synchronize();
    p.say("a copy from the other behind work, a wait for the other" + words(open), busy.state());
    settle(p, q);
    open(p, q, false);
  }

  private static void access(Probe p, Probe q) {
    for (Probe owner : List.of(p, q)) {
      Stream stream = owner.stream();
      String beside = " beside work of " + (owner == p ? "one" : "the other");
      Busy busy = owner.busy(stream);
      p.device.getPeerAccess().enable(q.device);
      p.say("access to the other" + beside, busy.state());
      settle(p, q);
      busy = owner.busy(stream);
      p.device.getPeerAccess().disable(q.device);
      p.say("its end" + beside, busy.state());
      settle(p, q);
      long mapped = p.mapped(20 * MIB);
      busy = owner.busy(stream);
      p.device.getVirtualMemory().setAccess(mapped, 20 * MIB, List.of(p.device, q.device));
      p.say("access of both to a mapping" + beside, busy.state());
      p.device.getVirtualMemory().removeAccess(mapped, 20 * MIB, q.device);
      p.say("its end for the other" + beside, busy.state());
      settle(p, q);
    }
  }

  private static void graph(Probe p, Probe q) {
    Stream ours = p.stream();
    Stream theirs = q.stream();
    p.capture(ours);
    theirs.waitFor(p.event(ours));
    Busy busy = q.busy(theirs);
    ours.waitFor(q.event(theirs));
    Graph graph = p.kept(p.device.getGraphs().endCapture(ours));
    graph.launch(ours);
    q.device.synchronize();
    p.say("a graph with nodes of the other, a wait for the other", busy.state());
    settle(p, q);
  }

  private static void events(Probe p, Probe q) {
    Stream ours = p.stream();
    Stream theirs = q.stream();
    Busy busy = q.busy(theirs);
    Event event = q.event(theirs);
    p.say("query of the other's event behind work", event.isComplete() + "; " + busy.state());
    ours.waitFor(event);
    p.say("query of one's own stream that waits for it", ours.isIdle() + "; " + busy.state());
    ours.fill(p.lab.work, (byte) 1, 16);
    ours.synchronize();
    p.say("wait for one's own stream that waits for it", busy.state());
    p.call("record of one's own event on the other's stream", () -> p.event(theirs));
  }
}
