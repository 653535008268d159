import { setTimeout as pause } from 'node:timers/promises';
import { runViewSchema, type RunView } from '@pilothouse/contract/run/run.schema';
import { until } from '../harness/poll-until.ts';
import type { ClusterInstallation } from './cluster-installation.ts';
import { orderRun } from './order-workflow.ts';

const MAX_RUN_MS = 180_000;

/**
 * Submits orders with limited concurrency until it is stopped. Answers questions about interrupted orders from the
 * ledger of the site.
 */
export class OrderLoad {
  /** Accepted runs, oldest first. */
  readonly ids: string[] = [];
  /** Answered questions. */
  answers = 0;
  readonly #installation: ClusterInstallation;
  readonly #endedIds = new Set<string>();
  readonly #addedIds: string[] = [];
  readonly #stop = new AbortController();
  readonly #work: Promise<unknown>;
  #error: unknown;

  /** @param atOnce maximum number of unfinished runs */
  constructor(installation: ClusterInstallation, atOnce: number) {
    this.#installation = installation;
    const submitters = Promise.all(Array.from({ length: atOnce }, () => this.#submitInSequence())).then(() =>
      this.#waitForAdded(),
    );
    const answeringStop = new AbortController();
    const answering = this.#answer(answeringStop.signal);
    this.#work = submitters.finally(() => answeringStop.abort()).then(() => answering);
    this.#work.catch((error: unknown) => (this.#error = error));
  }

  /** Unfinished runs. */
  async running(): Promise<RunView[]> {
    return await this.#list('running');
  }

  /** Waits until a newly submitted run has ended. @throws when the load failed, or after two minutes */
  async waitForProgress(description: string): Promise<void> {
    const knownIds = new Set(this.ids);
    await until(
      `a run that was submitted after ${description} ends`,
      () => {
        if (this.#error) throw this.#error;
        return this.ids.some((id) => !knownIds.has(id) && this.#endedIds.has(id));
      },
      120_000,
      200,
    );
  }

  /** Submits another run, which reads slow pages. */
  async add(pages: readonly number[]): Promise<RunView> {
    const run = await this.#installation.client.submit(orderRun(this.#installation.site, pages));
    this.ids.push(run.id);
    this.#addedIds.push(run.id);
    return run;
  }

  /** Stops submitting, and waits for unfinished runs. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  async #submitInSequence(): Promise<void> {
    const { client, site } = this.#installation;
    while (!this.#stop.signal.aborted && !this.#error) {
      const { id } = await client.submit(orderRun(site, [1_500, 1_500]));
      this.ids.push(id);
      await client.waitForEnd(id, MAX_RUN_MS);
      this.#endedIds.add(id);
    }
  }

  async #waitForAdded(): Promise<void> {
    for (const id of this.#addedIds) await this.#installation.client.waitForEnd(id, MAX_RUN_MS);
  }

  async #answer(answeringStop: AbortSignal): Promise<void> {
    while (!answeringStop.aborted) {
      for (const { id } of await this.#list('awaiting_user')) {
        const isOrdered = (await this.#installation.ledger()).some(({ detail }) => detail['reference'] === id);
        const body = { choice: isOrdered ? 'continue' : 'retry' };
        const answer = await this.#installation.client.request(`/v1/runs/${id}/answer`, { method: 'POST', body });
        if (answer.ok) this.answers += 1;
      }
      await pause(500, undefined, { signal: answeringStop }).catch(() => undefined);
    }
  }

  async #list(status: string): Promise<RunView[]> {
    const { items } = (await this.#installation.client.json(`/v1/runs?status=${status}&limit=100`)) as {
      items: unknown[];
    };
    return items.map((item) => runViewSchema.parse(item));
  }
}
