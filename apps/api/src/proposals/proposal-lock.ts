import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { runAsLeader, type Pool } from '@pilothouse/infra-db';

/**
 * Changes proposals in one replica at a time: runs with the same repair share a proposal, and a verdict must not meet its replacement.
 * @throws PilothouseError UNAVAILABLE while another replica changes proposals
 */
export async function withProposalLock(pool: Pool, work: () => Promise<void>): Promise<void> {
  const isDone = await runAsLeader(pool, 'proposals', async () => {
    await work();
    return true;
  });
  if (isDone === null) throw new PilothouseError('UNAVAILABLE', 'Another replica changes proposals. Try again.');
}
