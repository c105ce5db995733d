package org.vramkit.testkit.sim;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.TreeMap;
import org.junit.platform.commons.JUnitException;
import org.vramkit.sim.DeviceProfile;

/** The constants of {@link DeviceProfile} by name, since annotations cannot hold a profile. */
final class ProfileNames {
  private static final Map<String, DeviceProfile> BY_NAME = constants();

  private ProfileNames() {}

  static DeviceProfile find(String name) {
    DeviceProfile found = BY_NAME.get(name);
    if (found == null) {
      throw new JUnitException(
          "no DeviceProfile is called '" + name + "'; there are " + BY_NAME.keySet());
    }
    return found;
  }

  private static Map<String, DeviceProfile> constants() {
    Map<String, DeviceProfile> found = new TreeMap<>();
    for (Field field : DeviceProfile.class.getFields()) {
      if (field.getType() == DeviceProfile.class && Modifier.isStatic(field.getModifiers())) {
        try {
          found.put(field.getName(), (DeviceProfile) field.get(null));
        } catch (IllegalAccessException impossible) {
          throw new LinkageError("getFields() gave a field that is not public", impossible);
        }
      }
    }
    return found;
  }
}
