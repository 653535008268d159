import { PilothouseError, type FromWorkerOf, type Site, type ToWorkerOf } from '@pilothouse/contract';
import { limitAppliesTo, effectiveLimits, type EffectiveLimit } from '@pilothouse/core';
import {
  GroupCommit,
  readPolitenessRules,
  requestSiteVisit,
  type ScopedSiteLimit,
  type Pool,
} from '@pilothouse/infra-db';
import { requireHeldAttempt } from './transfer-requests.ts';
import type { WorkerSocket } from '../socket/worker-socket.ts';

type Asked = FromWorkerOf<'site_limit.request'>;
type Answer = Pick<ToWorkerOf<'site_limit.permit'>, 'retryAfterMs' | 'blockedBy'>;
type Limit = EffectiveLimit & ScopedSiteLimit;

const GO: Answer = { retryAfterMs: 0, blockedBy: null };

/** Answers workers that ask whether a run may open something of a site: the limits hold over all workers and replicas. */
export class SiteRequests {
  private readonly pool: Pool;
  private readonly asking: GroupCommit<Asked, Answer>;

  constructor(pool: Pool) {
    this.pool = pool;
    // Who asks waits for others that ask for the same site. Two at a time, so that all others keep their connections.
    this.asking = new GroupCommit({
      flush: async ([asked]) => (asked ? [await this.answer(asked)] : []),
      keyOf: ({ run }) => run,
      maxBatch: 1,
      concurrency: 2,
    });
  }

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async acquire(socket: WorkerSocket, asked: Asked): Promise<ToWorkerOf<'site_limit.permit'>> {
    requireHeldAttempt(socket, asked);
    return { type: 'site_limit.permit', id: asked.id, ...(await this.asking.write(asked)) };
  }

  private async answer({ run, epoch, site, openSites }: Asked): Promise<Answer> {
    // Whoever takes the run over has the places of its sites.
    const said = await readPolitenessRules(this.pool, { run, epoch });
    if (!said) throw new PilothouseError('LEASE_LOST', 'Another attempt holds the run, or it has ended');
    const { project, workflow, byProject, byWorkflow } = said;
    const all = effectiveLimits({ project: byProject, workflow: byWorkflow }).map((limit): Limit => ({
      ...limit,
      scope: limit.by === 'project' ? '' : workflow,
    }));
    const of = (sites: readonly Site[]) => all.filter((limit) => sites.some((one) => limitAppliesTo(limit, one)));
    const visited = await requestSiteVisit(this.pool, {
      run,
      epoch,
      project,
      to: of(site ? [site] : []),
      at: of(openSites),
    });
    if (visited.go) return GO;
    const { limit, waitMs, ahead } = visited;
    const { by, domain, requestsPerMinute, maxConcurrentRuns: concurrent } = visited.by;
    const max = (limit === 'requestsPerMinute' ? requestsPerMinute : concurrent) ?? 0;
    return { retryAfterMs: waitMs, blockedBy: { scope: by, domain, limit, max, runsAhead: ahead } };
  }
}
