package org.vramkit.cuda.driver;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * Reads the version of a binding at run time from the Maven properties in its jar. The version
 * constants of bindings are unsuitable, because the compiler inlines them.
 */
public final class BindingVersion {
  private static final String UNKNOWN = "of unknown version";

  private BindingVersion() {}

  /**
   * Returns the version; {@code of unknown version} if the jar has no Maven properties, such as a
   * shaded jar.
   *
   * @param type any class of the artifact; it is not initialized
   * @param group the artifact's group id
   * @param artifact the artifact id
   */
  public static String of(Class<?> type, String group, String artifact) {
    String path = "/META-INF/maven/" + group + "/" + artifact + "/pom.properties";
    try (InputStream file = type.getResourceAsStream(path)) {
      if (file == null) {
        return UNKNOWN;
      }
      Properties properties = new Properties();
      properties.load(file);
      return properties.getProperty("version", UNKNOWN);
    } catch (IOException unreadable) {
      return UNKNOWN;
    }
  }
}
