package org.vramkit.cuda.driver;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * The version of a binding that runs, for people: from the properties that Maven puts into its jar.
 * The constants in which bindings tell CUDA's version are of no use, as the compiler copies those
 * of the version that it sees.
 */
public final class BindingVersion {
  private static final String UNKNOWN = "of unknown version";

  private BindingVersion() {}

  /**
   * The version, or that it is unknown, such as in a jar that was put together from several.
   *
   * @param type any class of the artifact; is not initialised
   * @param group the artifact's group
   * @param artifact its name
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
