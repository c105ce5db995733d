package org.vramkit.pool.caching;

/**
 * Describes an option of the caching allocator.
 *
 * @param name name in kebab case
 * @param unit unit or choices of the value
 * @param defaultValue default value
 * @param description effect of the option, and when to set it
 */
public record AllocatorOption(String name, String unit, String defaultValue, String description) {}
