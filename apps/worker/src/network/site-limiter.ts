import {
  PilothouseError,
  requestsOf,
  type Assignment,
  type SiteLimitWait,
  type Site,
  type Step,
  type ToWorkerOf,
} from '@pilothouse/contract';
import {
  limitAppliesTo,
  effectiveLimits,
  siteOf,
  type Clock,
  type EffectiveLimit,
  raceAbort,
  systemTimers,
} from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { MetricsBuffer } from '../telemetry/metrics-buffer.ts';
import { isTransient } from '../error-policy.ts';
import type { EventBuffer } from '../attempt/event-buffer.ts';

/** Milliseconds that the gateway has for an answer, and after which it is asked again when it had none. */
const ASK_MS = 15_000;
const AGAIN_MS = 1_000;
/** Longest wait for a site: an hour. A run that is to wait less has a `timeout` or a budget. */
export const MAX_WAIT_MS = 3_600_000;
/** A wait of so many milliseconds is told while it lasts. */
const TELL_MS = 2_000;
/** Milliseconds between two looks at whether the run may go on waiting. */
const LOOK_MS = 1_000;

export interface PolitenessParts {
  readonly assignment: Pick<Assignment, 'definition' | 'politeness'>;
  readonly link: Pick<AttemptLink, 'request'>;
  readonly events: Pick<EventBuffer, 'add' | 'flush'>;
  readonly clock: Clock;
  readonly metrics: Pick<MetricsBuffer, 'observe'>;
  /** Aborts when the attempt is to stop. */
  readonly signal: AbortSignal;
  /** Number of the step at work. */
  step(): number | null;
  /** Where another page of the run is meanwhile. */
  readonly besides?: Site | null;
}

/** Asks the gateway before something of a site with a limit is opened, and waits. A run without limits never asks. */
export class SiteLimiter {
  private readonly parts: PolitenessParts;
  private readonly limits: readonly EffectiveLimit[];
  /** The page as the last step left it. */
  private page: { readonly site: Site | null; readonly address: string } = { site: null, address: '' };
  /** A page of a site with a limit opened without having been asked for, by a click: it is asked for before the next step. */
  private owes: Site | null = null;
  /** Where the step was let in. */
  private let: readonly Site[] = [];

  constructor(parts: PolitenessParts) {
    this.parts = parts;
    const { definition, politeness } = parts.assignment;
    this.limits = effectiveLimits({ project: politeness.project, workflow: definition.politeness });
  }

  /** Whether the run has any limit. */
  get isEnabled(): boolean {
    return this.limits.length > 0;
  }

  /** For another page of the run, which is left before this one is gone on with. */
  forBranch(): SiteLimiter {
    return new SiteLimiter({ ...this.parts, besides: this.limited(this.page.site) });
  }

  /** Its page is closed: it has no place any more but that of the other one. */
  releaseAll(): void {
    if (!this.limited(this.page.site) && this.let.length === 0) return;
    void this.ask(null, []).catch(() => undefined);
  }

  /** What a step opens by itself. @param step with its templates replaced */
  urlsOpenedBy(step: Step): URL[] {
    const here = this.page.address || undefined;
    if (step.action === 'reload') return [URL.parse(this.page.address)].filter((url) => url !== null);
    const written = step.action === 'navigate' ? [step] : requestsOf(step);
    return written.map(({ url }) => URL.parse(url, here)).filter((url) => url !== null);
  }

  /**
   * Waits until the step may begin.
   * @param assertIterationAllowed throws when the attempt may not, e.g. because its budget is used up
   * @throws PilothouseError SITE_LIMIT_TIMED_OUT after an hour; what `assertIterationAllowed` throws; the reason of `halt`
   */
  async acquire(step: Step | null, mayGoOn: () => Promise<void>): Promise<void> {
    if (this.limits.length === 0) return;
    if (this.owes) {
      await this.visit(this.owes, [this.owes], mayGoOn);
      this.owes = null;
    }
    if (!step) return;
    const sites = this.urlsOpenedBy(step).flatMap((url) => this.limited(siteOf(url.href)) ?? []);
    // Whoever opens another page leaves the one it has; a request leaves it open.
    const open = requestsOf(step).length > 0 && this.page.site ? [this.page.site] : [];
    for (const [index, to] of sites.entries()) await this.visit(to, [...open, ...sites.slice(0, index)], mayGoOn);
    this.let = sites;
  }

