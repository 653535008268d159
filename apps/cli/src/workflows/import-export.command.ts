import { fieldErrors, chromeRecordingSchema, workflowDefinitionSchema } from '@pilothouse/contract';
import { exportPlaywright, exportRecording, importRecording, inputEnvName, locateFieldErrors } from '@pilothouse/core';
import { Option } from 'commander';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Cli } from '../api/cli-context.ts';
import { newCommand, oneCli, perform, type CliSource } from '../api/define-command.ts';
import { usage } from '../output/exit-codes.ts';
import { json } from '../output/value-text.ts';
import { yaml } from '../output/safe-yaml.ts';
import { InvalidWorkflow, readWorkflowFile } from '../runs/workflow-source.ts';

/** `pilothouse import`: a workflow of a recording; nothing is sent. */
export const importCommand = (source: CliSource = oneCli) =>
  newCommand(
    'import',
    'print the workflow that a recording of Chrome DevTools (Recorder, exported as JSON) makes',
    ['pilothouse import recording.json > log-in.yaml', 'pilothouse import recording.json | less'],
    source,
  )
    .argument('<file>', 'the recording')
    .action(async (file: string) => {
      const cli = source();
      await perform(cli, false, async () => importFile(cli, file));
    });

/** `pilothouse export`: a recording or a test of a workflow; nothing is sent. */
export const exportCommand = (source: CliSource = oneCli) =>
  newCommand(
    'export',
    'print a workflow as a recording that Chrome DevTools (Recorder) imports, or as a test of Playwright',
    [
      'pilothouse export log-in.yaml > recording.json',
      'pilothouse export --as playwright log-in.yaml > log-in.spec.ts',
    ],
    source,
  )
    .argument('<file>', 'the workflow file')
    .addOption(new Option('--as <form>', 'what to print').choices(['recording', 'playwright']).default('recording'))
    .action(async (file: string, { as }: { as: 'recording' | 'playwright' }) => {
      const cli = source();
      await perform(cli, false, async () => (as === 'playwright' ? exportTest : exportFile)(cli, file));
    });

function exportFile(cli: Cli, file: string): void {
  const { recording, notes } = exportRecording(readWorkflowFile(file, cli.cwd).definition);
  cli.terminal.out(json(recording));
  tell(cli, notes);
}

/** What a test has nothing like is refused, with line and column: a test that leaves something out would pass for the wrong reason. */
function exportTest(cli: Cli, file: string): void {
  const { definition, text } = readWorkflowFile(file, cli.cwd);
  const { source, problems } = exportPlaywright(definition);
  if (problems.length > 0)
    throw new InvalidWorkflow(file, locateFieldErrors(text, problems, file), 'has what a test cannot have');
  cli.terminal.out(source.trimEnd());
  const set = Object.entries(definition.inputs).filter(([, input]) => input.default === undefined && !input.optional);
  if (set.length > 0) tell(cli, [`It needs ${set.map(([name]) => inputEnvName(name)).join(', ')} in its environment`]);
}

function importFile(cli: Cli, file: string): void {
  const parsed = chromeRecordingSchema.safeParse(readJson(file, cli.cwd));
  if (!parsed.success) {
    const [first] = fieldErrors(parsed.error);
    throw usage(`${file} is no recording: ${first?.pointer ?? ''} ${first?.detail ?? ''}`);
  }
  const { workflow, notes } = importRecording(parsed.data);
  const valid = workflowDefinitionSchema.safeParse(workflow);
  if (!valid.success) {
    tell(cli, notes);
    const [first] = fieldErrors(valid.error);
    throw usage(`${file} makes no workflow: ${first?.pointer ?? ''} ${first?.detail ?? ''}`);
  }
  cli.terminal.out(yaml(workflow));
  tell(cli, notes);
}

function readJson(file: string, cwd: string): unknown {
  try {
    return JSON.parse(readFileSync(resolve(cwd, file), 'utf8'));
  } catch (thrown) {
    throw usage(`${file} cannot be read as JSON: ${(thrown as Error).message}`);
  }
}

function tell({ terminal }: Cli, notes: readonly string[]): void {
  for (const note of notes) terminal.err(note);
}
