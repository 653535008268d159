import { randomUUID } from 'node:crypto';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { ProposalStore } from './proposal.store.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** More than one batch. */
const PROPOSAL_COUNT = 150;

/** Numbers of runs seen in several batches. A batch omits one run in three; thirty batches almost never omit the same one. */
async function countReturned(read: () => Promise<string[]>): Promise<number> {
  const returned = new Set<string>();
  for (let round = 0; round < 30; round += 1) for (const id of await read()) returned.add(id);
  return returned.size;
}

test.each([
  ['proofs that are over', 'running', (store: ProposalStore) => store.finishedVerifications()],
  ['proposals to publish', 'passed', (store: ProposalStore) => store.publishableProposals()],
])('every %s is returned, even if no earlier one ends', async (_, proof, read) => {
  const [project, workflow] = [randomUUID(), randomUUID()];
  await pool.query(`INSERT INTO project (id, slug, name) VALUES ($1, $2, 'Shop')`, [project, `shop-${proof}`]);
  await pool.query(
    `INSERT INTO workflow (id, project_id, name, surface, latest_version) VALUES ($1, $2, 'shop', 'browser', 1)`,
    [workflow, project],
  );
  await pool.query(
    `INSERT INTO proposal (id, project_id, workflow_id, kind, version, status, policy, changes, verification, verification_run_id)
     SELECT gen_random_uuid(), $1, $2, 'heal', version, 'open', 'publish', '[]', $3, gen_random_uuid() FROM generate_series(1, $4::int) version`,
    [project, workflow, proof, PROPOSAL_COUNT],
  );
  const store = new ProposalStore(pool);
  expect(await countReturned(async () => (await read(store)).map(({ proposal }) => proposal))).toBe(PROPOSAL_COUNT);
});
