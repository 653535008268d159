import type { SavedAmount, SavingMechanism } from '@pilothouse/contract/run/savings.schema';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, processSource, withApi } from '../api/define-command.ts';
import { clean } from '../output/sanitize-text.ts';
import { table } from '../output/text-table.ts';
import { duration } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { wholeNumber } from '../runs/create-run.command.ts';

interface SavingsFlags extends ApiOptions {
  readonly days: number;
}

const DAY_MS = 86_400_000;

const mechanismNames: Record<SavingMechanism, string> = {
  action_cache: 'action cache',
  compile: 'compiled workflows',
  heal: 'healed steps',
};

/** `pilothouse savings`. */
export const savingsCommand = (source = processSource) =>
  newApiCommand(
    'savings',
    'Show what the action cache, compiled workflows and healing saved.',
    ['pilothouse savings', 'pilothouse savings --days 90 --json'],
    source,
  )
    .option('--days <n>', 'number of days up to now', wholeNumber(1), 30)
    .action(withApi(source, show));

async function show(api: Api, { terminal, now }: Cli, { days, json: asJson }: SavingsFlags): Promise<void> {
  const end = now();
  const savings = await api.savings({
    from: new Date(end.getTime() - days * DAY_MS).toISOString(),
    to: end.toISOString(),
  });
  if (asJson) return terminal.out(json(savings));
  const { total, mechanisms, workflows } = savings;
  if (total.runs === 0) return terminal.err(`No savings in the last ${days} days.`);
  const rows = mechanisms.map(({ mechanism, ...amount }) => [mechanismNames[mechanism], ...amountCells(amount)]);
  const print = (head: string, lines: readonly (readonly string[])[]) => {
    for (const line of table(headsOf(head), lines, terminal.style, terminal.columns)) terminal.out(line);
  };
  print('mechanism', [...rows, ['total', ...amountCells(total)]]);
  terminal.out('');
  print(
    'workflow',
    workflows.map(({ workflow, ...amount }) => [clean(workflow), ...amountCells(amount)]),
  );
}

const headsOf = (head: string) => [
  { head, canShrink: true },
  ...['runs', 'tokens', 'cost', 'time'].map((name) => ({ head: name, align: 'right' as const })),
];

const amountCells = ({ runs, tokens, usd, unpricedRuns, seconds }: SavedAmount): string[] => [
  String(runs),
  tokens.toLocaleString('en-US'),
  usd === null ? 'unknown' : `${usd < 0 ? '-' : ''}$${Math.abs(usd).toFixed(4)}${unpricedRuns > 0 ? ' + unknown' : ''}`,
  `${seconds < 0 ? '-' : ''}${duration(Math.abs(seconds))}`,
];
