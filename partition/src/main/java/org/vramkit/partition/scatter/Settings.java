package org.vramkit.partition.scatter;

import java.time.Duration;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Planner;

/** The settings of a {@link ScatterBuilder}. */
record Settings(
    DevicePool pool,
    Planner planner,
    FailurePolicy failurePolicy,
    Duration drainDeadline,
    Duration quarantine,
    DeviceBinder binder,
    TileResources parts,
    ThroughputHistory history,
    ProgressListener listener,
    ScatterClock clock) {}
