import { workflowDefinitionSchema, type WorkflowDetail, type WorkflowView } from '@pilothouse/contract';
import { extname } from 'node:path';
import type { Api, WorkflowFile } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi, type CliSource } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { isProblem } from '../api/error-message.ts';
import { usage } from '../output/exit-codes.ts';
import { table } from '../output/text-table.ts';
import { clean, short } from '../output/sanitize-text.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { shown, yaml } from '../output/safe-yaml.ts';
import { readWorkflowFile } from '../runs/workflow-source.ts';
import { lintCommand } from './lint.command.ts';
import { whole } from '../runs/create-run.command.ts';

interface ListFlags extends ApiOptions {
  readonly archived?: boolean;
}
interface FileFlags extends ApiOptions {
  readonly publish?: boolean;
  readonly draft?: boolean;
}
interface ShowFlags extends ApiOptions {
  readonly versionNumber?: number;
}

const FILE = '<file>';
const NAME = '<name>';

/** `pilothouse workflows` and what is under it. */
export const workflowsCommand = (source = oneCli) =>
  newApiCommand(
    'workflows',
    'list the workflows of the project',
    ['pilothouse workflows', 'pilothouse workflows apply harbour-order.yaml'],
    source,
  )
    .option('--archived', 'only archived ones')
    .action(withApi(source, list))
    .addCommand(
      fileCommand('create', 'keep a workflow file as a new workflow; version 1 is a draft', source).action(
        withApi(source, create),
      ),
    )
    .addCommand(
      fileCommand('update', 'give a workflow a new version, from its file', source).action(withApi(source, update)),
    )
    .addCommand(
      newApiCommand(
        'apply',
        'create the workflow of a file, or give it a new version, and publish it',
        ['pilothouse workflows apply harbour-order.yaml', 'pilothouse workflows apply harbour-order.yaml --draft'],
        source,
      )
        .argument(FILE, 'workflow file')
        .option('--draft', 'do not publish')
        .action(withApi(source, apply)),
    )
    .addCommand(
      newApiCommand(
        'show',
        'print a workflow as YAML',
        [
          'pilothouse workflows show harbour-order > harbour-order.yaml',
          'pilothouse workflows show harbour-order --version-number 2',
        ],
        source,
      )
        .argument(NAME, 'name of the workflow')
        .option('--version-number <n>', 'version to show (default: the newest)', whole(1))
        .action(withApi(source, show)),
    )
    .addCommand(
      newApiCommand(
        'publish',
        'publish a version: runs that name none take it',
        ['pilothouse workflows publish harbour-order', 'pilothouse workflows publish harbour-order 2'],
        source,
      )
        .argument(NAME, 'name of the workflow')
        .argument('[version]', 'version (default: the newest)', whole(1))
        .action(withApi(source, publish)),
    )
    .addCommand(
      nameCommand('archive', 'take no new runs of a workflow; its runs stay', source).action(withApi(source, archive)),
    )
    .addCommand(
      nameCommand('unarchive', 'take a workflow out of the archive', source).action(withApi(source, unarchive)),
    )
    .addCommand(lintCommand(source));

const fileCommand = (name: string, description: string, source: CliSource) =>
  newApiCommand(
    name,
    description,
    [`pilothouse workflows ${name} harbour-order.yaml`, `pilothouse workflows ${name} harbour-order.yaml --publish`],
    source,
  )
    .argument(FILE, 'workflow file')
    .option('--publish', 'publish the version at once');

const nameCommand = (name: string, description: string, source: CliSource) =>
  newApiCommand(
    name,
    description,
    [`pilothouse workflows ${name} harbour-order`, `pilothouse workflows ${name} harbour-order --json`],
    source,
  ).argument(NAME, 'name of the workflow');

async function list(api: Api, { terminal, now }: Cli, { archived, json: asJson }: ListFlags): Promise<void> {
  const items: WorkflowView[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.workflows({ archived, limit: 200, cursor });
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  if (asJson) return terminal.out(json({ items }));
  if (items.length === 0) return terminal.err('No workflows. Keep one: npx pilothouse workflows apply <file>');
  const heads = [
    { head: 'workflow' },
    { head: 'title', gives: true },
    { head: 'published', align: 'right' as const },
    { head: 'newest', align: 'right' as const },
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

function read(file: string, { cwd }: Cli): WorkflowFile {
  const { definition, text } = readWorkflowFile(file, cwd);
  return { definition, text: extname(file).toLowerCase() === '.json' ? null : text };
}

async function create(api: Api, cli: Cli, flags: FileFlags, file: string): Promise<void> {
  try {
    tell(cli, flags, await api.createWorkflow(read(file, cli), flags.publish === true));
  } catch (thrown) {
    if (!isProblem(thrown, 'CONFLICT')) throw thrown;
    throw usage(clean(thrown.message), [`Give it a new version: npx pilothouse workflows update ${file}`]);
  }
}

async function update(api: Api, cli: Cli, flags: FileFlags, file: string): Promise<void> {
  tell(cli, flags, await api.updateWorkflow(read(file, cli), flags.publish === true));
}

async function apply(api: Api, cli: Cli, flags: FileFlags, file: string): Promise<void> {
  const workflow = read(file, cli);
  const isPublished = flags.draft !== true;
  try {
    tell(cli, flags, await api.updateWorkflow(workflow, isPublished));
  } catch (thrown) {
    if (!isProblem(thrown, 'NOT_FOUND')) throw thrown;
    tell(cli, flags, await api.createWorkflow(workflow, isPublished));
  }
}

function tell({ terminal }: Cli, flags: ApiOptions, detail: WorkflowDetail): void {
  if (flags.json) return terminal.out(json(detail));
  const { name, version, published } = detail;
  terminal.out(`${name}: version ${version}, ${published ? 'published' : 'a draft'}`);
  const hint = published
    ? `Run it: npx pilothouse run ${name}`
    : `Publish it: npx pilothouse workflows publish ${name}   Try it: npx pilothouse run ${name} --version-number ${version}`;
  terminal.err(terminal.errStyle.dim(hint));
}

async function show(api: Api, { terminal }: Cli, flags: ShowFlags, name: string): Promise<void> {
  const detail = await api.workflow(name, flags.versionNumber);
  if (flags.json) return terminal.out(json(detail));
  const written = detail.source === null ? null : shown(detail.source);
  if (written !== null) return terminal.out(written);
  // the store keeps no order of keys; the schema has one that people know
  const ordered = workflowDefinitionSchema.safeParse(detail.definition);
  terminal.out(yaml(ordered.success ? ordered.data : detail.definition));
}

async function publish(api: Api, cli: Cli, flags: ApiOptions, name: string, version?: number): Promise<void> {
  const view = await api.publishWorkflow(name, version);
  if (flags.json) return cli.terminal.out(json(view));
  cli.terminal.out(`${view.name}: version ${view.publishedVersion ?? '-'} is published`);
}

async function archive(api: Api, { terminal }: Cli, flags: ApiOptions, name: string): Promise<void> {
  const view = await api.archiveWorkflow(name);
  terminal.out(flags.json ? json(view) : `${view.name} is archived`);
}

async function unarchive(api: Api, { terminal }: Cli, flags: ApiOptions, name: string): Promise<void> {
  const view = await api.unarchiveWorkflow(name);
  terminal.out(flags.json ? json(view) : `${view.name} is out of the archive`);
}
