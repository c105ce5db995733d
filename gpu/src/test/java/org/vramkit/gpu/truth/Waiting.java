package org.vramkit.gpu.truth;

import java.nio.ByteBuffer;
import java.util.List;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;

/** Whether calls wait for queued work: of a stream of each kind, and of their own stream. */
final class Waiting implements Topic {
  @Override
  public void run(Lab lab) {
    // The refusal of an impossible size takes about as long as the queued work.
    List<Calls.Call> calls =
        Calls.all().stream().filter(each -> !each.name().contains("PiB")).toList();
    for (int i = 0; i < calls.size(); i++) {
      Calls.Call call = calls.get(i);
      lab.probe("WN" + i, p -> beside(p, call, p.stream(), "a non-blocking stream"));
      lab.probe("WB" + i, p -> beside(p, call, p.stream(StreamKind.BLOCKING), "a blocking stream"));
      lab.probe("WD" + i, p -> beside(p, call, p.device.getDefaultStream(), "the default stream"));
    }
    for (int bytes : new int[] {4, 4096, 65536, 65537, 1 << 20, 8 << 20}) {
      lab.probe("WC" + bytes, p -> ownCopies(p, bytes));
    }
    lab.probe("WP", Waiting::pinnedUnderWay);
    lab.probe("WQ", Waiting::queries);
    lab.probe("WX", Waiting::closes);
  }

  private static void beside(Probe p, Calls.Call call, Stream stream, String where) {
    Runnable action = call.prepare().apply(p);
    p.device.synchronize();
    Busy busy = p.busy(stream);
    String outcome = Probe.outcome(action);
    p.say(call.name() + " beside work on " + where, busy.state() + "; " + outcome);
  }

  private static void ownCopies(Probe p, int bytes) {
    Stream stream = p.stream();
    Busy busy = p.busy(stream);
    stream.copyToDevice(p.lab.work, ByteBuffer.allocate(bytes));
    p.say("work before a copy of " + bytes + " from a heap buffer", busy.state());
    p.device.synchronize();
    busy = p.busy(stream);
    stream.copyToDevice(p.lab.work, ByteBuffer.allocateDirect(bytes));
    p.say("work before a copy of " + bytes + " from a direct buffer", busy.state());
    p.device.synchronize();
    busy = p.busy(stream);
    stream.copyToHost(ByteBuffer.allocate(bytes), p.lab.work);
    p.say("work before a copy of " + bytes + " to a heap buffer", busy.state());
    p.device.synchronize();
    PinnedBuffer pinned = p.pinned(bytes);
    busy = p.busy(stream);
    stream.copyToHost(pinned, 0, p.lab.work, bytes);
    p.say("work before a copy of " + bytes + " to page-locked memory", busy.state());
    p.device.synchronize();
    busy = p.busy(stream);
    stream.copyToDevice(p.lab.work, pinned, 0, bytes);
    p.say("work before a copy of " + bytes + " from page-locked memory", busy.state());
  }

  private static void pinnedUnderWay(Probe p) {
    Stream stream = p.stream();
    PinnedBuffer pinned = p.pinned(Probe.MIB);
    Busy busy = p.busy(stream);
    stream.copyToDevice(p.lab.work, pinned, 0, Probe.MIB);
    p.call("close of page-locked memory whose copy is queued", pinned::close);
    p.say("its work", busy.state());
    PinnedBuffer registered = p.kept(p.device.getPinnedMemory().register(Calls.direct(Probe.MIB)));
    busy = p.busy(stream);
    stream.copyToDevice(p.lab.work, registered, 0, Probe.MIB);
    p.call("close of registered memory whose copy is queued", registered::close);
    p.say("its work", busy.state());
    PinnedBuffer managed = p.managed(Probe.MIB);
    busy = p.busy(stream);
    stream.fill(managed.getAddress(), (byte) 1, Probe.MIB);
    p.call("close of managed memory whose fill is queued", managed::close);
    p.say("its work", busy.state());
  }

  /** Queries and waits of kinds of streams beside each other. */
  private static void queries(Probe p) {
    Stream none = p.stream();
    Stream blocking = p.stream(StreamKind.BLOCKING);
    Stream main = p.device.getDefaultStream();
    Stream[] all = {none, blocking, main};
    String[] names = {"non-blocking", "blocking", "default"};
    for (int i = 0; i < all.length; i++) {
      for (int j = 0; j < all.length; j++) {
        if (i != j) {
          String beside = names[j] + " stream beside work of the " + names[i] + " one";
          Busy busy = p.busy(all[i]);
          boolean idle = all[j].isIdle();
          p.say("query of the idle " + beside, idle + "; " + busy.state());
          p.device.synchronize();
          busy = p.busy(all[i]);
          boolean passed = p.event(all[j]).isComplete();
          p.say("query of an event of the idle " + beside, passed + "; " + busy.state());
          p.device.synchronize();
          busy = p.busy(all[i]);
          all[j].fill(p.lab.work, (byte) 1, 512);
          all[j].synchronize();
          p.say("wait for a fill on the " + beside, busy.state());
          p.device.synchronize();
        }
      }
    }
  }

  private static void closes(Probe p) {
    Stream stream = p.stream();
    Busy busy = p.busy(stream);
    stream.close();
    p.say("work of a stream after its close", busy.state());
    p.device.synchronize();
    p.say("after a wait for the device", busy.state());
  }
}
