package org.vramkit.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.TagScope;
import org.vramkit.api.allocator.Tags;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.export.ExportFormat;
import org.vramkit.export.MemoryExport;
import org.vramkit.pool.caching.CachingAllocator;

/** Records an allocator's history and writes it for PyTorch's viewer when memory runs out. */
public final class MemoryRecorded {
  private MemoryRecorded() {}

  /** Runs on the backend of the class path; the argument is the folder to write to. */
  public static void main(String[] arguments) throws IOException {
    Path folder = Files.createDirectories(Path.of(arguments.length == 0 ? "." : arguments[0]));
    try (Backend backend = Backends.open()) {
      System.out.println(run(backend, folder));
    }
  }

  static String run(Backend backend, Path folder) {
    try (CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0))
                .limit(64 * ByteSize.MIB)
                .history(ByteSize.MIB)
                .historyStacks(true)
                .build();
        Stream stream = backend.getDevice(0).createStream()) {
      return train(allocator, stream, folder);
    }
  }

  @SuppressWarnings("try") // The scope is held, not used.
  private static String train(CachingAllocator allocator, Stream stream, Path folder) {
    try (TagScope scope = Tags.open("weights");
        Allocation weights = allocator.allocate(40 * ByteSize.MIB, stream)) {
      return "weights at " + Long.toHexString(weights.getAddress()) + forward(allocator, stream);
    } catch (DeviceOutOfMemoryException e) {
      MemoryExport memory = MemoryExport.of(allocator);
      memory.write(ExportFormat.PYTORCH_PICKLE, folder.resolve("memory.pickle"));
      memory.write(ExportFormat.PERFETTO, folder.resolve("memory.perfetto.json"));
      return "out of memory: see memory.pickle";
    }
  }

  @SuppressWarnings("try") // The scope is held, not used.
  private static String forward(CachingAllocator allocator, Stream stream) {
    try (TagScope scope = Tags.open("train/forward");
        Allocation activations = allocator.allocate(60 * ByteSize.MIB, stream)) {
      return ", activations at " + Long.toHexString(activations.getAddress());
    }
  }
}
