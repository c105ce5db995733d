package org.vramkit.spark;

import java.io.Serializable;
import org.vramkit.partition.device.ScoreFormula;

/** The rate of a device beside others; goes to the executors. */
@FunctionalInterface
public interface GpuScore extends ScoreFormula, Serializable {}
