import type { RetentionReport } from '@pilothouse/contract/api/project.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import type { Cutoffs, StoredObject, RetentionCounts, RetentionStore } from '@pilothouse/infra-db';

/** Batch sizes. */
const RUNS_PER_BATCH = 200;
const FILES_PER_BATCH = 500;

/** Events per statement, so that it stays within its time limit. */
const EVENTS_PER_STATEMENT = 20_000;

/**
 * Removes expired data of a project in batches: files, then events and steps, then runs, then uploads.
 *
 * The object is removed before its row. If the cleanup stops in between, the next one finds the row and removes the
 * object again, which is not an error. An object without a row would never be found and removed.
 */
export class RetentionCleaner {
  private readonly store: RetentionStore;
  private readonly objects: Pick<BlobStore, 'delete'>;

  constructor(store: RetentionStore, objects: Pick<BlobStore, 'delete'>) {
    this.store = store;
    this.objects = objects;
  }

  /** Counts the data that a cleanup would remove. */
  async preview(project: string): Promise<RetentionReport> {
    const cutoffs = await this.store.cutoffs(project);
    const counts = await this.store.preview(project, cutoffs);
    return { dryRun: true, ...counts, ...(await this.oldestRemaining(project, cutoffs)), isComplete: true };
  }

  /**
   * Runs one cleanup. It ends between two batches once the signal is aborted. The next cleanup removes the rest, also after a failure.
   * @throws PilothouseError UNAVAILABLE when the object store rejects a request
   */
  async cleanUp(project: string, signal: AbortSignal): Promise<RetentionReport> {
    const cutoffs = await this.store.cutoffs(project);
    const removed: RetentionCounts = { runs: 0, events: 0, artifacts: 0, uploads: 0, bytes: 0 };
    await this.files(project, cutoffs, removed, signal);
    await this.events(project, cutoffs, removed, signal);
    await this.runs(project, cutoffs, removed, signal);
    await this.uploads(project, cutoffs, removed, signal);
    return {
      dryRun: false,
      ...removed,
      ...(await this.oldestRemaining(project, cutoffs)),
      isComplete: !signal.aborted,
    };
  }

  private async files(
    project: string,
    { artifacts }: Cutoffs,
    removed: RetentionCounts,
    signal: AbortSignal,
  ): Promise<void> {
    if (artifacts === null) return;
    for await (const runs of this.store.dueRuns(project, artifacts, RUNS_PER_BATCH)) {
      const ids = runs.map(({ id }) => id);
      for (let hasMore = true; hasMore;) {
        if (signal.aborted) return;
        const files = await this.store.artifactsOf(ids, FILES_PER_BATCH);
        hasMore = files.length === FILES_PER_BATCH;
        if (files.length === 0) break;
        await this.removeObjects(files);
        await this.store.deleteArtifacts(files.map(({ id }) => id));
        const storedFiles = files.filter((file) => file.stored);
        removed.artifacts += storedFiles.length;
        removed.bytes += bytesOf(storedFiles);
      }
    }
  }

  private async events(
    project: string,
    { events }: Cutoffs,
    removed: RetentionCounts,
    signal: AbortSignal,
  ): Promise<void> {
    if (events === null) return;
    for await (const runs of this.store.dueRuns(project, events, RUNS_PER_BATCH)) {
      for (const some of batchRuns(runs, EVENTS_PER_STATEMENT)) {
        if (signal.aborted) return;
        removed.events += await this.store.removeEvents(some.map(({ id }) => id));
      }
    }
  }

  private async runs(
    project: string,
    { runs: cutoff }: Cutoffs,
    removed: RetentionCounts,
    signal: AbortSignal,
  ): Promise<void> {
    if (cutoff === null) return;
    for await (const runs of this.store.dueRuns(project, cutoff, RUNS_PER_BATCH)) {
      if (signal.aborted) return;
      removed.runs += await this.store.removeRuns(
        runs.map(({ id }) => id),
        cutoff,
      );
    }
  }

  private async uploads(project: string, { runs: cutoff }: Cutoffs, removed: RetentionCounts, signal: AbortSignal) {
    if (cutoff === null) return;
    for (let hasMore = true; hasMore && !signal.aborted;) {
      const files = await this.store.removeUploads(project, cutoff, FILES_PER_BATCH, (some) =>
        this.removeObjects(some),
      );
      hasMore = files.length === FILES_PER_BATCH;
      removed.uploads += files.length;
      removed.bytes += bytesOf(files);
    }
  }

  private async removeObjects(files: readonly StoredObject[]): Promise<void> {
    try {
      await this.objects.delete(files.map(({ key }) => key));
    } catch (cause) {
      if (cause instanceof PilothouseError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new PilothouseError('UNAVAILABLE', `The object store did not remove files: ${reason}`, { cause });
    }
  }

  private async oldestRemaining(
    project: string,
    { runs }: Cutoffs,
  ): Promise<Pick<RetentionReport, 'oldestRemainingRunAt'>> {
    return { oldestRemainingRunAt: (await this.store.oldestRemaining(project, runs))?.toISOString() ?? null };
  }
}

const bytesOf = (files: readonly StoredObject[]) => files.reduce((sum, { size }) => sum + size, 0);

/** Splits runs into batches of at most `maxEvents` events. A larger run is a separate batch. */
function batchRuns<Run extends { events: number }>(runs: readonly Run[], maxEvents: number): Run[][] {
  const batches: Run[][] = [];
  let remainingEvents = 0;
  for (const run of runs) {
    const last = batches.at(-1);
    if (last && run.events <= remainingEvents) last.push(run);
    else {
      batches.push([run]);
      remainingEvents = maxEvents;
    }
    remainingEvents -= run.events;
  }
  return batches;
}
