/** A failpoint order that a process reported as executed. */
export interface Fired {
  readonly failpoint: string;
  /** The process was killed there, not only stopped or delayed. */
  readonly isKilled: boolean;
  /** Ids of the runs that passed. */
  readonly runs: readonly string[];
}

export const firedIn = (lines: readonly string[]): Fired[] =>
  lines.flatMap((line) => {
    const [, failpoint, action, runs = ''] = /^failpoint ([\w.-]+):\d+=(\S+) of (\S*)$/.exec(line) ?? [];
    if (failpoint === undefined) return [];
    return [{ failpoint, isKilled: action === 'kill', runs: runs.split(',').filter((run) => run !== '') }];
  });
