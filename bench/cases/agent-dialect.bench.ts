/**
 * The agent tasks through the computer tools of providers, each with a strict server for the wire protocol of its provider. The peer is the
 * function dialect on the same tasks. All dialects together also write their tables into `bench/AGENT-TASKS.md`.
 */
import { computerToolSchema } from '@pilothouse/contract/model/native-turn.schema';
import { SEEDS } from '@pilothouse/testing/agent-tasks/task-catalogue';
import { writeDialectTables, dialectCosts } from '../harness/agent-tasks-file.ts';
import { atLeast, atMost, forSize, plain, type BenchOptions, type BenchResult, type Figure } from '../harness/bench.ts';
import { runDialect, type DialectResult } from '../harness/dialect-run.ts';
import { round } from '../harness/statistics.ts';

/** Dialects in the order of the tables: `calls` are the functions. */
const dialects: readonly string[] = ['calls', ...computerToolSchema.options];

/** Values of `--dialect`. */
export const agentDialects: readonly string[] = [...dialects, 'all'];

export async function agentDialect(dialect: string, options: BenchOptions): Promise<BenchResult> {
  const seeds = options.times ?? forSize(options, { smoke: 1, short: 1, full: SEEDS });
  const results: DialectResult[] = [];
  for (const name of dialect === 'all' ? dialects : [dialect])
    results.push(await runDialect(name, Math.min(seeds, SEEDS), options));
  if (dialect === 'all' && options.size !== 'smoke' && !options.tasks) await writeDialectTables(results);
  return { figures: results.flatMap(figuresOf), raw: { results } };
}

function figuresOf(result: DialectResult): Figure[] {
  const { dialect, tasks } = result;
  const countOf = (wanted: string) => tasks.filter(({ end }) => end === wanted).length;
  const { turnsOfTask, input, output, images, supervisions } = dialectCosts(result);
  return [
    atLeast(
      `${dialect}: tasks reached, of ${tasks.length}`,
      round((100 * countOf('reached')) / tasks.length, 1),
      100,
      '%',
    ),
    atMost('completed without the effect', countOf('false success'), 0, ''),
    plain('turns of a task', turnsOfTask, ''),
    plain('text tokens in of a turn, median (o200k_base)', input, ''),
    plain('tokens out of a turn, median', output, ''),
    plain('images of a turn, median', images, ''),
    plain('verdicts and plans of a task', supervisions, ''),
  ];
}
