import type { SubmitRun } from '@pilothouse/contract/run/run.schema';
import type { WorkflowDefinition, WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { usage } from '../output/exit-codes.ts';
import { isFile, readSchema, readWorkflow } from './workflow-source.ts';

/** The options that select the workflow or goal of a run. */
export interface RunSourceOptions {
  readonly version?: number;
  readonly goal?: string;
  readonly url?: string;
  readonly outputSchema?: string;
}

/** A workflow or a goal to submit: the request, and the declared inputs. */
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
 * @param name a file or a name
 * @throws CommandError for options that do not fit; as `readWorkflow`
 */
export async function readRunSource(
  api: Pick<Api, 'workflow'>,
  { cwd }: Pick<Cli, 'cwd'>,
  name: string | undefined,
  options: RunSourceOptions,
): Promise<RunSource> {
  if (name === undefined || options.goal !== undefined) return fromGoal(name, options, cwd);
  if (options.url !== undefined || options.outputSchema !== undefined)
    throw usage('--url and --output-schema require --goal.');
  return isFile(name, cwd) ? fromFile(name, options, cwd) : fromProject(api, name, options);
}

function fromGoal(
  name: string | undefined,
  { goal, url, outputSchema, version }: RunSourceOptions,
  cwd: string,
): RunSource {
  if (goal === undefined) throw usage('Specify a workflow file, a workflow name, or --goal "…".');
  if (name !== undefined) throw usage('Specify a workflow or --goal, not both.');
  if (version !== undefined) throw usage('--version requires a workflow name.');
  const schema = outputSchema === undefined ? undefined : readSchema(outputSchema, cwd);
  return { body: { goal, url, outputSchema: schema }, inputs: {}, definition: null, name: goal };
}

function fromFile(name: string, { version }: RunSourceOptions, cwd: string): RunSource {
  if (version !== undefined) throw usage('--version requires a workflow name.');
  const definition = readWorkflow(name, cwd);
  return { body: { definition }, inputs: definition.inputs, definition, name: definition.title ?? definition.name };
}

async function fromProject(
  api: Pick<Api, 'workflow'>,
  name: string,
  { version: requested }: RunSourceOptions,
): Promise<RunSource> {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) {
    throw usage(`"${name}": no such file or workflow.`, ['List workflows: npx pilothouse workflows list']);
  }
  const newest = await api.workflow(name, requested);
  const version = requested ?? newest.publishedVersion;
  if (version === null) {
    throw usage(`${name} has no published version.`, [
      `Publish one: npx pilothouse workflows publish ${name}`,
      `Or run a draft: npx pilothouse run ${name} --version ${newest.latestVersion}`,
    ]);
  }
  const { definition } = version === newest.version ? newest : await api.workflow(name, version);
  return {
    body: { workflow: name, version },
    inputs: definition.inputs,
    definition,
    name: `${definition.title ?? name} (${name}, version ${version})`,
  };
}
