/** An order for a failpoint that a process says it carried out. */
export interface Fired {
  readonly failpoint: string;
  /** The process was killed there, and not only stopped or held up. */
  readonly isKilled: boolean;
  /** Ids of the runs that came by there. */
  readonly runs: readonly string[];
}

export const firedIn = (lines: readonly string[]): Fired[] =>
  lines.flatMap((line) => {
    const [, failpoint, deed, runs = ''] = /^failpoint ([\w.-]+):\d+=(\S+) of (\S*)$/.exec(line) ?? [];
    if (failpoint === undefined) return [];
    return [{ failpoint, isKilled: deed === 'kill', runs: runs.split(',').filter((run) => run !== '') }];
  });
