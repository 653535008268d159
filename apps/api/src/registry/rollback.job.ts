import { Inject, type OnModuleInit } from '@nestjs/common';
import { rollbackReason } from '@pilothouse/core/learning/registry/rollback-decision';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { RegistryStore } from '@pilothouse/infra-db';
import { JOB_DEPS, LOG } from '../common/injection-tokens.ts';
import { PeriodicJob, type JobDeps } from '../common/periodic-job.ts';

/** Milliseconds between two checks. */
const CHECK_INTERVAL_MS = 15_000;

/** Milliseconds for one check of all models. */
const DEADLINE_MS = 60_000;

/** Rolls back registered models whose runs fail too often. Every replica runs it; the first change of a stage wins. */
export class RollbackJob implements OnModuleInit {
  private readonly job: PeriodicJob;

  constructor(
    @Inject(RegistryStore) private readonly registry: Pick<RegistryStore, 'listUsed' | 'change'>,
    @Inject(LOG) private readonly log: Log,
    @Inject(JOB_DEPS) deps: JobDeps,
  ) {
    this.job = new PeriodicJob(
      { name: 'model-rollbacks', everyMs: CHECK_INTERVAL_MS, deadlineMs: DEADLINE_MS, run: () => this.check() },
      deps,
    );
  }

  onModuleInit(): void {
    this.job.start();
  }

  /** Resolves when the current check has ended. */
  stop(): Promise<void> {
    return this.job.stop();
  }

  private async check(): Promise<void> {
    for (const { project, name, stage, candidate, base } of await this.registry.listUsed()) {
      const reason = rollbackReason(candidate, base);
      if (reason === null) continue;
      try {
        await this.registry.change(project, name, { to: 'rolled_back', reason, actor: null }, [stage]);
        this.log.warn({ project, model: name, stage, reason }, 'registered model rolled back');
      } catch (error) {
        this.log.warn({ project, model: name, error: String(error) }, 'registered model not rolled back');
      }
    }
  }
}
