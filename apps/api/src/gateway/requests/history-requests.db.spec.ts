import { createHash, randomUUID } from 'node:crypto';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';

/*
 * Tests requests for agent history over real sockets.
 */
describe('memory of agents', () => {
  const harness = useGatewayHarness();
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const [step, key] = [digest('step'), digest('page')];

  it('is not changed by an attempt that is over', async () => {
    const { pool, project } = harness;
    const w = harness.worker();
    await w.connect();
    const run = await harness.submit();
    const attempt = await w.acceptAssignment(run);
    // The write is asynchronous; an attempt that has ended by then would drop it.
    await harness.whenAccepted(run);
    const workflow = randomUUID();
    await pool.query(
      `INSERT INTO workflow (id, project_id, name, surface, latest_version) VALUES ($1, $2, 'remembers', 'browser', 1)`,
      [workflow, project],
    );
    await pool.query('UPDATE run SET workflow_id = $2 WHERE id = $1', [run, workflow]);
    await pool.query(
      `INSERT INTO action_cache (workflow_id, step_digest, page_digest, actions, call_cost, run_id) VALUES ($1, $2, $3, '{}', '{}', $4)`,
      [workflow, step, key, run],
    );
    const forget = async (id: number) => {
      w.send({ type: 'action_cache.put', id, ...attempt, step, entries: [], evict: [key] });
      await w.waitFor('action_cache.stored', (message) => message.id === id);
      const { rowCount } = await pool.query('SELECT FROM action_cache WHERE workflow_id = $1', [workflow]);
      return rowCount === 0;
    };
    // Another attempt has replaced it, and its worker does not know it yet.
    await pool.query('UPDATE run SET epoch = epoch + 1 WHERE id = $1', [run]);
    expect(await forget(1)).toBe(false);
    await pool.query('UPDATE run SET epoch = epoch - 1 WHERE id = $1', [run]);
    expect(await forget(2)).toBe(true);
  });
});
