package io.lineage.spark;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;

/** A map that compares keys by identity, and does not prevent the removal of its keys from memory. */
final class WeakIdentityMap<V> {
  private final Map<Key, V> values = new HashMap<>();
  private final ReferenceQueue<Object> removed = new ReferenceQueue<>();

  private static final class Key extends WeakReference<Object> {
    private final int hash;

    Key(Object object, ReferenceQueue<Object> removed) {
      super(object, removed);
      this.hash = System.identityHashCode(object);
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return this == other || other instanceof Key && get() != null && get() == ((Key) other).get();
    }
  }

  synchronized V get(Object key) {
    return values.get(new Key(key, null));
  }

  synchronized void put(Object key, V value) {
    for (Reference<?> gone = removed.poll(); gone != null; gone = removed.poll()) {
      values.remove(gone);
    }
    values.put(new Key(key, removed), value);
  }
}
