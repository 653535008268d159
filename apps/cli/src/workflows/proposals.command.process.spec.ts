import type { ProposalView } from '@pilothouse/contract/api/proposals.routes';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli } from '../testing/cli.fixture.ts';
import { id } from '../testing/views.fixture.ts';
import { proposalsCommand } from './proposals.command.ts';

const api = new ApiFixture();
beforeAll(() => api.start());
beforeEach(() => {
  api.requests.splice(0);
  api.handlers.listProposals = () => ({
    items: [proposal, { ...proposal, id: id(8), status: 'rejected' }],
    nextCursor: null,
  });
  api.handlers.readProposal = () => proposal;
});
afterAll(() => api.stop());

const proposal: ProposalView = {
  id: id(7),
  kind: 'heal',
  workflow: { id: id(3), name: 'harbour-order' },
  baseVersion: 1,
  version: 2,
  status: 'open',
  policy: 'propose',
  changes: [
    {
      path: '2',
      title: 'Log in',
      method: 'text-model',
      element: 'button "Sign in"',
      previousLocators: [{ role: 'button', name: 'Log in' }],
      locators: [{ role: 'button', name: 'Sign in' }, { testId: 'enter' }],
    },
  ],
  notes: ['Something is not repaired'],
  runs: [id(1)],
  verification: { state: 'passed', run: id(2), reason: null },
  approvedBy: null,
  createdAt: '2026-05-04T12:00:00.000Z',
  decidedAt: null,
  decidedBy: null,
};

const run = (...args: string[]) =>
  runCli(proposalsCommand, args, { url: api.url, now: new Date('2026-05-04T12:04:00.000Z') });

test('lists proposals', async () => {
  const { code, out } = await run('list', '--status', 'open', '--workflow', 'harbour-order');
  expect(code).toBe(0);
  expect(out).toMatch(/harbour-order\s+1 → 2\s+open\s+verified by run 0197f3c2-1a2b\s+1 step\s+4 min ago/);
  expect(api.of('listProposals')).toMatchObject([{ query: { status: ['open'], workflow: 'harbour-order' } }]);
});

test('lists the proposals of several pages up to the limit, and says when there are more', async () => {
  api.handlers.listProposals = ({ query: { limit } }) => ({
    items: Array.from({ length: Number(limit) }, () => proposal),
    nextCursor: 'next',
  });
  const { out, err } = await run('list', '--limit', '201');
  expect(out.trimEnd().split('\n')).toHaveLength(202);
  expect(err).toBe('More proposals exist. To list more, use --limit 2010.\n');
});

test('finds a proposal of the second page by a prefix of its id', async () => {
  api.handlers.listProposals = ({ query: { cursor } }) =>
    cursor === undefined
      ? { items: [{ ...proposal, id: 'ab12c3c2-2222-4c3d-8e4f-5a6b7c8d9e0f' }], nextCursor: 'next' }
      : { items: [proposal], nextCursor: null };
  expect((await run('show', '0197f3c2')).out).toContain(id(7));
});

test('shows the diff and the verification', async () => {
  const { out } = await run('show', id(7));
  expect(out).toContain('2  Log in  found by text-model: button "Sign in"');
  expect(out).toContain('+ role=button[name="Sign in"]\n+ testId="enter"\n  role=button[name="Log in"]');
  expect(out).toContain('Note: Something is not repaired');
});

test('publishes a version after its verification run', async () => {
  const verification = { state: 'running' as const, run: id(2), reason: null };
  api.handlers.publishProposal = () => ({ ...proposal, verification, approvedBy: 'Ada' });
  expect((await run('publish', id(7), '--verify')).out).toContain(
    'version 2 will be published when run 0197f3c2-1a2b succeeds',
  );
  expect(api.of('publishProposal')).toMatchObject([{ body: { skipVerification: false, verifyFirst: true } }]);
  expect(await run('publish', id(7), '--verify', '--skip-verification')).toMatchObject({ code: 2 });
  api.handlers.listProposals = () => ({ items: [{ ...proposal, verification, approvedBy: 'Ada' }], nextCursor: null });
  expect((await run('show', 'last')).out).toMatch(/approved\s+by Ada, when verified/);
});

test('publishes and rejects; an ambiguous or unknown id is invalid usage', async () => {
  api.handlers.publishProposal = () => ({ ...proposal, status: 'published' });
  api.handlers.rejectProposal = () => ({ ...proposal, status: 'rejected' });
  expect((await run('publish', 'last', '--skip-verification')).out).toContain('harbour-order: version 2 is published');
  expect((await run('reject', 'last')).out).toContain('version 2 stays a draft');
  expect(api.of('publishProposal')).toMatchObject([{ params: { proposal: id(7) }, body: { skipVerification: true } }]);
  expect(await run('publish', '0197f3c2')).toMatchObject({
    code: 2,
    err: expect.stringContaining('2 proposals match'),
  });
  expect(await run('reject', 'ffff')).toMatchObject({
    code: 2,
    err: expect.stringContaining('No proposal with id ffff….'),
  });
  expect(api.of('rejectProposal')).toHaveLength(1);
});
