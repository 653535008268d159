import { createHash } from 'node:crypto';

/** Random numbers that only depend on the seed. */
export class SeededRandom {
  private readonly state: Uint32Array;

  /** @param seed any text; each text has its own sequence */
  constructor(seed: string) {
    const hash = createHash('sha256').update(seed).digest();
    this.state = Uint32Array.from([0, 4, 8, 12], (offset) => hash.readUInt32LE(offset));
  }

  /** A number in [0, 1), by sfc32. */
  next(): number {
    const [a = 0, b = 0, c = 0, count = 0] = this.state;
    const sum = (a + b + count) >>> 0;
    this.state[0] = b ^ (b >>> 9);
    this.state[1] = c + (c << 3);
    this.state[2] = ((c << 21) | (c >>> 11)) + sum;
    this.state[3] = count + 1;
    return sum / 2 ** 32;
  }

  /** A whole number between two inclusive bounds. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('Cannot pick from an empty list');
    return items[this.integer(0, items.length - 1)] as Item;
  }

  /** Returns the items in random order. */
  shuffle<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, rank: this.next() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  }
}
