package org.vramkit.spark;

import java.io.Serializable;
import org.vramkit.partition.device.ScoreFormula;

/** What a device can do beside others; goes to the executors. */
@FunctionalInterface
public interface GpuScore extends ScoreFormula, Serializable {}
