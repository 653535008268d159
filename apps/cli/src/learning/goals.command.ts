import type { RepeatedGoal } from '@pilothouse/contract/run/savings.schema';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import { shortId } from '../api/find-by-id.ts';
import { usage } from '../output/exit-codes.ts';
import { clean } from '../output/sanitize-text.ts';
import { table } from '../output/text-table.ts';
import { json } from '../output/value-text.ts';
import { wholeNumber } from '../runs/create-run.command.ts';

interface RepeatedFlags extends ApiOptions {
  readonly days: number;
  readonly minRuns: number;
  readonly dismissed?: boolean;
}

/** Characters of a goal id in the output. */
const ID_CHARS = 12;

/** Goals that the API lists. */
const MAX_LISTED_GOALS = 100;

/** A complete goal id. */
const GOAL_ID = /^[0-9a-f]{64}$/;

const GOAL_ARGUMENT = 'goal id, or id prefix';

/** Longest period, and the smallest count: dismissed goals are found whatever the list showed. */
const anyGoal = { days: 90, minRuns: 2 };

/** `pilothouse goals`. */
export const goalsCommand = (source = processSource) =>
  newNoun(
    'goals',
    'Repeated goals that can be compiled into workflows.',
    [
      newApiCommand(
        'repeated',
        'List goals that completed repeatedly, with the cost of their runs.',
        ['pilothouse goals repeated', 'pilothouse goals repeated --days 7 --min-runs 10'],
        source,
      )
        .option('--days <n>', 'number of days up to now', wholeNumber(1), 30)
        .option('--min-runs <n>', 'minimum number of completed runs', wholeNumber(2), 3)
        .option('--dismissed', 'list dismissed goals')
        .action(withApi(source, repeated)),
      newApiCommand('dismiss', 'Hide a repeated goal.', ['pilothouse goals dismiss 3f2a90c4b1d7'], source)
        .argument('<goal>', GOAL_ARGUMENT)
        .action(withApi(source, (api, cli, flags: ApiOptions, goal: string) => change(api, cli, flags, goal, true))),
      newApiCommand('restore', 'Show a dismissed goal again.', ['pilothouse goals restore 3f2a90c4b1d7'], source)
        .argument('<goal>', GOAL_ARGUMENT)
        .action(withApi(source, (api, cli, flags: ApiOptions, goal: string) => change(api, cli, flags, goal, false))),
    ],
    source,
  );

async function repeated(api: Api, cli: Cli, flags: RepeatedFlags): Promise<void> {
  const { days, minRuns, dismissed = false } = flags;
  const { terminal } = cli;
  const items = await api.repeatedGoals({ days, minRuns, dismissed });
  if (flags.json) terminal.out(json({ items }));
  else if (items.length > 0) printGoals(cli, items);
  else
    terminal.err(
      `No ${dismissed ? 'dismissed ' : ''}goal completed at least ${minRuns} times in the last ${days} days.`,
    );
  if (items.length === MAX_LISTED_GOALS)
    terminal.err(
      terminal.errStyle.dim(
        `Only the ${MAX_LISTED_GOALS} goals with the most tokens are listed. Narrow the list with --min-runs or --days.`,
      ),
    );
}

function printGoals({ terminal }: Cli, items: readonly RepeatedGoal[]): void {
  const rows = items.map((goal) => [
    goal.id.slice(0, ID_CHARS),
    clean(goal.goal),
    clean(goal.site),
    String(goal.count),
    Math.round(goal.perRun.tokens).toLocaleString('en-US'),
    dollars(goal.perRun.usd),
    savingText(goal),
    shortId(goal.best.run),
  ]);
  const right = 'right' as const;
  const heads = [
    { head: 'goal' },
    { head: 'text', canShrink: true },
    { head: 'site', canShrink: true },
    { head: 'runs', align: right },
    { head: 'tokens/run', align: right },
    { head: 'cost/run', align: right },
    { head: 'saving/month', align: right },
    { head: 'best run' },
  ];
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
  terminal.err('Compile one: npx pilothouse runs compile <best run> --name <workflow>');
}

const dollars = (usd: number | null) => (usd === null ? 'unknown' : `$${usd.toFixed(4)}`);

const savingText = ({ perMonth }: RepeatedGoal) =>
  perMonth.usd === null ? `${Math.round(perMonth.tokens).toLocaleString('en-US')} tokens` : dollars(perMonth.usd);

async function change(api: Api, { terminal }: Cli, flags: ApiOptions, name: string, dismiss: boolean): Promise<void> {
  const { id, goal } = await findGoal(api, name, !dismiss);
  await (dismiss ? api.dismissRepeatedGoal(id) : api.restoreRepeatedGoal(id));
  if (flags.json) return terminal.out(json({ id, dismissed: dismiss }));
  terminal.err(`${dismiss ? 'Dismissed' : 'Restored'}: ${clean(goal ?? id.slice(0, ID_CHARS))}`);
}

/** Finds a goal. A complete id is not searched: the list can be shorter than all goals. */
async function findGoal(api: Api, name: string, dismissed: boolean): Promise<{ id: string; goal?: string }> {
  const prefix = name.trim().toLowerCase();
  if (GOAL_ID.test(prefix)) return { id: prefix };
  const goals = await api.repeatedGoals({ ...anyGoal, dismissed });
  const matches = goals.filter(({ id }) => prefix !== '' && id.startsWith(prefix));
  const [goal] = matches;
  if (goal && matches.length === 1) return goal;
  const list = `List goals: npx pilothouse goals repeated${dismissed ? ' --dismissed' : ''}`;
  throw usage(goal ? `Several goals match ${clean(name)}. Use more characters.` : `No goal matches ${clean(name)}.`, [
    list,
  ]);
}
