/** Lets so many things be under way at a time; the others wait, in the order in which they came. */
export class Few {
  private places: number;
  private readonly waiting: (() => void)[] = [];

  constructor(places: number) {
    this.places = places;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.places > 0) this.places -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.places += 1;
    }
  }
}
