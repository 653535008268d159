import { randomUUID } from 'node:crypto';
import type { ShadowResult } from '@pilothouse/contract/learning/registry.schema';
import { RegistryShadowStore } from '@pilothouse/infra-db';
import type { Stack } from '../harness/stack.ts';
import { withPool } from './trace-seed.fixture.ts';

/** Stores a dataset that is ready, without the files of its examples. @returns its id */
export const seedDataset = (stack: Stack, name: string): Promise<string> =>
  withPool(stack, async (pool) => {
    const id = randomUUID();
    await pool.query(
      `INSERT INTO dataset (id, project_id, name, version, status, query, shares, seed, license, consent, card)
       SELECT $1, p.id, $2, 1, 'ready', '{"qualities":["good"]}', '{"train":80,"validation":10,"test":10}', 1, '', '', $3
       FROM project p WHERE p.slug = 'default'`,
      [id, name, JSON.stringify({ splits: { train: 8, test: 2 }, files: [] })],
    );
    return id;
  });

/** Records shadow calls of a registered model. @param model id of the entry */
export const seedShadowCalls = (stack: Stack, model: string, results: readonly ShadowResult[]): Promise<void> =>
  withPool(stack, async (pool) => {
    const store = new RegistryShadowStore(pool);
    const call = {
      ...{ model, run: randomUUID(), step: 1, role: 'act' as const, baseModel: 'forge/base', problem: null },
      ...{ hasSameKind: null, hasSameTarget: null, hasSameText: null },
      ...{ inputTokens: 1_000, outputTokens: 10, usd: 0.25, durationMs: 1_200 },
    };
    for (const result of results) await store.add({ ...call, result });
  });
