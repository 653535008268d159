import { dryRun, resolveInputs, type DryRun } from '@pilothouse/core';
import type { Json, WorkflowDefinition } from '@pilothouse/contract';
import type { Command } from 'commander';
import type { Cli } from '../api/cli-context.ts';
import { newCommand, oneCli, perform, type CliSource } from '../api/define-command.ts';
import { exitCodes, usage } from '../output/exit-codes.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { inShort, json } from '../output/value-text.ts';
import { checkInputs, readInputs, SOME_UPLOAD, type InputOptions } from '../runs/input-flags.ts';
import { readWorkflow } from '../runs/workflow-source.ts';

interface DryFlags extends InputOptions {
  readonly value?: readonly string[];
  readonly json?: boolean;
}

const each = (value: string, before: readonly string[] = []) => [...before, value];

/** `pilothouse dry-run`: shows which steps a run would carry out, on this machine, without a browser. */
export const dryRunCommand = (source: CliSource = oneCli) =>
  newCommand(
    'dry-run',
    'show which steps a workflow file would carry out, without an API and without a browser',
    [
      'pilothouse dry-run order.yaml --input sku=HS-1',
      `pilothouse dry-run order.yaml --value 'rows=[{"sku":"a"}]' --json`,
    ],
    source,
  )
    .argument('<file>', 'workflow file')
    .option('--input <name=value>', 'an input, several times', each)
    .option('--input-env <name=VARIABLE>', 'an input, from the environment', each)
    .option('--inputs <file>', 'inputs from a file, JSON or YAML')
    .option('--value <id=json>', 'what the step with this id reads or finds, several times; else it is made up', each)
    .option('--json', 'print JSON, for programs')
    .action(async (file: string, _options: unknown, command: Command) => {
      const cli = source();
      const flags = command.optsWithGlobals<DryFlags>();
      await perform(cli, flags.json === true, async () => show(file, flags, cli));
    });

function show(file: string, flags: DryFlags, cli: Cli): void {
  const { terminal, cwd, end } = cli;
  const definition = readWorkflow(file, cwd);
  const run = dryRun(definition, givenInputs(definition, flags, cli), valuesOf(flags.value ?? []));
  if (flags.json) terminal.out(json({ ...run, error: run.error?.view() ?? null }));
  else for (const line of lines(run, cli)) terminal.out(line);
  if (run.end === 'failed') end(exitCodes.failed);
}

/** Inputs as a run would have them; what is secret or a file is not looked at. */
function givenInputs(definition: WorkflowDefinition, flags: DryFlags, cli: Cli) {
  const { values, files } = readInputs(definition.inputs, flags, cli);
  const uploads = Object.fromEntries(Object.keys(files).map((name) => [name, SOME_UPLOAD]));
  const unseen = Object.entries(definition.inputs).flatMap(([name, { secret, type, default: initial, optional }]) => {
    if (initial !== undefined || optional) return [];
    return secret ? [[name, 'secret']] : type === 'file' ? [[name, SOME_UPLOAD]] : [];
  });
  const declared = Object.fromEntries(Object.entries(definition.inputs).map(([name, input]) => [name, open(input)]));
  const all = { ...Object.fromEntries(unseen), ...values, ...uploads };
  checkInputs(declared, { values: all, files: {} });
  const { inputs, secrets } = resolveInputs({ inputs: declared }, all);
  return { inputs, secrets: Object.keys(secrets) };
}

/** A secret is not there, so nothing is asked of it. */
const open = (input: WorkflowDefinition['inputs'][string]): WorkflowDefinition['inputs'][string] =>
  input.secret ? { type: 'string', secret: true, ...(input.optional && { optional: true }) } : input;

function valuesOf(given: readonly string[]): Record<string, Json> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw usage(`--value ${text}: write it as id=json.`);
      try {
        return [text.slice(0, at), JSON.parse(text.slice(at + 1)) as Json];
      } catch {
        throw usage(`--value ${text}: what comes after = is no JSON.`);
      }
    }),
  );
}

function lines({ steps, end, error, output }: DryRun, { terminal: { style } }: Cli): string[] {
  const width = Math.max(0, ...steps.map(({ at }) => at.length));
  const shown = steps.map(({ at, title, value, given }) => {
    const read = value === null ? '' : style.dim(`  ${given ? '=' : '≈'} ${inShort(value)}`);
    return `${style.dim(at.padEnd(width))}  ${clean(title)}${read}`;
  });
  switch (end) {
    case 'end':
      return [
        ...shown,
        '',
        style.dim(`${count(steps.length, 'step')}; ≈ is made up, = was given with --value`),
        ...(output === null ? [] : ['', json(output)]),
      ];
    case 'cut':
      return [...shown, '', `… more than ${steps.length} steps`];
    case 'failed':
      return [...shown, '', style.red(`✗ ${error?.code ?? ''}: ${clean(error?.message ?? '')}`)];
  }
}
