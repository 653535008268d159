import type { WorkflowDetail } from '@pilothouse/contract/api/workflows.routes';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { extname } from 'node:path';
import type { Api, WorkflowFile } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newNoun, processSource, withApi, type CliSource } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { isProblem } from '../api/error-message.ts';
import { readPages } from '../api/read-pages.ts';
import { usage } from '../output/exit-codes.ts';
import { table } from '../output/text-table.ts';
import { clean, short } from '../output/sanitize-text.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { safeSource, yaml } from '../output/safe-yaml.ts';
import { readWorkflowFile } from '../runs/workflow-source.ts';
import { dryRunCommand } from './dry-run.command.ts';
import { exportCommand, importCommand } from './import-export.command.ts';
import { lintCommand } from './lint.command.ts';
import { diffCommand, versionsCommand } from './versions.command.ts';
import { wholeNumber } from '../runs/create-run.command.ts';

interface ListFlags extends ApiOptions {
  readonly archived?: boolean;
}
interface FileFlags extends ApiOptions {
  readonly publish?: boolean;
  readonly draft?: boolean;
}
interface ShowFlags extends ApiOptions {
  readonly version?: number;
}

const FILE = '<file>';
const NAME = '<workflow>';

/** `pilothouse workflows`. */
export const workflowsCommand = (source = processSource) =>
  newNoun(
    'workflows',
    'List, show, create, publish, check and convert workflows.',
    [
      newApiCommand(
        'list',
        'List workflows.',
        ['pilothouse workflows list', 'pilothouse workflows list --archived'],
        source,
      )
        .option('--archived', 'archived workflows only')
        .action(withApi(source, list)),
      fileCommand('create', 'Create a workflow from a file (version 1, draft).', source).action(
        withApi(source, create),
      ),
      fileCommand('update', 'Add a version from a file (draft).', source).action(withApi(source, update)),
      newApiCommand(
        'apply',
        'Create or update a workflow from a file and publish it.',
        ['pilothouse workflows apply harbour-order.yaml', 'pilothouse workflows apply harbour-order.yaml --draft'],
        source,
      )
        .argument(FILE, 'workflow file')
        .option('--draft', 'do not publish')
        .action(withApi(source, apply)),
      newApiCommand(
        'show',
        'Print a workflow as YAML.',
        [
          'pilothouse workflows show harbour-order > harbour-order.yaml',
          'pilothouse workflows show harbour-order --version 2',
        ],
        source,
      )
        .argument(NAME, 'workflow name')
        .option('--version <n>', 'version (default: latest)', wholeNumber(1))
        .action(withApi(source, show)),
      newApiCommand(
        'publish',
        'Publish a version. New runs use it by default.',
        ['pilothouse workflows publish harbour-order', 'pilothouse workflows publish harbour-order 2'],
        source,
      )
        .argument(NAME, 'workflow name')
        .argument('[version]', 'version (default: latest)', wholeNumber(1))
        .action(withApi(source, publish)),
      versionsCommand(source),
      diffCommand(source),
      nameCommand('archive', 'Archive a workflow: no new runs, history is kept.', source).action(
        withApi(source, archive),
      ),
      nameCommand('unarchive', 'Unarchive a workflow.', source).action(withApi(source, unarchive)),
      lintCommand(source),
      dryRunCommand(source),
      importCommand(source),
      exportCommand(source),
    ],
    source,
  );

const fileCommand = (name: string, description: string, source: CliSource) =>
  newApiCommand(
    name,
    description,
    [`pilothouse workflows ${name} harbour-order.yaml`, `pilothouse workflows ${name} harbour-order.yaml --publish`],
    source,
  )
    .argument(FILE, 'workflow file')
    .option('--publish', 'publish immediately');

const nameCommand = (name: string, description: string, source: CliSource) =>
  newApiCommand(
    name,
    description,
    [`pilothouse workflows ${name} harbour-order`, `pilothouse workflows ${name} harbour-order --json`],
    source,
  ).argument(NAME, 'workflow name');

