import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { SiteLimitWait, Site } from '@pilothouse/contract/project/politeness.schema';
import type { ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import { requestsOf, type Step } from '@pilothouse/contract/workflow/step.schema';
import { limitAppliesTo, effectiveLimits, siteOf, type EffectiveLimit } from '@pilothouse/core/politeness/site-limits';
import { retry } from '@pilothouse/core/time/backoff';
import { raceAbort } from '@pilothouse/core/time/deadlines';
import { isTransient } from '../error-policy.ts';
import type { AttemptBase } from '../attempt/attempt-base.ts';

/** Milliseconds for the answer of the gateway, and between two requests while it is unavailable. */
const REQUEST_TIMEOUT_MS = 15_000;
const RETRY_MS = 1_000;
/** Maximum wait for a site limit. A run sets a `timeout` or a budget for a shorter wait. */
export const MAX_WAIT_MS = 3_600_000;
/** Minimum wait that is reported while it lasts. */
const REPORT_AFTER_MS = 2_000;
/** Milliseconds between two checks of cancellation and budget during a wait. */
const CHECK_MS = 1_000;

type AssertCanContinue = () => Promise<void>;

/** Acquires the site limits of a step from the gateway before the step opens a page. A run without limits sends no request. */
export class SiteLimiter {
  private readonly base: Pick<
    AttemptBase,
    'assignment' | 'link' | 'events' | 'clock' | 'timers' | 'metrics' | 'cancellation' | 'stepNumber'
  >;
  /** Site of another page of the run that stays open. */
  private readonly otherPageSite: Site | null;
  private readonly limits: readonly EffectiveLimit[];
  /** The page after the last step. */
  private page: { readonly site: Site | null; readonly address: string } = { site: null, address: '' };
  /** A limited site that a click opened. It is acquired before the next step. */
  private unacquiredSite: Site | null = null;
  private acquiredSites: readonly Site[] = [];

  constructor(base: SiteLimiter['base'], otherPageSite: Site | null = null) {
    this.base = base;
    this.otherPageSite = otherPageSite;
    const { definition, politeness } = base.assignment;
    this.limits = effectiveLimits({ project: politeness.project, workflow: definition.politeness });
  }

  /** True when the run has a site limit. */
  get isEnabled(): boolean {
    return this.limits.length > 0;
  }

  /** A limiter for the page of a branch, which is closed before this page continues. */
  forBranch(): SiteLimiter {
    return new SiteLimiter(this.base, this.limitedSite(this.page.site));
  }

  /** Releases all sites but those of the other page: this page is closed. */
  releaseAll(): void {
    if (!this.limitedSite(this.page.site) && this.acquiredSites.length === 0) return;
    void this.request(null, []).catch(() => undefined);
  }

  /** URLs that a step opens itself. @param step rendered */
  urlsOpenedBy(step: Step): URL[] {
    const base = this.page.address || undefined;
    if (step.action === 'reload') return [URL.parse(this.page.address)].filter((url) => url !== null);
    const requests = step.action === 'navigate' ? [step] : requestsOf(step);
    return requests.map(({ url }) => URL.parse(url, base)).filter((url) => url !== null);
  }

  /**
   * Waits until the step may start.
   * @param assertCanContinue throws when the attempt may not continue, e.g. because its budget is used up
   * @throws PilothouseError SITE_LIMIT_TIMED_OUT after an hour; what `assertCanContinue` throws; the reason of the cancellation
   */
  async acquire(step: Step | null, assertCanContinue: AssertCanContinue): Promise<void> {
    if (this.limits.length === 0) return;
    if (this.unacquiredSite) {
      await this.acquireSite(this.unacquiredSite, [this.unacquiredSite], assertCanContinue);
      this.unacquiredSite = null;
    }
    if (!step) return;
    const sites = this.urlsOpenedBy(step).flatMap((url) => this.limitedSite(siteOf(url.href)) ?? []);
    // A navigation leaves the current page; a request keeps it open.
    const open = requestsOf(step).length > 0 && this.page.site ? [this.page.site] : [];
    for (const [index, site] of sites.entries())
      await this.acquireSite(site, [...open, ...sites.slice(0, index)], assertCanContinue);
    this.acquiredSites = sites;
  }

  /** Called after a step. @param url address of the page; null: unknown */
  release(step: Step | null, url: string | null): void {
    if (this.limits.length === 0) return;
    const acquired = this.acquiredSites;
    this.acquiredSites = [];
    const previousPage = this.page;
    if (url !== null) this.page = { site: siteOf(url), address: url.replace(/#.*$/, '') };
    const { site, address } = this.page;
    const isAcquired = step?.action === 'navigate' && acquired.some(({ host }) => host === site?.host);
    if (address !== previousPage.address && !isAcquired) this.unacquiredSite = this.limitedSite(site);
    const previous = [...acquired, ...(this.limitedSite(previousPage.site) ? [previousPage.site] : [])];
    const isSiteLeft = previous.some(
      (previousSite) => previousSite !== null && (site?.host !== previousSite.host || site.port !== previousSite.port),
    );
    // The response is not awaited: a site that is not released now is released when the attempt ends.
    if (isSiteLeft) void this.request(null, site ? [site] : []).catch(() => undefined);
  }

  private limitedSite(site: Site | null): Site | null {
    return site && this.limits.some((limit) => limitAppliesTo(limit, site)) ? site : null;
  }

  private async acquireSite(site: Site, open: readonly Site[], assertCanContinue: AssertCanContinue): Promise<void> {
    const { clock, events, metrics, cancellation, stepNumber: step } = this.base;
    const startedAt = clock.monotonic();
    const deadline = startedAt + MAX_WAIT_MS;
    let blocked: SiteLimitWait | null = null;
    let isReported = false;
    for (;;) {
      const permit = await this.requestWithRetry(site, open, assertCanContinue, deadline);
      if (!permit.blockedBy) break;
      blocked = permit.blockedBy;
      const waitedMs = clock.monotonic() - startedAt;
      if (!isReported && waitedMs + permit.retryAfterMs >= REPORT_AFTER_MS) {
        isReported = true;
        const data = { ...blocked, host: site.host, step };
        events.add('site_limit.waiting', `Waiting: ${describeWait(site, blocked)}`, data);
        await raceAbort(events.flush(), cancellation.signal);
      }
      await this.wait(permit.retryAfterMs, assertCanContinue, deadline, describeWait(site, blocked));
    }
    if (!blocked) return;
    const durationMs = Math.round(clock.monotonic() - startedAt);
    metrics.observe('worker_site_wait_seconds', { limit: blocked.limit }, durationMs);
    const message = `Waited ${Math.round(durationMs / 100) / 10} s: ${describeWait(site, blocked)}`;
    events.add('site_limit.passed', message, { ...blocked, host: site.host, step, durationMs });
  }

  /** Retries while the gateway is unavailable. */
  private async requestWithRetry(
    site: Site,
    open: readonly Site[],
    assertCanContinue: AssertCanContinue,
    deadline: number,
  ): Promise<ToWorkerOf<'site_limit.permit'>> {
    const { clock, timers, cancellation } = this.base;
    const { signal } = cancellation;
    const request = async ({ failures }: { failures: number }) => {
      if (failures > 0) await assertCanContinue();
      return this.request(site, open);
    };
    return retry(request, {
      backoff: { firstMs: RETRY_MS, maxMs: RETRY_MS },
      signal,
      timers,
      isRetryable: (thrown) => {
        signal.throwIfAborted();
        if (!isTransient(thrown)) return false;
        if (clock.monotonic() > deadline) throw waitTimedOut(`the gateway gave no decision about ${site.host}`);
        return true;
      },
    });
  }

  private async wait(
    ms: number,
    assertCanContinue: AssertCanContinue,
    deadline: number,
    reason: string,
  ): Promise<void> {
    const { clock, timers, cancellation } = this.base;
    const end = clock.monotonic() + ms;
    for (let remaining = ms; remaining > 0; remaining = end - clock.monotonic()) {
      await assertCanContinue();
      if (clock.monotonic() > deadline) throw waitTimedOut(reason);
      await timers.delay(Math.min(remaining, CHECK_MS), cancellation.signal);
    }
  }

  private request(site: Site | null, open: readonly Site[]): Promise<ToWorkerOf<'site_limit.permit'>> {
    const { otherPageSite } = this;
    const { link, clock, cancellation } = this.base;
    const openSites = [...open, ...(otherPageSite ? [otherPageSite] : [])].slice(0, 50);
    return link.request(
      'site_limit.request',
      { site, openSites },
      { signal: cancellation.signal, deadline: clock.monotonic() + REQUEST_TIMEOUT_MS },
    );
  }
}

const waitTimedOut = (reason: string) =>
  new PilothouseError(
    'SITE_LIMIT_TIMED_OUT',
    `Waited ${MAX_WAIT_MS / 60_000} min for a site limit: ${reason}. Raise the limit or run fewer at once.`,
  );

/** Formats the limit that a run waits for as part of a sentence. */
function describeWait({ host }: Site, { scope, domain, limit, max, runsAhead }: SiteLimitWait): string {
  const rate =
    limit === 'requestsPerMinute' ? `${max} pages a minute` : `${max} ${max === 1 ? 'run' : 'runs'} at a time`;
  const site = domain === host ? domain : `${host} (${domain})`;
  const queue = runsAhead === 0 ? '' : `, behind ${runsAhead} ${runsAhead === 1 ? 'other' : 'others'}`;
  return `the ${scope} allows ${rate} on ${site}${queue}`;
}
