/** Slot of a value in the table. */
interface Slot<Value> {
  value: Value | undefined;
}

/**
 * Map for short-lived entries such as current runs, in insertion order. `delete` also clears the value. A `Map`
 * rehashes into new tables, and V8 keeps values of old tables alive once these are promoted to the old generation.
 */
export class RunRegistry<Key, Value extends object> {
  private readonly slots = new Map<Key, Slot<Value>>();

  get size(): number {
    return this.slots.size;
  }

  get(key: Key): Value | undefined {
    return this.slots.get(key)?.value;
  }

  /** Replaces the value of the key in place, or appends it. */
  set(key: Key, value: Value): void {
    const slot = this.slots.get(key);
    if (slot) slot.value = value;
    else this.slots.set(key, { value });
  }

  delete(key: Key): void {
    const slot = this.slots.get(key);
    if (!slot) return;
    slot.value = undefined;
    this.slots.delete(key);
  }

  /** Snapshot of all values. */
  values(): Value[] {
    return [...this.slots.values()].flatMap(({ value }) => value ?? []);
  }
}