async function list(api: Api, { terminal, now }: Cli, { archived, json: asJson }: ListFlags): Promise<void> {
  const { items } = await readPages((page) => api.workflows({ archived, ...page }));
  if (asJson) return terminal.out(json({ items }));
  if (items.length === 0) return terminal.err('No workflows. Create one: npx pilothouse workflows apply <file>');
  const heads = [
    { head: 'workflow' },
    { head: 'title', canShrink: true },
    { head: 'published', align: 'right' as const },
    { head: 'latest', align: 'right' as const },
    { head: 'changed' },
  ];
  const rows = items.map(({ name, title, publishedVersion, latestVersion, updatedAt }) => [
    name,
    short(clean(title ?? ''), 60),
    String(publishedVersion ?? '-'),
    String(latestVersion),
    relative(updatedAt, now()),
  ]);
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}

function readFile(file: string, { cwd }: Cli): WorkflowFile {
  const { definition, text } = readWorkflowFile(file, cwd);
  return { definition, text: extname(file).toLowerCase() === '.json' ? null : text };
}

async function create(api: Api, cli: Cli, flags: FileFlags, file: string): Promise<void> {
  try {
    printVersion(cli, flags, await api.createWorkflow(readFile(file, cli), flags.publish === true));
  } catch (thrown) {
    if (!isProblem(thrown, 'CONFLICT')) throw thrown;
    throw usage(clean(thrown.message), [`Update it: npx pilothouse workflows update ${file}`]);
  }
}

async function update(api: Api, cli: Cli, flags: FileFlags, file: string): Promise<void> {
  await addVersion(api, cli, flags, readFile(file, cli), flags.publish === true);
}

async function apply(api: Api, cli: Cli, flags: FileFlags, file: string): Promise<void> {
  const workflow = readFile(file, cli);
  const isPublished = flags.draft !== true;
  try {
    await addVersion(api, cli, flags, workflow, isPublished);
  } catch (thrown) {
    if (!isProblem(thrown, 'NOT_FOUND')) throw thrown;
    printVersion(cli, flags, await api.createWorkflow(workflow, isPublished));
  }
}

/** Adds a version. The API adds none if the file equals the newest version. */
async function addVersion(api: Api, cli: Cli, flags: ApiOptions, file: WorkflowFile, publish: boolean): Promise<void> {
  const previous = await api.workflow(file.definition.name);
  const updated = await api.updateWorkflow(file, publish);
  const isUnchanged = updated.version === previous.version && updated.published === previous.published;
  printVersion(cli, flags, updated, isUnchanged ? 'unchanged, ' : '');
}

function printVersion({ terminal }: Cli, flags: ApiOptions, detail: WorkflowDetail, change = ''): void {
  if (flags.json) return terminal.out(json(detail));
  const { name, version, published } = detail;
  terminal.out(`${name}: ${change}version ${version}, ${published ? 'published' : 'a draft'}`);
  const hint = published
    ? `Run it: npx pilothouse run ${name}`
    : `Publish it: npx pilothouse workflows publish ${name}   Run it: npx pilothouse run ${name} --version ${version}`;
  terminal.err(terminal.errStyle.dim(hint));
}

async function show(api: Api, { terminal }: Cli, flags: ShowFlags, name: string): Promise<void> {
  const detail = await api.workflow(name, flags.version);
  if (flags.json) return terminal.out(json(detail));
  const source = detail.source === null ? null : safeSource(detail.source);
  if (source !== null) return terminal.out(source);
  // The database does not preserve the order of keys; the schema defines it.
  const parsed = workflowDefinitionSchema.safeParse(detail.definition);
  terminal.out(yaml(parsed.success ? parsed.data : detail.definition));
}

async function publish(api: Api, cli: Cli, flags: ApiOptions, name: string, version?: number): Promise<void> {
  const view = await api.publishWorkflow(name, version);
  if (flags.json) return cli.terminal.out(json(view));
  cli.terminal.out(`${view.name}: version ${view.publishedVersion ?? '-'} is published`);
}

async function archive(api: Api, { terminal }: Cli, flags: ApiOptions, name: string): Promise<void> {
  const view = await api.archiveWorkflow(name);
  terminal.out(flags.json ? json(view) : `Archived ${view.name}.`);
}

async function unarchive(api: Api, { terminal }: Cli, flags: ApiOptions, name: string): Promise<void> {
  const view = await api.unarchiveWorkflow(name);
  terminal.out(flags.json ? json(view) : `Unarchived ${view.name}.`);
}
