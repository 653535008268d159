import type { RunView } from '@pilothouse/contract/run/run.schema';
import { clean, short } from './sanitize-text.ts';

/** Title of a run in one line: its goal, or else the name of its workflow. @param columns maximum length on a terminal */
export const runTitle = ({ goal, workflow }: Pick<RunView, 'goal' | 'workflow'>, columns: number): string =>
  short(clean(goal ?? workflow?.name ?? 'inline steps'), columns);
