package org.vramkit.pool.caching;

/**
 * One setting of the caching allocator, as the command line and the README list it.
 *
 * @param name its name in kebab case
 * @param unit what its value is
 * @param defaultValue its value when nothing is said
 * @param description what it does and when to touch it
 */
public record AllocatorOption(String name, String unit, String defaultValue, String description) {}
