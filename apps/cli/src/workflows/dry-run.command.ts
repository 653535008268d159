import { dryRun, type DryRun } from '@pilothouse/core/interpreter/dry-run';
import { resolveInputs } from '@pilothouse/core/workflow/workflow-io';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import type { Command } from 'commander';
import type { Cli } from '../api/cli-context.ts';
import { newCommand, processSource, perform, type CliSource } from '../api/define-command.ts';
import { exitCodes, usage } from '../output/exit-codes.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { inShort, json } from '../output/value-text.ts';
import { checkInputs, readInputs, UPLOAD_PLACEHOLDER, type InputOptions } from '../runs/input-flags.ts';
import { readWorkflow } from '../runs/workflow-source.ts';
import { collect } from '../runs/create-run.command.ts';

interface DryFlags extends InputOptions {
  readonly stepOutput?: readonly string[];
  readonly json?: boolean;
}

/** `pilothouse workflows dry-run`. */
export const dryRunCommand = (source: CliSource = processSource) =>
  newCommand(
    'dry-run',
    'Print the steps a workflow would execute, without API or browser.',
    [
      'pilothouse workflows dry-run order.yaml --input sku=HS-1',
      `pilothouse workflows dry-run order.yaml --step-output 'rows=[{"sku":"a"}]' --json`,
    ],
    source,
  )
    .argument('<file>', 'workflow file')
    .option('-i, --input <name=value>', 'input value; repeatable', collect)
    .option('--input-from-env <name=VARIABLE>', 'input from an environment variable', collect)
    .option('--input-from-secret <name=secret>', 'secret input from a secret of the project; not read', collect)
    .option('--inputs <file>', 'inputs from a JSON or YAML file')
    .option(
      '--step-output <id=json>',
      'output of the step with this id; repeatable. Other outputs are generated',
      collect,
    )
    .option('--json', 'print JSON')
    .action(async (file: string, _options: unknown, command: Command) => {
      const cli = source();
      const flags = command.optsWithGlobals<DryFlags>();
      await perform(cli, flags.json === true, async () => show(file, flags, cli));
    });

function show(file: string, flags: DryFlags, cli: Cli): void {
  const { terminal, cwd, end } = cli;
  const definition = readWorkflow(file, cwd);
  const planned = dryRun(definition, effectiveInputs(definition, flags, cli), parseStepOutputs(flags.stepOutput ?? []));
  const run = { ...planned, steps: planned.steps.map((step) => ({ ...step, title: withoutPlaceholder(step.title) })) };
  if (flags.json) terminal.out(json({ ...run, error: run.error?.view() ?? null }));
  else for (const line of lines(run, cli)) terminal.out(line);
  if (run.end === 'failed') end(exitCodes.failed);
}

/** A dry run sends no file, so an upload has no id. */
const withoutPlaceholder = (title: string) => title.replaceAll(UPLOAD_PLACEHOLDER, 'a file');

/** The inputs of the dry run. Secrets and files get placeholders. */
function effectiveInputs(definition: WorkflowDefinition, flags: DryFlags, cli: Cli) {
  const { values, files } = readInputs(definition.inputs, flags, cli);
  const uploads = Object.fromEntries(Object.keys(files).map((name) => [name, UPLOAD_PLACEHOLDER]));
  const placeholders = Object.entries(definition.inputs).flatMap(
    ([name, { secret, type, default: initial, optional }]) => {
      if (initial !== undefined || optional) return [];
      return secret ? [[name, 'secret']] : type === 'file' ? [[name, UPLOAD_PLACEHOLDER]] : [];
    },
  );
  const declared = Object.fromEntries(
    Object.entries(definition.inputs).map(([name, input]) => [name, withoutConstraints(input)]),
  );
  const allValues = { ...Object.fromEntries(placeholders), ...values, ...uploads };
  checkInputs(declared, { values: allValues, files: {} });
  const { inputs, secrets, references } = resolveInputs({ inputs: declared }, allValues);
  return { inputs, secrets: Object.keys({ ...secrets, ...references }) };
}

/** A secret has no value in a dry run, so its constraints are not checked. */
const withoutConstraints = (input: WorkflowDefinition['inputs'][string]): WorkflowDefinition['inputs'][string] =>
  input.secret ? { type: 'string', secret: true, ...(input.optional && { optional: true }) } : input;

function parseStepOutputs(assignments: readonly string[]): Record<string, Json> {
  return Object.fromEntries(
    assignments.map((text) => {
      const separatorIndex = text.indexOf('=');
      if (separatorIndex < 1) throw usage(`Invalid --step-output ${text}: use id=json.`);
      try {
        return [text.slice(0, separatorIndex), JSON.parse(text.slice(separatorIndex + 1)) as Json];
      } catch {
        throw usage(`--step-output ${text}: invalid JSON after "=".`);
      }
    }),
  );
}

function lines({ steps, end, error, output }: DryRun, { terminal: { style } }: Cli): string[] {
  const width = Math.max(0, ...steps.map(({ number }) => number.length));
  const stepLines = steps.map(({ number, title, value, isSupplied }) => {
    const valueText = value === null ? '' : style.dim(`  ${isSupplied ? '=' : '≈'} ${inShort(value)}`);
    return `${style.dim(number.padEnd(width))}  ${clean(title)}${valueText}`;
  });
  switch (end) {
    case 'end':
      return [
        ...stepLines,
        '',
        style.dim(`${count(steps.length, 'step')}; ≈ generated value, = from --step-output`),
        ...(output === null ? [] : ['', json(output)]),
      ];
    case 'cut':
      return [...stepLines, '', `… more than ${steps.length} steps`];
    case 'failed':
      return [...stepLines, '', style.red(`✗ ${error?.code ?? ''}: ${clean(error?.message ?? '')}`)];
  }
}
