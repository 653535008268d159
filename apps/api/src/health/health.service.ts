import { Inject } from '@nestjs/common';
import { PilothouseError, type Readiness } from '@pilothouse/contract';
import { type Log, withTimeout } from '@pilothouse/core';
import { HttpResponse } from '../http/http-response.ts';
import { HEALTH_CHECKS, LOG } from '../common/injection-tokens.ts';

/** Milliseconds a part may take to answer. */
const DEADLINE_MS = 2_000;

/** For each part the API stands on, something that throws when it does not answer. */
export type HealthChecks = Readonly<Record<keyof Readiness['checks'], () => Promise<void>>>;

interface Part {
  ok: boolean;
  detail: string;
}

/** Looks at one part; never throws. */
async function look(name: string, check: () => Promise<void>): Promise<Part> {
  const error = () => new Error(`no answer within ${DEADLINE_MS / 1000} s`);
  const started = performance.now();
  try {
    await withTimeout(check(), DEADLINE_MS, { error });
    return { ok: true, detail: `${name} answered in ${Math.round(performance.now() - started)} ms` };
  } catch (error) {
    // It answered, and something is missing there.
    if (error instanceof PilothouseError) return { ok: false, detail: `${name} cannot be used: ${error.message}` };
    return { ok: false, detail: `${name} does not answer: ${sentenceOf(error)}` };
  }
}

/** What went wrong; a refused connection has an empty message and its reasons inside. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message) return error.message;
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  return inner instanceof Error ? inner.message : error.name;
}

/** Whether the API can do its work. */
export class HealthService {
  #isReady = true;

  constructor(
    @Inject(HEALTH_CHECKS) private readonly checks: HealthChecks,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async readiness(): Promise<HttpResponse<Readiness>> {
    const [database, redis, objects] = await Promise.all([
      look('PostgreSQL', this.checks.database),
      look('Redis', this.checks.redis),
      look('The object store', this.checks.objects),
    ]);
    const ready = database.ok && redis.ok && objects.ok;
    this.#report(ready, [database, redis, objects]);
    return new HttpResponse<Readiness>(ready ? 200 : 503, {
      status: ready ? 'ready' : 'not ready',
      checks: { database, redis, objects },
    });
  }

  /** Logs a change, once: probes ask every few seconds. */
  #report(ready: boolean, parts: readonly Part[]): void {
    if (ready === this.#isReady) return;
    this.#isReady = ready;
    const failed = parts.filter(({ ok }) => !ok).map(({ detail }) => detail);
    if (ready) this.log.info({}, 'The API is ready again');
    else this.log.warn({ reasons: failed }, `The API is not ready: ${failed.join('; ')}`);
  }
}
