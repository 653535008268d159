import { workflowDefinitionSchema, type WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findRun, RUN_ARGUMENT, shortId } from '../api/find-by-id.ts';
import { usage } from '../output/exit-codes.ts';
import { clean } from '../output/sanitize-text.ts';
import { json } from '../output/value-text.ts';
import { yaml } from '../output/safe-yaml.ts';
import { readInputs } from './input-flags.ts';
import { collect } from './create-run.command.ts';

interface CompileFlags extends ApiOptions {
  readonly name?: string;
  readonly verify?: boolean;
  readonly inputFromEnv?: readonly string[];
  readonly output?: string;
}

/** `pilothouse runs compile`. */
export const compileCommand = (source = processSource) =>
  newApiCommand(
    'compile',
    'Compile a completed goal run into a deterministic workflow (draft).',
    [
      'pilothouse runs compile last --name find-rope',
      'pilothouse runs compile last --name find-rope --verify --input-from-env password=PORTAL_PASSWORD',
      'pilothouse runs compile 0197f3c2-1a2b --output find-rope.yaml',
    ],
    source,
  )
    .argument('<run>', RUN_ARGUMENT)
    .option('--name <name>', "workflow name (default: the run's workflow)")
    .option('--verify', 'verify with one run using the same inputs; skipped if a step is not idempotent')
    .option(
      '--input-from-env <name=VARIABLE>',
      'with --verify: read a secret input from an environment variable',
      collect,
    )
    .option('-o, --output <file>', 'write the workflow to this file instead of stdout')
    .action(withApi(source, compile));

async function compile(api: Api, cli: Cli, flags: CompileFlags, run: string): Promise<void> {
  const { terminal } = cli;
  if (flags.inputFromEnv && !flags.verify) throw usage('--input-from-env requires --verify.');
  const { id } = await findRun(api, run);
  const inputs = readInputs(secretInputs(flags.inputFromEnv ?? []), { inputFromEnv: flags.inputFromEnv }, cli).values;
  const compiled = await api.compile(id, { name: flags.name, verify: flags.verify === true, inputs });
  const { workflow, notes, verification } = compiled;
  // The database does not preserve the order of keys; the schema defines it.
  const text = yaml(workflowDefinitionSchema.parse(workflow.definition));
  if (flags.output !== undefined) writeFileSync(resolve(cli.cwd, flags.output), `${text}\n`);
  if (flags.json) return terminal.out(json(compiled));
  if (flags.output === undefined) terminal.out(text);
  for (const note of notes) terminal.err(`Note: ${clean(note)}`);
  terminal.err(`${workflow.name}: version ${workflow.version}, ${workflow.published ? 'published' : 'a draft'}`);
  if (verification?.run)
    terminal.err(`Verification run ${shortId(verification.run)}: npx pilothouse logs -f ${shortId(verification.run)}`);
  else if (verification) terminal.err(`Not verified: ${clean(verification.reason ?? '')}`);
  else terminal.err(`Run the draft: npx pilothouse run ${workflow.name} --version ${workflow.version}`);
}

/** Inputs from variables are treated as secret text: only the API knows the declared inputs. */
const secretInputs = (assignments: readonly string[]): Record<string, WorkflowInput> =>
  Object.fromEntries(assignments.map((text) => [text.split('=', 1)[0] ?? '', { type: 'string', secret: true }]));
