import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import {
  proposalStatusSchema,
  type ProposalStatus,
  type ProposalView,
} from '@pilothouse/contract/api/proposals.routes';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import { Option } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findById, idArgumentHelp, shortId, shortIds } from '../api/find-by-id.ts';
import { DEFAULT_LIMIT, printLimitHint, readPages } from '../api/read-pages.ts';
import type { Style } from '../output/text-style.ts';
import { pairs, table } from '../output/text-table.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { wholeNumber } from '../runs/create-run.command.ts';

interface ListFlags extends ApiOptions {
  readonly status?: ProposalStatus;
  readonly workflow?: string;
  readonly limit: number;
}

interface PublishFlags extends ApiOptions {
  readonly skipVerification?: boolean;
  readonly verify?: boolean;
}

const PROPOSAL_ARGUMENT = idArgumentHelp('proposal');

/** `pilothouse proposals`. */
export const proposalsCommand = (source = processSource) =>
  newNoun(
    'proposals',
    'Review proposed workflow versions (healed locators, compiled runs).',
    [
      newApiCommand(
        'list',
        'List proposals, newest first.',
        ['pilothouse proposals list', 'pilothouse proposals list --status open --workflow harbour-order'],
        source,
      )
        .addOption(new Option('--status <status>', 'filter by status').choices(proposalStatusSchema.options))
        .option('--workflow <name>', 'filter by workflow')
        .option('-n, --limit <n>', 'maximum number of proposals', wholeNumber(1), DEFAULT_LIMIT)
        .action(withApi(source, list)),
      newApiCommand(
        'show',
        'Show the changes of a proposal and its verification.',
        ['pilothouse proposals show last', 'pilothouse proposals show 0197f3c2-1a2b --json'],
        source,
      )
        .argument('<proposal>', PROPOSAL_ARGUMENT)
        .action(withApi(source, show)),
      newApiCommand(
        'publish',
        'Publish the proposed version.',
        ['pilothouse proposals publish last', 'pilothouse proposals publish last --verify'],
        source,
      )
        .argument('<proposal>', PROPOSAL_ARGUMENT)
        .addOption(
          new Option('--skip-verification', 'publish even if verification has not finished or has failed').conflicts(
            'verify',
          ),
        )
        .option(
          '--verify',
          'replay the run first and publish only if it passes. The replay executes non-idempotent steps too',
        )
        .action(withApi(source, publish)),
      newApiCommand(
        'reject',
        'Reject a proposal. The version stays a draft.',
        ['pilothouse proposals reject last', 'pilothouse proposals reject 0197f3c2-1a2b'],
        source,
      )
        .argument('<proposal>', PROPOSAL_ARGUMENT)
        .action(withApi(source, reject)),
    ],
    source,
  );

async function list(api: Api, cli: Cli, flags: ListFlags): Promise<void> {
  const { status, workflow, limit } = flags;
  const filter = { ...(status && { status: [status] }), workflow };
  const found = await readPages((page) => api.proposals({ ...page, ...filter }), limit);
  if (flags.json) cli.terminal.out(json({ items: found.items }));
  else printProposals(cli, found.items);
  printLimitHint(cli.terminal, found, 'proposals', limit);
}

function printProposals({ terminal, now }: Cli, items: readonly ProposalView[]): void {
  if (items.length === 0) return terminal.err('No proposals. Set `heal: auto` in a workflow to get them.');
  const name = shortIds(items.map(({ id }) => id));
  const rows = items.map((proposal) => [
    name(proposal.id),
    proposal.workflow.name,
    versions(proposal),
    proposal.status,
    verificationText(proposal),
    proposal.kind === 'heal' ? count(proposal.changes.length, 'step') : 'compiled',
    relative(proposal.createdAt, now()),
  ]);
  const heads = ['proposal', 'workflow', 'version', 'status', 'verification', 'changes', 'created'].map((head) => ({
    head,
    canShrink: head === 'verification',
  }));
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}

async function show(api: Api, { terminal, now }: Cli, flags: ApiOptions, proposalName: string): Promise<void> {
  const proposal = await find(api, proposalName);
  if (flags.json) return terminal.out(json(proposal));
  const { style } = terminal;
  const { id, workflow, status, policy, runs, approvedBy, decidedBy, createdAt } = proposal;
  const lines = pairs(
    [
      ['proposal', `${id}  ${style.bold(status)}${decidedBy === null ? '' : ` by ${clean(decidedBy)}`}`],
      ['workflow', `${workflow.name}, version ${versions(proposal)}`],
      ['created', `${relative(createdAt, now())}, from ${runs.map(shortId).join(', ')}`],
      ['verification', verificationText(proposal)],
      ...(approvedBy === null ? [] : [['approved', `by ${clean(approvedBy)}, when verified`] as const]),
      ['policy', policy],
    ],
    style,
  );
  for (const line of [...lines, ...diffLines(proposal, style)]) terminal.out(line);
}

async function publish(api: Api, { terminal }: Cli, flags: PublishFlags, proposalName: string): Promise<void> {
  const { id } = await find(api, proposalName);
  const { skipVerification = false, verify = false } = flags;
  const proposal = await api.publishProposal(id, { skipVerification, ...(verify && { verifyFirst: true }) });
  if (flags.json) return terminal.out(json(proposal));
  const { workflow, version, status, verification } = proposal;
  if (status === 'published') return terminal.out(`${workflow.name}: version ${version} is published`);
  const run = shortId(verification.run ?? '');
  terminal.out(`${workflow.name}: version ${version} will be published when run ${run} succeeds`);
  terminal.out(`Follow it: npx pilothouse logs -f ${run}`);
}

async function reject(api: Api, { terminal }: Cli, flags: ApiOptions, proposalName: string): Promise<void> {
  const { id } = await find(api, proposalName);
  const proposal = await api.rejectProposal(id);
  terminal.out(flags.json ? json(proposal) : `Rejected; version ${proposal.version} stays a draft`);
}

/** New locators of each step, before its old ones. */
function diffLines({ changes, notes }: ProposalView, style: Style): string[] {
  const text = (locator: Locator) => clean(describeLocator(locator));
  return [
    ...changes.flatMap(({ path, title, method, element, previousLocators, locators }) => [
      '',
      `${style.bold(`${path}  ${clean(title)}`)}  ${style.dim(`found by ${method}: ${clean(element)}`)}`,
      ...locators.map((locator) => style.green(`+ ${text(locator)}`)),
      ...previousLocators.map((locator) => style.dim(`  ${text(locator)}`)),
    ]),
    ...(notes.length > 0 ? ['', ...notes.map((note) => `Note: ${clean(note)}`)] : []),
  ];
}

const versions = ({ baseVersion: base, version }: ProposalView) =>
  base === null ? String(version) : `${base} → ${version}`;

function verificationText({ verification: { state, run, reason } }: ProposalView): string {
  const origin = run === null ? '' : `run ${shortId(run)}`;
  switch (state) {
    case 'none':
      return `not verified: ${clean(reason ?? '')}`;
    case 'running':
      return `${origin} verifying`;
    case 'passed':
      return `verified by ${origin}`;
    case 'failed':
      return `${origin} failed: ${clean(reason ?? '')}`;
  }
}

/** @throws CommandError if none or several match */
const find = (api: Api, name: string): Promise<ProposalView> =>
  findById(name, {
    noun: 'proposal',
    hint: 'List proposals: npx pilothouse proposals list',
    read: (id) => api.proposal(id),
    readPage: (page) => api.proposals(page),
    describe: ({ workflow }) => workflow.name,
  });
