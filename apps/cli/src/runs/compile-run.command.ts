import { workflowDefinitionSchema, type WorkflowInput } from '@pilothouse/contract';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findRun, shortId } from '../api/find-by-id.ts';
import { usage } from '../output/exit-codes.ts';
import { clean } from '../output/sanitize-text.ts';
import { json } from '../output/value-text.ts';
import { yaml } from '../output/safe-yaml.ts';
import { readInputs } from './input-flags.ts';
import { each } from './create-run.command.ts';

interface CompileFlags extends ApiOptions {
  readonly name?: string;
  readonly prove?: boolean;
  readonly inputEnv?: readonly string[];
  readonly output?: string;
}

/** `pilothouse compile`: a workflow without a model, of a run with one. */
export const compileCommand = (source = oneCli) =>
  newApiCommand(
    'compile',
    'turn what an agent did in a completed run into a workflow that needs no model, kept as a draft',
    [
      'pilothouse compile last --name find-rope',
      'pilothouse compile last --name find-rope --prove --input-env password=PORTAL_PASSWORD',
      'pilothouse compile 0197f3c2-1a2b --output find-rope.yaml',
    ],
    source,
  )
    .argument('<run>', 'id of the run, the beginning of it, or "last"')
    .option('--name <name>', 'name of the workflow (default: that of the workflow of the run)')
    .option('--prove', 'submit a run of it with the same inputs, where nothing of it must not happen twice')
    .option('--input-env <name=VARIABLE>', 'with --prove: a secret input from a variable', each)
    .option('-o, --output <file>', 'write the workflow there instead of printing it')
    .action(withApi(source, compile));

async function compile(api: Api, cli: Cli, flags: CompileFlags, given: string): Promise<void> {
  const { terminal } = cli;
  if (flags.inputEnv && !flags.prove) throw usage('--input-env goes with --prove.');
  const { id } = await findRun(api, given);
  const inputs = readInputs(secretsNamed(flags.inputEnv ?? []), { inputEnv: flags.inputEnv }, cli).values;
  const made = await api.compile(id, { name: flags.name, prove: flags.prove === true, inputs });
  const { workflow, notes, proof } = made;
  // the store keeps no order of keys; the schema has one that people know
  const text = yaml(workflowDefinitionSchema.parse(workflow.definition));
  if (flags.output !== undefined) writeFileSync(resolve(cli.cwd, flags.output), `${text}\n`);
  if (flags.json) return terminal.out(json(made));
  if (flags.output === undefined) terminal.out(text);
  for (const note of notes) terminal.err(`Note: ${clean(note)}`);
  terminal.err(`${workflow.name}: version ${workflow.version}, ${workflow.published ? 'published' : 'a draft'}`);
  if (proof?.run)
    terminal.err(`It is tried by run ${shortId(proof.run)}: npx pilothouse logs -f ${shortId(proof.run)}`);
  else if (proof) terminal.err(`It is not tried: ${clean(proof.why ?? '')}`);
  else terminal.err(`Try it: npx pilothouse run ${workflow.name} --version-number ${workflow.version}`);
}

/** What is given by variables is taken for secret texts: which inputs there are the API knows. */
const secretsNamed = (given: readonly string[]): Record<string, WorkflowInput> =>
  Object.fromEntries(given.map((one) => [one.split('=', 1)[0] ?? '', { type: 'string', secret: true }]));
