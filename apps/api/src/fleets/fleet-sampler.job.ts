import { Inject, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Log } from '@pilothouse/core';
import { FleetHistoryStore, SAMPLE_SECONDS } from '@pilothouse/infra-db';
import { closeWithin, JOB_STOP_MS } from '../common/shutdown.ts';
import { LOG } from '../common/injection-tokens.ts';

/** Looks after which what is too old is removed. */
const LOOKS_A_PURGE = 240;

/** Writes down every few seconds how fleets stand. All replicas look, and one of them writes. */
export class FleetSamplerJob implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private looks = 0;
  private isStopping = false;

  constructor(
    @Inject(FleetHistoryStore) private readonly history: Pick<FleetHistoryStore, 'sample' | 'purge'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.next(0);
  }

  /** Resolves once the look at hand is over, or takes too long. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.timer);
    await closeWithin('the samples of fleets', this.looking, JOB_STOP_MS, this.log);
  }

  private next(inMs: number): void {
    if (this.isStopping) return;
    this.timer = setTimeout(() => {
      this.looking = this.sample()
        .catch((error: unknown) => {
          this.log.warn({ error: String(error) }, 'How fleets stand could not be written down; it is tried again soon');
        })
        .then(() => this.next(SAMPLE_SECONDS * 1_000));
    }, inMs);
  }

  private async sample(): Promise<void> {
    await this.history.sample();
    if (this.looks % LOOKS_A_PURGE === 0) await this.history.purge();
    this.looks += 1;
  }
}
