package org.vramkit.kotlin

import java.nio.ByteBuffer
import org.vramkit.partition.scatter.CpuTask
import org.vramkit.partition.scatter.PartTask
import org.vramkit.partition.scatter.Scatter
import org.vramkit.partition.scatter.ScatterArrays
import org.vramkit.partition.scatter.ScatterReport
import org.vramkit.partition.scatter.Schedule

/**
 * Processes all elements in place and in parts, on the scatter's devices.
 *
 * @param onCpu processes elements of this array on the CPU if the devices fail; without it, such a
 *     failure is an error
 * @see ScatterArrays
 */
public fun FloatArray.scatter(
    over: Scatter,
    schedule: Schedule = Schedule.guided(),
    onCpu: CpuTask? = null,
    task: PartTask,
): ScatterReport = ScatterArrays.of(this).run(over, schedule, onCpu, task)

/** Processes all doubles in place and in parts, on the scatter's devices. */
public fun DoubleArray.scatter(
    over: Scatter,
    schedule: Schedule = Schedule.guided(),
    onCpu: CpuTask? = null,
    task: PartTask,
): ScatterReport = ScatterArrays.of(this).run(over, schedule, onCpu, task)

/** Processes all ints in place and in parts, on the scatter's devices. */
public fun IntArray.scatter(
    over: Scatter,
    schedule: Schedule = Schedule.guided(),
    onCpu: CpuTask? = null,
    task: PartTask,
): ScatterReport = ScatterArrays.of(this).run(over, schedule, onCpu, task)

/** Processes all longs in place and in parts, on the scatter's devices. */
public fun LongArray.scatter(
    over: Scatter,
    schedule: Schedule = Schedule.guided(),
    onCpu: CpuTask? = null,
    task: PartTask,
): ScatterReport = ScatterArrays.of(this).run(over, schedule, onCpu, task)

/**
 * Processes the remaining bytes of a buffer in place and in parts, on the scatter's devices.
 *
 * @param bytesPerUnit size of a unit, which is never split
 */
public fun ByteBuffer.scatter(
    over: Scatter,
    bytesPerUnit: Int,
    schedule: Schedule = Schedule.guided(),
    onCpu: CpuTask? = null,
    task: PartTask,
): ScatterReport = ScatterArrays.of(this, bytesPerUnit).run(over, schedule, onCpu, task)
