/** Slot of a value in the table. */
interface Slot<Value> {
  value: Value | undefined;
}

/**
 * Map for short-lived entries such as current runs, in insertion order. `delete` also clears the value: a `Map` rehashes into new tables,
 * and V8 keeps values of old tables alive once these are promoted to the old generation.
 */
export class RunRegistry<Key, Value extends object> {
  private readonly places = new Map<Key, Slot<Value>>();

  get size(): number {
    return this.places.size;
  }

  get(key: Key): Value | undefined {
    return this.places.get(key)?.value;
  }

  /** Puts it where another of its key stood, or last. */
  set(key: Key, value: Value): void {
    const place = this.places.get(key);
    if (place) place.value = value;
    else this.places.set(key, { value });
  }

  delete(key: Key): void {
    const place = this.places.get(key);
    if (!place) return;
    place.value = undefined;
    this.places.delete(key);
  }

  /** Snapshot of all values. */
  values(): Value[] {
    return [...this.places.values()].flatMap(({ value }) => value ?? []);
  }
}
