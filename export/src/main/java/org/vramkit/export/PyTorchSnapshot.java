package org.vramkit.export;

import java.io.IOException;
import java.util.List;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockView;
import org.vramkit.pool.caching.AllocatorSnapshot.SegmentView;

/**
 * Writes the dictionary of PyTorch's {@code torch.cuda.memory._snapshot()}. All segments are
 * written as of stream 0, because a segment serves every stream and PyTorch's page joins adjacent
 * segments by stream. A tag becomes the {@code user_metadata} of a block and of a trace entry.
 * Usage by tag and the blocks of suspended pools are written to the settings, which PyTorch's
 * readers show unchanged. A live block has the stack of its allocation, for flame graphs.
 */
final class PyTorchSnapshot {
  private final ValueWriter out;
  private final ExportLimits limits;

  PyTorchSnapshot(ValueWriter out, ExportLimits limits) {
    this.out = out;
    this.limits = limits;
  }

  /**
   * Writes the recordings.
   *
   * @param recordings the recordings, in order of device ordinals
   */
  void write(List<Recording> recordings) throws IOException {
    out.beginDict();
    out.key("segments");
    out.beginList();
    for (Recording each : recordings) {
      LiveStacks stacks = new LiveStacks(each);
      for (SegmentView segment : each.snapshot().segments()) {
        segment(each.device(), segment, stacks);
      }
    }
    out.endList();
    out.key("device_traces");
    out.beginList();
    int device = 0;
    for (Recording each : recordings) {
      for (; device < each.device(); device++) {
        out.beginList();
        out.endList();
      }
      trace(each);
      device++;
    }
    out.endList();
    settings(recordings);
    out.key("external_annotations");
    out.beginList();
    out.endList();
    out.endDict();
  }

  private void settings(List<Recording> recordings) throws IOException {
    out.key("allocator_settings");
    out.beginDict();
    out.field("allocator", "vramkit");
    for (Recording each : recordings) {
      out.field("unplaced_bytes_" + each.device(), each.snapshot().unplacedBytes());
      suspended(each);
      out.field("lost_events_" + each.device(), lost(each));
      tags("tags_" + each.device(), each.snapshot().tags());
    }
    out.endDict();
  }

  /** Writes live blocks without memory as a setting, because they lie in no segment. */
  private void suspended(Recording recording) throws IOException {
    if (recording.snapshot().suspended().isEmpty()) {
      return;
    }
    LiveStacks stacks = new LiveStacks(recording);
    out.key("suspended_" + recording.device());
    out.beginList();
    for (BlockView block : recording.snapshot().suspended()) {
      block(block, stacks.of(block));
    }
    out.endList();
  }

  /** Writes usage by tag as a setting; readers show or skip unknown settings. */
  private void tags(String key, List<TagUsage> usages) throws IOException {
    out.key(key);
    out.beginList();
    for (TagUsage each : usages) {
      out.beginDict();
      out.field("tag", each.tag());
      out.field("live_bytes", each.liveBytes());
      out.field("peak_bytes", each.peakBytes());
      out.field("allocations", each.allocations());
      out.field("allocated_bytes", each.allocatedBytes());
      out.endDict();
    }
    out.endList();
  }

  private long lost(Recording recording) {
    long count = recording.history().getCount();
    return recording.history().getLost() + count - Math.min(count, limits.maxEntries());
  }

  private void segment(int device, SegmentView segment, LiveStacks stacks) throws IOException {
    long live = 0;
    long active = 0;
    long requested = 0;
    for (BlockView block : segment.blocks()) {
      live += block.state() == BlockState.LIVE ? block.size() : 0;
      active += Timeline.isActive(block) ? block.size() : 0;
      requested += Timeline.bytesOf(block);
    }
    out.beginDict();
    out.field("device", device);
    out.field("address", segment.address());
    out.field("total_size", segment.size());
    out.field("allocated_size", live);
    out.field("active_size", active);
    out.field("requested_size", requested);
    out.field("stream", 0);
    out.field("segment_type", segment.small() ? "small" : "large");
    out.key("segment_pool_id");
    out.pair(0, segment.pool());
    out.key("is_expandable");
    out.flag(segment.growable());
    out.key("frames");
    out.stack(List.of());
    out.key("blocks");
    out.beginList();
    for (BlockView block : segment.blocks()) {
      block(block, stacks.of(block));
    }
    out.endList();
    out.endDict();
  }

  private void block(BlockView block, List<StackTraceElement> stack) throws IOException {
    out.beginDict();
    out.field("address", block.address());
    out.field("size", block.size());
    out.field("requested_size", Timeline.bytesOf(block));
    out.field("state", stateOf(block));
    out.key("frames");
    out.stack(limits.cut(stack));
    tag(block.tag());
    out.endDict();
  }

  private static String stateOf(BlockView block) {
    return switch (block.state()) {
      case LIVE -> "active_allocated";
      case PENDING -> "active_pending_free";
      case CACHED, FREE -> "inactive";
    };
  }

  private void tag(String tag) throws IOException {
    if (!tag.isEmpty()) {
      out.field("user_metadata", tag);
    }
  }

  private void trace(Recording recording) throws IOException {
    Timeline timeline = recording.timeline(limits.maxEntries());
    long begin = recording.beginMicros();
    out.beginList();
    timeline.replay(
        entry -> {
          if (entry.kind().isKnownToPyTorch()) {
            entry(entry, begin, recording.deviceBytes() - timeline.mappedBytes());
          }
        });
    out.endList();
  }

  private void entry(Entry entry, long beginMicros, long unmappedBytes) throws IOException {
    out.beginDict();
    out.field("action", entry.kind().pyTorchWord());
    if (entry.kind() == Entry.Kind.OOM) {
      // An estimate: the driver's free memory is not recorded, and other processes may have used
      // some.
      out.field("device_free", Math.max(0, unmappedBytes));
    } else {
      out.field("addr", entry.address());
    }
    out.field("size", entry.size());
    out.field("stream", entry.stream());
    out.field("time_us", beginMicros + entry.nanos() / 1000);
    out.field("compile_context", "");
    out.key("pool_id");
    out.pair(0, entry.pool());
    tag(entry.tag());
    out.key("frames");
    out.stack(limits.cut(entry.stack()));
    out.endDict();
  }
}
