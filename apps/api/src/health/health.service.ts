import { Inject } from '@nestjs/common';
import type { Readiness } from '@pilothouse/contract/api/system.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { withTimeout } from '@pilothouse/core/time/deadlines';
import { HttpResponse } from '../http/http-response.ts';
import { HEALTH_CHECKS, LOG } from '../common/injection-tokens.ts';

/** Milliseconds for each check. */
const DEADLINE_MS = 2_000;

/** A check of each dependency; it rejects if the dependency does not answer. */
export type HealthChecks = Readonly<Record<keyof Readiness['checks'], () => Promise<void>>>;

interface CheckResult {
  ok: boolean;
  detail: string;
}

/** Runs one check. Never rejects. */
async function runCheck(name: string, check: () => Promise<void>): Promise<CheckResult> {
  const error = () => new Error(`no answer within ${DEADLINE_MS / 1000} s`);
  const startedAtMs = performance.now();
  try {
    await withTimeout(check(), DEADLINE_MS, { error });
    return { ok: true, detail: `${name} answered in ${Math.round(performance.now() - startedAtMs)} ms` };
  } catch (error) {
    // It answered, but it cannot be used.
    if (error instanceof PilothouseError) return { ok: false, detail: `${name} is not usable: ${error.message}` };
    return { ok: false, detail: `${name} is not responding: ${errorMessage(error)}` };
  }
}

/** Returns the message of an error. A refused connection has an empty message and nested errors. */
function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message) return error.message;
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  return inner instanceof Error ? inner.message : error.name;
}

/** Checks whether the API is ready. Redis and object store only degrade it: runs go on without them. */
export class HealthService {
  #status: Readiness['status'] = 'ready';

  constructor(
    @Inject(HEALTH_CHECKS) private readonly checks: HealthChecks,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async readiness(): Promise<HttpResponse<Readiness>> {
    const [database, redis, objects] = await Promise.all([
      runCheck('PostgreSQL', this.checks.database),
      runCheck('Redis', this.checks.redis),
      runCheck('The object store', this.checks.objects),
    ]);
    const status = !database.ok ? 'not ready' : redis.ok && objects.ok ? 'ready' : 'degraded';
    this.#report(status, [database, redis, objects]);
    return new HttpResponse<Readiness>(database.ok ? 200 : 503, { status, checks: { database, redis, objects } });
  }

  /** Logs only changes, because probes repeat every few seconds. */
  #report(status: Readiness['status'], results: readonly CheckResult[]): void {
    if (status === this.#status) return;
    this.#status = status;
    const reasons = results.filter(({ ok }) => !ok).map(({ detail }) => detail);
    if (status === 'ready') this.log.info({}, 'API ready again');
    else this.log.warn({ reasons }, `API ${status}: ${reasons.join('; ')}`);
  }
}
