/** An order for a failpoint that a process says it carried out. */
export interface Fired {
  readonly failpoint: string;
  /** Ids of the runs that came by there. */
  readonly runs: readonly string[];
}

export const firedIn = (lines: readonly string[]): Fired[] =>
  lines.flatMap((line) => {
    const [, failpoint, runs = ''] = /^failpoint ([\w.-]+):\d+=\S+ of (\S*)$/.exec(line) ?? [];
    return failpoint === undefined ? [] : [{ failpoint, runs: runs.split(',').filter((run) => run !== '') }];
  });
