package org.vramkit.pool.caching.internal.stats;

import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The accounts of one stripe, by tag. Guarded by the stripe's lock. */
public final class TagAccounts {
  private static final int FIRST_ROOM = 8;

  private final TagGauges gauges;

  /** Open addressing, at most half full; made with the first tag. */
  private @Nullable TagAccount[] table = new TagAccount[0];

  private int count;

  /** The one that was asked for last: a thread mostly stays with a tag for a while. */
  private TagAccount newest = TagAccount.NONE;

  /** None. */
  public TagAccounts(TagGauges gauges) {
    this.gauges = gauges;
  }

  /** The account of a tag, made where there is none. */
  @SuppressWarnings("ReferenceEquality") // nearly always the same object, and then nothing is read
  public TagAccount of(String tag) {
    TagAccount last = newest;
    if (last.tag == tag) {
      return last;
    }
    TagAccount known = find(tag);
    TagAccount found = known != null ? known : learn(tag);
    newest = found;
    return found;
  }

  private @Nullable TagAccount find(String tag) {
    int mask = table.length - 1;
    if (mask < 0) {
      return null;
    }
    for (int i = placeOf(tag, mask); ; i = (i + 1) & mask) {
      TagAccount account = table[i];
      if (account == null || account.tag.equals(tag)) {
        return account;
      }
    }
  }

  private TagAccount learn(String tag) {
    String name = gauges.nameOf(tag);
    TagAccount known = name.equals(tag) ? null : find(name);
    if (known != null) {
      return known;
    }
    TagAccount account = new TagAccount(name, gauges.of(name));
    if (2 * (count + 1) > table.length) {
      grow();
    }
    insert(account);
    count++;
    return account;
  }

  private void grow() {
    @Nullable TagAccount[] old = table;
    table = new TagAccount[Math.max(FIRST_ROOM, 2 * old.length)];
    for (TagAccount each : old) {
      if (each != null) {
        insert(each);
      }
    }
  }

  private void insert(TagAccount account) {
    int mask = table.length - 1;
    int i = placeOf(account.tag, mask);
    while (table[i] != null) {
      i = (i + 1) & mask;
    }
    table[i] = account;
  }

  private static int placeOf(String tag, int mask) {
    int hash = tag.hashCode();
    return (hash ^ hash >>> 16) & mask;
  }

  void each(Consumer<TagAccount> visitor) {
    for (TagAccount each : table) {
      if (each != null) {
        visitor.accept(Objects.requireNonNull(each));
      }
    }
  }

  public void settle() {
    each(TagAccount::settle);
  }

  public void resetPeaks() {
    each(TagAccount::resetPeak);
  }
}
