package org.vramkit.export;

import java.nio.file.Path;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.AllocatorRecording;
import org.vramkit.pool.caching.SnapshotWriter;

/** Writes snapshots as {@link ExportFormat#PYTORCH_PICKLE}, with blocks and events. */
public final class PickleSnapshotWriter implements SnapshotWriter {

  /** Creates the writer; called by {@link java.util.ServiceLoader}. */
  public PickleSnapshotWriter() {}

  @Override
  public void write(Device device, AllocatorRecording recording, Path file) {
    MemoryExport.of(device, recording.snapshot(), recording.history())
        .write(ExportFormat.PYTORCH_PICKLE, file);
  }
}
