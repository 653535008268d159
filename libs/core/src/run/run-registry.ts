/** Where a value stands until it leaves. */
interface Place<Value> {
  value: Value | undefined;
}

/**
 * What comes and goes all the time, by a key: runs at work. Like a `Map`, in the order of their coming, but what has left is let go of at once.
 * A `Map` moves into new tables as its entries change, and each old table keeps the entries of that moment and the next table: where one of them
 * has grown old, the small collections of V8 keep alive, and copy, every run that has ended since. Here tables hold empty places.
 */
export class RunRegistry<Key, Value extends object> {
  private readonly places = new Map<Key, Place<Value>>();

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

  /** All that are there now; who comes or goes meanwhile does not change it. */
  values(): Value[] {
    return [...this.places.values()].flatMap(({ value }) => value ?? []);
  }
}
