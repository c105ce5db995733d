package org.vramkit.pool.caching.defect;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.PoolsCopy;

/** A copy of the pools with a defect in one class. */
final class DefectiveCopy extends PoolsCopy {
  private final PlantedDefect defect;

  DefectiveCopy(PlantedDefect defect) {
    this.defect = defect;
  }

  @Override
  public byte @Nullable [] changed(String name) {
    if (!name.equals(defect.getTarget().getName())) {
      return null;
    }
    DynamicType.Builder<?> builder =
        new ByteBuddy()
            .redefine(defect.getTarget(), ClassFileLocator.ForClassLoader.of(getParent()));
    return defect.into(builder).make().getBytes();
  }

  @Override
  public String toString() {
    return "the pools in which " + defect;
  }
}
