package org.vramkit.kotlin

import kotlin.contracts.ExperimentalContracts
import kotlin.contracts.InvocationKind
import kotlin.contracts.contract
import org.vramkit.api.error.ClosedException

/**
 * Runs a block and then closes the resources that the block has [added][GpuScope.own], the last one
 * first, even if the block throws. A failed close does not prevent the others. The first failure is
 * thrown, preferably the block's, with the others suppressed.
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
 * @return the result of the block, which must not use resources of the scope
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

/** Owns the resources that a [gpuScope] closes. Safe for any thread. */
public class GpuScope @PublishedApi internal constructor() {
    private val lock = Any()
    private val owned = ArrayDeque<AutoCloseable>()
    private var ended = false

    /**
     * Adds a resource, which the scope closes before those added earlier. Closing it earlier is
     * harmless for all of Vramkit's types.
     *
     * @return [resource]
     * @throws ClosedException if the scope has ended; [resource] is then closed
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
                "create it while the scope's block runs",
            )
            throw checkNotNull(closing(refusal, resource))
        }
        return resource
    }

    /** Closes all resources and throws the first failure, or adds failures to [failure]. */
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
