import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { chromeRecordingSchema } from '@pilothouse/contract/workflow/chrome-recording.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { exportRecording, importRecording } from '@pilothouse/core/import-export/chrome-recorder';
import { exportPlaywright, inputEnvName } from '@pilothouse/core/import-export/playwright-test';
import { MISSING_STEP } from '@pilothouse/core/workflow/missing-step';
import { locateFieldErrors } from '@pilothouse/core/workflow/parse-workflow';
import { Option } from 'commander';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Cli } from '../api/cli-context.ts';
import { newCommand, processSource, perform, type CliSource } from '../api/define-command.ts';
import { usage } from '../output/exit-codes.ts';
import { json } from '../output/value-text.ts';
import { yaml } from '../output/safe-yaml.ts';
import { InvalidWorkflow, readWorkflowFile } from '../runs/workflow-source.ts';

/** `pilothouse workflows import`: offline. */
export const importCommand = (source: CliSource = processSource) =>
  newCommand(
    'import',
    'Convert a Chrome DevTools recording (JSON) to a workflow.',
    ['pilothouse workflows import recording.json > log-in.yaml', 'pilothouse workflows import recording.json | less'],
    source,
  )
    .argument('<file>', 'recording file')
    .action(async (file: string) => {
      const cli = source();
      await perform(cli, false, async () => importFile(cli, file));
    });

/** `pilothouse workflows export`: offline. */
export const exportCommand = (source: CliSource = processSource) =>
  newCommand(
    'export',
    'Convert a workflow to a Chrome DevTools recording or a Playwright test.',
    [
      'pilothouse workflows export log-in.yaml > recording.json',
      'pilothouse workflows export --format playwright log-in.yaml > log-in.spec.ts',
    ],
    source,
  )
    .argument('<file>', 'workflow file')
    .addOption(
      new Option('--format <format>', 'output format')
        .choices(['chrome-recording', 'playwright'])
        .default('chrome-recording'),
    )
    .action(async (file: string, { format }: { format: 'chrome-recording' | 'playwright' }) => {
      const cli = source();
      await perform(cli, false, async () => (format === 'playwright' ? exportTest : exportFile)(cli, file));
    });

function exportFile(cli: Cli, file: string): void {
  const { recording, notes } = exportRecording(readWorkflowFile(file, cli.cwd).definition);
  cli.terminal.out(json(recording));
  printNotes(cli, notes);
}

/**
 * Rejects steps without an equivalent, with line and column. A test that omits steps would pass for the wrong reason.
 */
function exportTest(cli: Cli, file: string): void {
  const { definition, text } = readWorkflowFile(file, cli.cwd);
  const { source, problems } = exportPlaywright(definition);
  if (problems.length > 0)
    throw new InvalidWorkflow(file, locateFieldErrors(text, problems, file), 'uses steps that cannot be exported');
  cli.terminal.out(source.trimEnd());
  const required = Object.entries(definition.inputs).filter(
    ([, input]) => input.default === undefined && !input.optional,
  );
  if (required.length > 0)
    printNotes(cli, [`Required environment variables: ${required.map(([name]) => inputEnvName(name)).join(', ')}`]);
}

function importFile(cli: Cli, file: string): void {
  const parsed = chromeRecordingSchema.safeParse(readJson(file, cli.cwd));
  if (!parsed.success) {
    const [first] = fieldErrors(parsed.error);
    throw usage(`${file} is not a recording: ${first?.pointer ?? ''} ${first?.detail ?? ''}`);
  }
  const { workflow, notes, missing } = importRecording(parsed.data);
  const validated = workflowDefinitionSchema.safeParse(workflow);
  if (!validated.success) {
    printNotes(cli, notes);
    const [first] = fieldErrors(validated.error);
    throw usage(`${file} can't be converted: ${first?.pointer ?? ''} ${first?.detail ?? ''}`);
  }
  cli.terminal.out(yaml(workflow));
  printNotes(cli, notes);
  if (missing.length > 0) {
    const count = missing.length === 1 ? '1 step was' : `${missing.length} steps were`;
    throw usage(
      `${count} not imported. Replace the steps "${MISSING_STEP} …" in the workflow, or delete them`,
      missing,
    );
  }
}

function readJson(file: string, cwd: string): unknown {
  try {
    return JSON.parse(readFileSync(resolve(cwd, file), 'utf8'));
  } catch (thrown) {
    throw usage(`${file}: invalid JSON: ${(thrown as Error).message}`);
  }
}

function printNotes({ terminal }: Cli, notes: readonly string[]): void {
  for (const note of notes) terminal.err(note);
}
