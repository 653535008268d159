/** Random numbers that only depend on the seed (mulberry32), so that failures can be repeated. */
export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = Math.imul(seed + 1, 0x9e3779b1);
  }

  /** A whole number between two inclusive bounds. */
  int(min: number, max: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return min + Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * (max - min + 1));
  }

  pick<One>(list: readonly [One, ...One[]]): One {
    return list[this.int(0, list.length - 1)] ?? list[0];
  }

  /** Returns the items in random order. */
  shuffle<One>(list: readonly One[]): One[] {
    const remaining = [...list];
    return list.flatMap(() => remaining.splice(this.int(0, remaining.length - 1), 1));
  }
}
