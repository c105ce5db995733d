package org.vramkit.spark;

import java.io.Serializable;
import org.vramkit.partition.device.ScoreFormula;

/** A serializable {@link ScoreFormula}, which is sent to the executors. */
@FunctionalInterface
public interface GpuScore extends ScoreFormula, Serializable {}
