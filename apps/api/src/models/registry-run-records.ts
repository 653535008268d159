import type { RegistrySelection } from '@pilothouse/core/learning/registry/registered-model-selection';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { RegistryStore } from '@pilothouse/infra-db';

/** Maximum number of cached records. A record that is not cached is written again, without effect. */
const MAX_CACHED_RECORDS = 10_000;

/** Records which runs use registered models, and which runs they are compared with. */
export class RegistryRunRecords {
  private readonly store: Pick<RegistryStore, 'addRun'>;
  private readonly log: Log;
  private readonly recordedKeys = new Set<string>();

  constructor(store: Pick<RegistryStore, 'addRun'>, log: Log) {
    this.store = store;
    this.log = log;
  }

  async addArms(run: string, arms: RegistrySelection['arms']): Promise<void> {
    await Promise.all(arms.map(({ model, arm }) => this.record(model, run, arm)));
  }

  /** A run without a record is not counted; the call goes on. */
  private async record(model: string, run: string, arm: 'candidate' | 'base'): Promise<void> {
    const key = `${model}:${run}`;
    if (this.recordedKeys.has(key)) return;
    try {
      await this.store.addRun(model, run, arm);
      if (this.recordedKeys.size >= MAX_CACHED_RECORDS) this.recordedKeys.clear();
      this.recordedKeys.add(key);
    } catch (error) {
      this.log.warn({ run, model, error: String(error) }, 'run of registered model not recorded');
    }
  }
}
