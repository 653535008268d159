import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Site } from '@pilothouse/contract/project/politeness.schema';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import { effectiveLimits, limitAppliesTo, type EffectiveLimit } from '@pilothouse/core/politeness/site-limits';
import {
  GroupCommit,
  readPolitenessRules,
  requestSiteVisit,
  type Pool,
  type ScopedSiteLimit,
} from '@pilothouse/infra-db';
import type { WorkerSession } from '../socket/worker-session.ts';

type SiteRequest = FromWorkerOf<'site_limit.request'>;
type SitePermit = Pick<ToWorkerOf<'site_limit.permit'>, 'retryAfterMs' | 'blockedBy'>;
type ScopedLimit = EffectiveLimit & ScopedSiteLimit;

/** Requests that are decided at a time; the other connections of the pool stay free. */
const MAX_PARALLEL_DECISIONS = 2;

const PERMITTED: SitePermit = { retryAfterMs: 0, blockedBy: null };

/** Decides whether a run may open a site. The limits apply across all workers and replicas. */
export class SiteRequests {
  private readonly pool: Pool;
  private readonly decisions: GroupCommit<SiteRequest, SitePermit>;

  constructor(pool: Pool) {
    this.pool = pool;
    this.decisions = new GroupCommit({
      flush: async ([request]) => (request ? [await this.decide(request)] : []),
      keyOf: ({ run }) => run,
      maxBatch: 1,
      concurrency: MAX_PARALLEL_DECISIONS,
    });
  }

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async acquire({ attempts }: WorkerSession, request: SiteRequest): Promise<ToWorkerOf<'site_limit.permit'>> {
    attempts.require(request);
    return { type: 'site_limit.permit', id: request.id, ...(await this.decisions.write(request)) };
  }

  private async decide({ run, epoch, site, openSites }: SiteRequest): Promise<SitePermit> {
    // The next attempt takes over the site visits of the run.
    const rules = await readPolitenessRules(this.pool, { run, epoch });
    if (!rules) throw new PilothouseError('LEASE_LOST', 'Another attempt holds the run, or it has ended');
    const { project, workflow, byProject, byWorkflow } = rules;
    const limits = effectiveLimits({ project: byProject, workflow: byWorkflow }).map((limit): ScopedLimit => ({
      ...limit,
      scope: limit.owner === 'project' ? '' : workflow,
    }));
    const limitsOf = (sites: readonly Site[]) =>
      limits.filter((limit) => sites.some((site) => limitAppliesTo(limit, site)));
    const visit = await requestSiteVisit(this.pool, {
      run,
      epoch,
      project,
      siteLimits: limitsOf(site ? [site] : []),
      openSiteLimits: limitsOf(openSites),
    });
    if (visit.go) return PERMITTED;
    const { limit, waitMs, ahead: runsAhead } = visit;
    const { owner, domain, requestsPerMinute, maxConcurrentRuns } = visit.blockingLimit;
    const max = (limit === 'requestsPerMinute' ? requestsPerMinute : maxConcurrentRuns) ?? 0;
    return { retryAfterMs: waitMs, blockedBy: { scope: owner, domain, limit, max, runsAhead } };
  }
}
