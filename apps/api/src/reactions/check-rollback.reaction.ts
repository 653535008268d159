import { Inject } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { rollbackReason } from '@pilothouse/core/learning/registry/rollback-decision';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { RegistryStore } from '@pilothouse/infra-db';
import { LOG } from '../common/injection-tokens.ts';
import type { ReactionAttempt, ReactionHandler } from './reaction-handlers.ts';

/** Rolls back the registered models of a run if their runs fail too often. The first change of a stage wins. */
export class CheckRollbackReaction implements ReactionHandler {
  constructor(
    @Inject(RegistryStore) private readonly registry: Pick<RegistryStore, 'listUsed' | 'change'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async execute({ run }: Pick<ReactionAttempt, 'run'>): Promise<void> {
    for (const { project, name, stage, candidate, base } of await this.registry.listUsed(run)) {
      const reason = rollbackReason(candidate, base);
      if (reason === null) continue;
      try {
        await this.registry.change(project, name, { to: 'rolled_back', reason, actor: null }, [stage]);
        this.log.warn({ project, model: name, stage, reason }, 'registered model rolled back');
      } catch (error) {
        // Its stage was changed meanwhile.
        if (!(error instanceof PilothouseError) || error.code !== 'CONFLICT') throw error;
      }
    }
  }
}
