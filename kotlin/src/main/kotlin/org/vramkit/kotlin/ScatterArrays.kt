package org.vramkit.kotlin

import java.nio.ByteBuffer
import org.vramkit.partition.scatter.CpuTask
import org.vramkit.partition.scatter.PartTask
import org.vramkit.partition.scatter.Scatter
import org.vramkit.partition.scatter.ScatterArrays
import org.vramkit.partition.scatter.ScatterReport
import org.vramkit.partition.scatter.Schedule

/**
 * Works on all elements on the scatter's devices, in parts, in place.
 *
 * @param onCpu does what the devices cannot, on this array; without it that is an error
 * @see ScatterArrays
 */
public fun FloatArray.scatter(
    over: Scatter,
    schedule: Schedule = Schedule.guided(),
    onCpu: CpuTask? = null,
    task: PartTask,
): ScatterReport = ScatterArrays.of(this).run(over, schedule, onCpu, task)

/** The same for doubles. */
public fun DoubleArray.scatter(
    over: Scatter,
    schedule: Schedule = Schedule.guided(),
    onCpu: CpuTask? = null,
    task: PartTask,
): ScatterReport = ScatterArrays.of(this).run(over, schedule, onCpu, task)

/** The same for ints. */
public fun IntArray.scatter(
    over: Scatter,
    schedule: Schedule = Schedule.guided(),
    onCpu: CpuTask? = null,
    task: PartTask,
): ScatterReport = ScatterArrays.of(this).run(over, schedule, onCpu, task)

/** The same for longs. */
public fun LongArray.scatter(
    over: Scatter,
    schedule: Schedule = Schedule.guided(),
    onCpu: CpuTask? = null,
    task: PartTask,
): ScatterReport = ScatterArrays.of(this).run(over, schedule, onCpu, task)

/**
 * The same for the bytes of a buffer from its position to its limit.
 *
 * @param bytesPerUnit how many a unit has, which no task gets a part of
 */
public fun ByteBuffer.scatter(
    over: Scatter,
    bytesPerUnit: Int,
    schedule: Schedule = Schedule.guided(),
    onCpu: CpuTask? = null,
    task: PartTask,
): ScatterReport = ScatterArrays.of(this, bytesPerUnit).run(over, schedule, onCpu, task)
