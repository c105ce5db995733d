package org.vramkit.kotlin

import kotlin.contracts.ExperimentalContracts
import kotlin.contracts.InvocationKind
import kotlin.contracts.contract
import org.vramkit.api.error.ClosedException

/**
 * Runs a block and then closes what was made in it and [owned][GpuScope.own], the last first,
 * also where the block throws. One failed close keeps no other from being tried. The first failure
 * is thrown, the block's before all, with the others suppressed.
 *
 * ```
 * gpuScope {
 *     val backend = own(Backends.open())
 *     val allocator = own(CachingAllocator.create(backend.getDevice(0)))
 * }
 * ```
 *
 * The block may suspend where its caller may, return from the function around it, and start
 * coroutines that it waits for.
 *
 * @return what the block returns; nothing of it may be used that the scope has closed
 */
@OptIn(ExperimentalContracts::class)
public inline fun <T> gpuScope(block: GpuScope.() -> T): T {
    contract { callsInPlace(block, InvocationKind.EXACTLY_ONCE) }
    val scope = GpuScope()
    var failure: Throwable? = null
    try {
        return scope.block()
    } catch (e: Throwable) {
        failure = e
        throw e
    } finally {
        scope.end(failure)
    }
}

/** Owns what a [gpuScope] closes. Safe for any thread. */
public class GpuScope @PublishedApi internal constructor() {
    private val lock = Any()
    private val owned = ArrayDeque<AutoCloseable>()
    private var ended = false

    /**
     * Leaves it to the scope to close something, before all that it owns already. An earlier close does no harm where closing twice does none, as with all of Vramkit.
     *
     * @return what was given
     * @throws ClosedException if the scope has ended; what was given is closed too
     */
    public fun <T : AutoCloseable> own(resource: T): T {
        val accepted = synchronized(lock) {
            if (!ended) {
                owned.addLast(resource)
            }
            !ended
        }
        if (!accepted) {
            val refusal = ClosedException(
                "the scope",
                "$resource was closed at once",
                "make it while the scope's block runs",
            )
            throw checkNotNull(closing(refusal, resource))
        }
        return resource
    }

    /** Closes all; throws the first failure unless there is one already, which takes the others. */
    @PublishedApi
    internal fun end(failure: Throwable?) {
        val last = synchronized(lock) {
            ended = true
            owned.reversed()
        }
        val first = last.fold(failure, ::closing)
        if (failure == null && first != null) {
            throw first
        }
    }
}