  /** The step is over. @param url where the page is; null when it did not say */
  release(step: Step | null, url: string | null): void {
    if (this.limits.length === 0) return;
    const asked = this.let;
    this.let = [];
    const was = this.page;
    if (url !== null) this.page = { site: siteOf(url), address: url.replace(/#.*$/, '') };
    const { site, address } = this.page;
    const isPaid = step?.action === 'navigate' && asked.some(({ host }) => host === site?.host);
    if (address !== was.address && !isPaid) this.owes = this.limited(site);
    const had = [...asked, ...(this.limited(was.site) ? [was.site] : [])];
    const left = had.some((one) => one !== null && (site?.host !== one.host || site.port !== one.port));
    // Nobody waits for the answer: a place that is not given back now is when the attempt ends.
    if (left) void this.ask(null, site ? [site] : []).catch(() => undefined);
  }

  private limited(site: Site | null): Site | null {
    return site && this.limits.some((limit) => limitAppliesTo(limit, site)) ? site : null;
  }

  private async visit(to: Site, at: readonly Site[], mayGoOn: () => Promise<void>): Promise<void> {
    const { clock, events, metrics, signal, step } = this.parts;
    const began = clock.monotonic();
    let blocked: SiteLimitWait | null = null;
    let told = false;
    for (;;) {
      const answer = await this.answered(to, at, mayGoOn, began + MAX_WAIT_MS);
      if (!answer.blockedBy) break;
      blocked = answer.blockedBy;
      const waited = clock.monotonic() - began;
      if (!told && waited + answer.retryAfterMs >= TELL_MS) {
        told = true;
        events.add('site_limit.waiting', `Waiting: ${inWords(to, blocked)}`, {
          ...blocked,
          host: to.host,
          step: step(),
        });
        await raceAbort(events.flush(), signal);
      }
      await this.wait(answer.retryAfterMs, mayGoOn, began + MAX_WAIT_MS, inWords(to, blocked));
    }
    if (!blocked) return;
    const ms = Math.round(clock.monotonic() - began);
    metrics.observe('worker_site_wait_seconds', { limit: blocked.limit }, ms);
    const message = `Waited ${Math.round(ms / 100) / 10} s: ${inWords(to, blocked)}`;
    events.add('site_limit.passed', message, { ...blocked, host: to.host, step: step(), durationMs: ms });
  }

  /** The answer of the gateway, however often it has to be asked. */
  private async answered(
    to: Site,
    at: readonly Site[],
    mayGoOn: () => Promise<void>,
    until: number,
  ): Promise<ToWorkerOf<'site_limit.permit'>> {
    for (;;) {
      try {
        return await this.ask(to, at);
      } catch (thrown) {
        this.parts.signal.throwIfAborted();
        if (!isTransient(thrown)) throw thrown;
        await this.wait(AGAIN_MS, mayGoOn, until, `the gateway does not say whether ${to.host} may be opened`);
      }
    }
  }

  private async wait(ms: number, mayGoOn: () => Promise<void>, until: number, why: string): Promise<void> {
    const { clock, signal } = this.parts;
    const end = clock.monotonic() + ms;
    for (let left = ms; left > 0; left = end - clock.monotonic()) {
      await mayGoOn();
      if (clock.monotonic() > until)
        throw new PilothouseError('SITE_LIMIT_TIMED_OUT', `It waited ${MAX_WAIT_MS / 60_000} minutes in vain: ${why}`);
      await systemTimers.delay(Math.min(left, LOOK_MS), signal);
    }
  }

  private ask(to: Site | null, at: readonly Site[]): Promise<ToWorkerOf<'site_limit.permit'>> {
    const { link, clock, signal, besides } = this.parts;
    return link.request(
      'site_limit.request',
      { site: to, openSites: [...at, ...(besides ? [besides] : [])].slice(0, 50) },
      { signal, deadline: clock.monotonic() + ASK_MS },
    );
  }
}

/** Why a run waits, in words. */
function inWords({ host }: Site, { scope: by, domain, limit, max, runsAhead }: SiteLimitWait): string {
  const what =
    limit === 'requestsPerMinute' ? `${max} pages a minute` : `${max} ${max === 1 ? 'run' : 'runs'} at a time`;
  const site = domain === host ? domain : `${host} (${domain})`;
  const behind = runsAhead === 0 ? '' : `, behind ${runsAhead} ${runsAhead === 1 ? 'other' : 'others'}`;
  return `the ${by} allows ${what} on ${site}${behind}`;
}
