import { proposalStatusSchema, type Locator, type ProposalStatus, type ProposalView } from '@pilothouse/contract';
import { describeLocator } from '@pilothouse/core';
import { Option } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { shortId, shortIds } from '../api/find-by-id.ts';
import { usage } from '../output/exit-codes.ts';
import type { Style } from '../output/text-style.ts';
import { pairs, table } from '../output/text-table.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';

interface ListFlags extends ApiOptions {
  readonly status?: ProposalStatus;
  readonly workflow?: string;
}

interface AcceptFlags extends ApiOptions {
  readonly unproved?: boolean;
  readonly prove?: boolean;
}

const WHICH = 'id of the proposal, the beginning of it, or "last"';

/** `pilothouse heal`: versions of workflows that the house proposes. */
export const healCommand = (source = oneCli) =>
  newCommand(
    'heal',
    'see and decide what is proposed: repaired locators, and workflows made of runs of agents',
    ['pilothouse heal list', 'pilothouse heal show last', 'pilothouse heal accept last'],
    source,
  )
    .addCommand(
      newApiCommand(
        'list',
        'list proposed versions, the newest first',
        ['pilothouse heal list', 'pilothouse heal list --status accepted --workflow harbour-order'],
        source,
      )
        .addOption(new Option('--status <status>', 'only those').choices(proposalStatusSchema.options))
        .option('--workflow <name>', 'only those of this workflow')
        .action(withApi(source, list)),
    )
    .addCommand(
      newApiCommand('show', 'show what a proposal changes, and its proof', ['pilothouse heal show last'], source)
        .argument('<proposal>', WHICH)
        .action(withApi(source, show)),
    )
    .addCommand(
      newApiCommand(
        'accept',
        'publish the version that is proposed',
        ['pilothouse heal accept last', 'pilothouse heal accept last --prove'],
        source,
      )
        .argument('<proposal>', WHICH)
        .addOption(new Option('--unproved', 'although its proof is not over, or failed').conflicts('prove'))
        .option('--prove', 'once a replay has proved it, which also does what must not happen twice')
        .action(withApi(source, accept)),
    )
    .addCommand(
      newApiCommand('reject', 'reject a proposal; its version stays a draft', ['pilothouse heal reject last'], source)
        .argument('<proposal>', WHICH)
        .action(withApi(source, reject)),
    );

async function list(api: Api, { terminal, now }: Cli, flags: ListFlags): Promise<void> {
  const { status, workflow } = flags;
  const { items } = await api.proposals({ limit: 200, ...(status && { status: [status] }), workflow });
  if (flags.json) return terminal.out(json({ items }));
  if (items.length === 0)
    return terminal.err('Nothing is proposed. A workflow with `heal: on` proposes what healed its steps.');
  const name = shortIds(items.map(({ id }) => id));
  const rows = items.map((one) => [
    name(one.id),
    one.workflow.name,
    versions(one),
    one.status,
    proofInWords(one),
    one.kind === 'heal' ? count(one.changes.length, 'step') : 'compiled',
    relative(one.createdAt, now()),
  ]);
  const heads = ['proposal', 'workflow', 'version', 'status', 'proof', 'changes', 'made'].map((head) => ({
    head,
    gives: head === 'proof',
  }));
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}

async function show(api: Api, { terminal, now }: Cli, flags: ApiOptions, given: string): Promise<void> {
  const proposal = await find(api, given);
  if (flags.json) return terminal.out(json(proposal));
  const { style } = terminal;
  const { id, workflow, status, policy, runs, approvedBy, decidedBy, createdAt } = proposal;
  const lines = pairs(
    [
      ['proposal', `${id}  ${style.bold(status)}${decidedBy === null ? '' : ` by ${clean(decidedBy)}`}`],
      ['workflow', `${workflow.name}, version ${versions(proposal)}`],
      ['made', `${relative(createdAt, now())}, of ${runs.map(shortId).join(', ')}`],
      ['proof', proofInWords(proposal)],
      ...(approvedBy === null ? [] : [['approved', `by ${clean(approvedBy)}, once it is proved`] as const]),
      ['policy', policy],
    ],
    style,
  );
  for (const line of [...lines, ...diffLines(proposal, style)]) terminal.out(line);
}

async function accept(api: Api, { terminal }: Cli, flags: AcceptFlags, given: string): Promise<void> {
  const { id } = await find(api, given);
  const { unproved = false, prove = false } = flags;
  const proposal = await api.acceptProposal(id, { unproved, ...(prove && { prove }) });
  if (flags.json) return terminal.out(json(proposal));
  const { workflow, version, status, proof } = proposal;
  if (status === 'accepted') return terminal.out(`${workflow.name}: version ${version} is published`);
  const run = shortId(proof.run ?? '');
  terminal.out(`${workflow.name}: version ${version} is published once run ${run} has proved it`);
  terminal.out(`Watch it: npx pilothouse logs -f ${run}`);
}

async function reject(api: Api, { terminal }: Cli, flags: ApiOptions, given: string): Promise<void> {
  const { id } = await find(api, given);
  const proposal = await api.rejectProposal(id);
  terminal.out(flags.json ? json(proposal) : `Rejected; version ${proposal.version} stays a draft`);
}

/** What changes: what was there, and what comes before it. */
function diffLines({ changes, notes }: ProposalView, style: Style): string[] {
  const words = (locator: Locator) => clean(describeLocator(locator));
  return [
    ...changes.flatMap(({ at, title, by, element, old, locators }) => [
      '',
      `${style.bold(`${at}  ${clean(title)}`)}  ${style.dim(`found by ${by}: ${clean(element)}`)}`,
      ...locators.map((one) => style.green(`+ ${words(one)}`)),
      ...old.map((one) => style.dim(`  ${words(one)}`)),
    ]),
    ...(notes.length > 0 ? ['', ...notes.map((note) => `Note: ${clean(note)}`)] : []),
  ];
}

const versions = ({ base, version }: ProposalView) => (base === null ? String(version) : `${base} → ${version}`);

function proofInWords({ proof: { state, run, why } }: ProposalView): string {
  const by = run === null ? '' : `run ${shortId(run)}`;
  switch (state) {
    case 'none':
      return `not tried: ${clean(why ?? '')}`;
    case 'running':
      return `${by} is at work`;
    case 'proved':
      return `${by}, no model`;
    case 'failed':
      return `${by} failed: ${clean(why ?? '')}`;
  }
}

/** @throws CommandError when there is none, or more than one */
async function find(api: Api, given: string): Promise<ProposalView> {
  const asked = given.trim().toLowerCase();
  const { items } = await api.proposals({ limit: 200 });
  const found = asked === 'last' ? items.slice(0, 1) : items.filter(({ id }) => asked !== '' && id.startsWith(asked));
  const [first, second] = found;
  if (!first) throw usage(`There is no proposal ${clean(given)}.`, ['npx pilothouse heal list shows what there is']);
  if (second) throw usage(`${found.length} proposals begin with ${clean(given)}; give more of the id.`);
  return first;
}
