// Values that several components show. A change of one renders its readers again, and no others.
import { useLayoutEffect, useState } from "preact/hooks";

export interface Shared<Value> {
  value: Value;
  /** Calls a function after each change; returns what ends that. */
  readonly listen: (listener: () => void) => () => void;
}

export function shareValue<Value>(initial: Value): Shared<Value> {
  const listeners = new Set<() => void>();
  let current = initial;
  return {
    get value() {
      return current;
    },
    set value(next) {
      current = next;
      for (const listener of [...listeners]) listener();
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns what a component shows of a value, now and after each change. */
export function useShared<Value, Part>(shared: Shared<Value>, select: (value: Value) => Part): Part {
  const [part, setPart] = useState(() => select(shared.value));
  useLayoutEffect(() => {
    const read = () => setPart(() => select(shared.value));
    read(); // it may have changed since it was rendered
    return shared.listen(read);
  }, [shared]);
  return part;
}
