import type { SubmitRun, WorkflowDefinition, WorkflowInput } from '@pilothouse/contract';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { usage } from '../output/exit-codes.ts';
import { isFile, readSchema, readWorkflow } from './workflow-source.ts';

/** The options that say what `run` submits. */
export interface RunSourceOptions {
  readonly versionNumber?: number;
  readonly goal?: string;
  readonly page?: string;
  readonly outputSchema?: string;
}

/** A workflow or a goal that can be submitted: what to send for it, and the inputs it declares. */
export interface RunSource {
  readonly body: Pick<SubmitRun, 'workflow' | 'version' | 'definition' | 'goal' | 'url' | 'outputSchema'>;
  readonly inputs: Readonly<Record<string, WorkflowInput>>;
  /** The whole workflow; null for a goal. */
  readonly definition: WorkflowDefinition | null;
  /** The name in lines for people. */
  readonly name: string;
}

/**
 * Reads what `run` submits: a workflow file, a workflow of the project, or a goal.
 * @param given a file or a name
 * @throws CommandError for options that do not fit; as `readWorkflow`
 */
export async function readRunSource(
  api: Pick<Api, 'workflow'>,
  { cwd }: Pick<Cli, 'cwd'>,
  given: string | undefined,
  options: RunSourceOptions,
): Promise<RunSource> {
  if (given === undefined || options.goal !== undefined) return fromGoal(given, options, cwd);
  if (options.page !== undefined || options.outputSchema !== undefined)
    throw usage('--page and --output-schema go with --goal.');
  return isFile(given, cwd) ? fromFile(given, options, cwd) : fromProject(api, given, options);
}

function fromGoal(
  given: string | undefined,
  { goal, page, outputSchema, versionNumber }: RunSourceOptions,
  cwd: string,
): RunSource {
  if (goal === undefined) throw usage('Give a workflow file, the name of a workflow, or --goal "...".');
  if (given !== undefined) throw usage('Give either a workflow or --goal.');
  if (versionNumber !== undefined) throw usage('--version-number goes with the name of a workflow, not with a goal.');
  const schema = outputSchema === undefined ? undefined : readSchema(outputSchema, cwd);
  return { body: { goal, url: page, outputSchema: schema }, inputs: {}, definition: null, name: goal };
}

function fromFile(given: string, { versionNumber }: RunSourceOptions, cwd: string): RunSource {
  if (versionNumber !== undefined) throw usage('--version-number goes with the name of a workflow, not with a file.');
  const definition = readWorkflow(given, cwd);
  return { body: { definition }, inputs: definition.inputs, definition, name: definition.title ?? definition.name };
}

async function fromProject(
  api: Pick<Api, 'workflow'>,
  given: string,
  { versionNumber }: RunSourceOptions,
): Promise<RunSource> {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(given)) {
    throw usage(`"${given}" is neither a file nor the name of a workflow.`, [
      'npx pilothouse workflows shows what there is',
    ]);
  }
  const newest = await api.workflow(given, versionNumber);
  const version = versionNumber ?? newest.publishedVersion;
  if (version === null) {
    throw usage(`${given} has no published version.`, [
      `Publish one: npx pilothouse workflows publish ${given}`,
      `Or run a draft: npx pilothouse run ${given} --version-number ${newest.latestVersion}`,
    ]);
  }
  const { definition } = version === newest.version ? newest : await api.workflow(given, version);
  return {
    body: { workflow: given, version },
    inputs: definition.inputs,
    definition,
    name: `${definition.title ?? given} (${given}, version ${version})`,
  };
}
