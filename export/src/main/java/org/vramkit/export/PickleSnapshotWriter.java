package org.vramkit.export;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.AllocatorSnapshot;
import org.vramkit.pool.caching.SnapshotWriter;

/** Writes {@link ExportFormat#PYTORCH_PICKLE}, which has both blocks and events. */
public final class PickleSnapshotWriter implements SnapshotWriter {

  /** For {@link java.util.ServiceLoader}. */
  public PickleSnapshotWriter() {}

  @Override
  public void write(
      Device device, AllocatorSnapshot snapshot, @Nullable AllocatorHistory history, Path file) {
    MemoryExport.of(device, snapshot, history == null ? new NoHistory() : history)
        .write(ExportFormat.PYTORCH_PICKLE, file);
  }
}
