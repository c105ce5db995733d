package org.vramkit.export;

import java.nio.file.Path;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.AllocatorRecording;
import org.vramkit.pool.caching.SnapshotWriter;

/** Writes {@link ExportFormat#PYTORCH_PICKLE}, which has both blocks and events. */
public final class PickleSnapshotWriter implements SnapshotWriter {

  /** For {@link java.util.ServiceLoader}. */
  public PickleSnapshotWriter() {}

  @Override
  public void write(Device device, AllocatorRecording recording, Path file) {
    MemoryExport.of(device, recording.snapshot(), recording.history())
        .write(ExportFormat.PYTORCH_PICKLE, file);
  }
}
