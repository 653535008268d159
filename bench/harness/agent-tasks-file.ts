import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SEEDS, taskKinds } from '@pilothouse/testing/agent-tasks/task-catalogue';
import type { DialectResult } from './dialect-run.ts';
import { median, round } from './statistics.ts';

/* `bench/AGENT-TASKS.md`. Two benches write it: functions through the complete product, and computer tools. Each leaves the part of the other. */

const FILE = join(import.meta.dirname, '../AGENT-TASKS.md');
const DIALECTS_HEADING = '## Computer tools of providers';

/** Writes the part of the functions. @param failed seeds of each kind that was not reached */
export async function writeFunctionTable(failed: ReadonlyMap<string, readonly number[]>): Promise<void> {
  const rows = taskKinds.map(({ name }) => {
    const seeds = failed.get(name) ?? [];
    return `| ${name} | ${SEEDS - seeds.length} of ${SEEDS} |${seeds.length > 0 ? ` not with seed ${seeds.join(', ')}` : ''} |`;
  });
  const [, dialects] = await parts();
  await writeFile(
    FILE,
    `# Tasks of the agent

What the prompt says of a page and the actions that are offered have to suffice for a policy that sees nothing else. Each kind is drawn by ${SEEDS} seeds, which vary order, wording, values and the size of the window. A task is reached if its step is completed and its page reported the effect. Written by \`node bench/bench-cli.ts agent\`.

| kind | reached | |
| --- | --- | --- |
${rows.join('\n')}
${dialects}`,
  );
}

/** Writes the part of the dialects. */
export async function writeDialectTables(results: readonly DialectResult[]): Promise<void> {
  const [functions] = await parts();
  await writeFile(
    FILE,
    `${functions}
${DIALECTS_HEADING}

The same tasks through the computer tool of each provider, with a strict server for its wire protocol, the adapter, the agent and a real Chromium. The policy points at pixels of the screenshot, or at an element where the tool has refs. Each cell counts the seeds that reached the effect. (!) marks a task that was completed without it. The last column names functions that were called in addition to the tool. Written by \`node bench/bench-cli.ts agent --dialect all\`.

${kindTable(results)}

A turn of each dialect, as medians. Text tokens are those of \`o200k_base\`, without what the provider adds for its tool; images are priced apart. Verdicts and plans are calls of other roles.

${costTable(results)}
`,
  );
}

/** The part of the functions, and that of the dialects with an empty line before it. */
async function parts(): Promise<[functions: string, dialects: string]> {
  const text = await readFile(FILE, 'utf8');
  const start = text.indexOf(`\n${DIALECTS_HEADING}`);
  return start < 0 ? [text, ''] : [text.slice(0, start), text.slice(start)];
}

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

function kindTable(results: readonly DialectResult[]): string {
  const dialects = results.map(({ dialect }) => `\`${dialect}\``);
  const rows = taskKinds.map(({ name }) => {
    const tasks = results.map((result) => result.tasks.filter((task) => task.name === name));
    const cells = tasks.map((list) => {
      const count = list.filter(({ end }) => end === 'reached').length;
      return `${count} of ${list.length}${list.some(({ end }) => end === 'false success') ? ' (!)' : ''}`;
    });
    return [name, ...cells, functionCell(results, name)];
  });
  return table(['kind', ...dialects, 'function'], rows);
}

/** Functions that a kind used, and the tools that did not use them. */
function functionCell(results: readonly DialectResult[], kind: string): string {
  const tools = results.filter(({ dialect }) => dialect !== 'calls');
  const used = tools.map(({ dialect, tasks }) => ({
    dialect,
    functions: new Set(tasks.flatMap((task) => (task.name === kind ? task.functions : []))),
  }));
  const names = new Set(used.flatMap(({ functions }) => [...functions]));
  return [...names]
    .map((name) => {
      const without = used.filter(({ functions }) => !functions.has(name)).map(({ dialect }) => `\`${dialect}\``);
      return `\`${name}\`${without.length > 0 ? `, except ${without.join(', ')}` : ''}`;
    })
    .join('; ');
}

/** Medians of a turn, and turns of a task. */
export function dialectCosts({ tasks, turns, supervisions }: DialectResult) {
  const medianOf = (key: 'input' | 'output' | 'images') => round(median(turns.map((turn) => turn[key])), 1);
  return {
    turnsOfTask: round(turns.length / tasks.length, 2),
    ...{ input: medianOf('input'), output: medianOf('output'), images: medianOf('images') },
    supervisions: round(supervisions / tasks.length, 2),
  };
}

function costTable(results: readonly DialectResult[]): string {
  const rows = results.map((result) => {
    const { turnsOfTask, input, output, images, supervisions } = dialectCosts(result);
    return [`\`${result.dialect}\``, input, output, images, turnsOfTask, supervisions];
  });
  const head = ['dialect', 'text tokens in', 'tokens out', 'images', 'turns of a task', 'verdicts and plans of a task'];
  return table(head, rows);
}
