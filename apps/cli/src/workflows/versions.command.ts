import type { WorkflowDetail } from '@pilothouse/contract/api/workflows.routes';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { InvalidArgumentError } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { DEFAULT_LIMIT, printLimitHint, readPages } from '../api/read-pages.ts';
import { usage } from '../output/exit-codes.ts';
import { safeSource, yaml } from '../output/safe-yaml.ts';
import { styleFor } from '../output/text-style.ts';
import { table } from '../output/text-table.ts';
import { localTime, relative } from '../output/time-text.ts';
import { unifiedDiff } from '../output/unified-diff.ts';
import { json } from '../output/value-text.ts';
import { wholeNumber } from '../runs/create-run.command.ts';

interface VersionsFlags extends ApiOptions {
  readonly limit: number;
}

/** A version of a workflow: its number, the newest one or the published one. */
type VersionName = number | 'latest' | 'published';

const VERSION = 'a number, "latest" or "published"';

/** `pilothouse workflows versions`. */
export const versionsCommand = (source = processSource) =>
  newApiCommand(
    'versions',
    'List the versions of a workflow, newest first.',
    ['pilothouse workflows versions harbour-order', 'pilothouse workflows versions harbour-order --limit 100'],
    source,
  )
    .argument('<workflow>', 'workflow name')
    .option('-n, --limit <n>', 'maximum number of versions', wholeNumber(1), DEFAULT_LIMIT)
    .action(withApi(source, versions));

/** `pilothouse workflows diff`. */
export const diffCommand = (source = processSource) =>
  newApiCommand(
    'diff',
    'Compare two versions of a workflow, as a unified diff.',
    [
      'pilothouse workflows diff harbour-order 2',
      'pilothouse workflows diff harbour-order 2 3',
      'pilothouse workflows diff harbour-order published',
    ],
    source,
  )
    .argument('<workflow>', 'workflow name')
    .argument('<version>', `version to compare: ${VERSION}`, parseVersion)
    .argument('[other]', `version to compare with: ${VERSION} (default: latest)`, parseVersion)
    .action(withApi(source, diff));

function parseVersion(text: string): VersionName {
  if (text === 'latest' || text === 'published') return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`Use ${VERSION}.`);
}

async function versions(
  api: Api,
  { terminal, now }: Cli,
  { limit, json: asJson }: VersionsFlags,
  name: string,
): Promise<void> {
  const found = await readPages((page) => api.workflowVersions(name, page), limit);
  if (asJson) return terminal.out(json({ items: found.items }));
  const heads = [
    { head: 'version', align: 'right' as const },
    { head: 'state' },
    { head: 'created' },
    { head: 'time' },
  ];
  const rows = found.items.map(({ version, published, createdAt }) => [
    String(version),
    published ? 'published' : 'draft',
    relative(createdAt, now()),
    localTime(createdAt),
  ]);
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
  printLimitHint(terminal, found, 'versions', limit);
}

async function diff(
  api: Api,
  { terminal }: Cli,
  flags: ApiOptions,
  name: string,
  version: VersionName,
  newVersion: VersionName = 'latest',
): Promise<void> {
  const previous = await readVersion(api, name, version);
  const next = await readVersion(api, name, newVersion);
  const textOf = versionText(previous, next);
  const [oldText, newText] = [textOf(previous), textOf(next)];
  const style = flags.json ? styleFor(false) : terminal.style;
  const [oldLabel, newLabel] = [labelOf(previous), labelOf(next)];
  const lines = unifiedDiff({ label: oldLabel, text: oldText }, { label: newLabel, text: newText }, style);
  if (flags.json) {
    const versionOf = ({ version, published }: WorkflowDetail) => ({ version, published });
    return terminal.out(
      json({ workflow: previous.name, from: versionOf(previous), to: versionOf(next), diff: lines.join('\n') }),
    );
  }
  for (const line of lines) terminal.out(line);
  if (lines.length === 0) terminal.err(`No differences: ${oldLabel}; ${newLabel}.`);
}

/** @throws CommandError when no version is published */
async function readVersion(api: Api, name: string, version: VersionName): Promise<WorkflowDetail> {
  if (version !== 'published') return api.workflow(name, version === 'latest' ? undefined : version);
  const { publishedVersion, latestVersion } = await api.workflow(name);
  if (publishedVersion !== null) return api.workflow(name, publishedVersion);
  throw usage(`${name} has no published version: version ${latestVersion} is a draft.`, [
    `List versions: npx pilothouse workflows versions ${name}`,
    `Publish it: npx pilothouse workflows publish ${name}`,
  ]);
}

const labelOf = ({ name, version, published }: WorkflowDetail) =>
  `${name} version ${version}, ${published ? 'published' : 'draft'}`;

/** The text of both versions. A source text and generated YAML differ in formatting: both sides come from the same kind. */
function versionText(...details: readonly WorkflowDetail[]): (detail: WorkflowDetail) => string {
  const hasSources = details.every(({ source }) => source !== null && safeSource(source) !== null);
  return ({ source, definition }) => {
    if (hasSources && source !== null) return safeSource(source) ?? '';
    // The database does not preserve the order of keys; the schema defines it.
    const parsed = workflowDefinitionSchema.safeParse(definition);
    return yaml(parsed.success ? parsed.data : definition);
  };
}
