import { setTimeout as pause } from 'node:timers/promises';
import { runViewSchema, type RunView } from '@pilothouse/contract';
import { until } from '../harness/poll-until.ts';
import type { ClusterInstallation } from './cluster-installation.ts';
import { orderRun } from './order-workflow.ts';

const LONGEST_MS = 180_000;

/**
 * Submits orders with limited concurrency until it is stopped. Answers questions about interrupted orders from the
 * ledger of the site.
 */
export class Load {
  /** Accepted runs, oldest first. */
  readonly ids: string[] = [];
  /** Answered questions. */
  answers = 0;
  readonly #installation: ClusterInstallation;
  readonly #ended = new Set<string>();
  readonly #added: string[] = [];
  readonly #stop = new AbortController();
  readonly #work: Promise<unknown>;
  #broken: unknown;

  /** @param atOnce maximum number of unfinished runs */
  constructor(installation: ClusterInstallation, atOnce: number) {
    this.#installation = installation;
    const lanes = Promise.all(Array.from({ length: atOnce }, () => this.#lane())).then(() => this.#late());
    const over = new AbortController();
    const answering = this.#answer(over.signal);
    this.#work = lanes.finally(() => over.abort()).then(() => answering);
    this.#work.catch((error: unknown) => (this.#broken = error));
  }

  /** Unfinished runs. */
  async running(): Promise<RunView[]> {
    return await this.#list('running');
  }

  /** Waits until a run that is submitted from now on has ended. @throws where the load broke down, or nothing ends in two minutes */
  async goesOn(after: string): Promise<void> {
    const known = new Set(this.ids);
    await until(
      `a run that was submitted after ${after} ends`,
      () => {
        if (this.#broken) throw this.#broken;
        return this.ids.some((id) => !known.has(id) && this.#ended.has(id));
      },
      120_000,
      200,
    );
  }

  /** Submits another run, which reads slow pages. */
  async add(pages: readonly number[]): Promise<RunView> {
    const run = await this.#installation.client.submit(orderRun(this.#installation.site, pages));
    this.ids.push(run.id);
    this.#added.push(run.id);
    return run;
  }

  /** Stops submitting, and waits for unfinished runs. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  async #lane(): Promise<void> {
    const { client, site } = this.#installation;
    while (!this.#stop.signal.aborted && !this.#broken) {
      const { id } = await client.submit(orderRun(site, [1_500, 1_500]));
      this.ids.push(id);
      await client.waitForEnd(id, LONGEST_MS);
      this.#ended.add(id);
    }
  }

  async #late(): Promise<void> {
    for (const id of this.#added) await this.#installation.client.waitForEnd(id, LONGEST_MS);
  }

  async #answer(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      for (const { id } of await this.#list('awaiting_user')) {
        const done = (await this.#installation.ledger()).some(({ detail }) => detail['reference'] === id);
        const body = { choice: done ? 'continue' : 'retry' };
        const answer = await this.#installation.client.request(`/v1/runs/${id}/answer`, { method: 'POST', body });
        if (answer.ok) this.answers += 1;
      }
      await pause(500, undefined, { signal: over }).catch(() => undefined);
    }
  }

  async #list(status: string): Promise<RunView[]> {
    const { items } = (await this.#installation.client.json(`/v1/runs?status=${status}&limit=100`)) as {
      items: unknown[];
    };
    return items.map((item) => runViewSchema.parse(item));
  }
}
