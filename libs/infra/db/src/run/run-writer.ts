import type { EventDraft, RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunAnswer } from '@pilothouse/contract/run/run-question.schema';
import { canTransition, type RunStatus } from '@pilothouse/contract/run/run-status';
import { intentEvent, type StepIntent } from '@pilothouse/core/run/step-intent';
import { GroupCommit } from '../client/group-commit.ts';
import { arrayLiteral } from '../client/pg-array-literal.ts';
import { isStored } from '../file/artifact.store.ts';
import type { Pool } from '../client/pg-pool.ts';
import { CLAIM_NEXT } from './claim.sql.ts';
import type { RunWrite } from './run-write.ts';
import { markArtifactStoredValues, runWriteValues, type StoredFile } from './run-write-columns.ts';
import { MARK_ARTIFACT_STORED, WRITE_RUNS } from './run-write.sql.ts';

/** A free slot that a run of the backlog may be claimed for. */
export interface SlotClaim {
  session: string;
  worker: string;
  leaseMs: number;
  /** `run.assigned`. */
  event: EventDraft;
}

/** A claimed run with the data for its worker. */
export interface ClaimedRun {
  definition: unknown;
  inputs: unknown;
  secrets: string[];
  budget: unknown;
  capture: unknown;
  egress: unknown;
  /** Project settings. */
  project: {
    egress: unknown;
    politeness: unknown;
    learning: unknown;
    agentNotes: unknown;
    computerTool: string | null;
  };
  answer: RunAnswer | null;
  usedSteps: number;
  usedSeconds: number;
  waitedMs: number;
  /** Intent of the first step, if the claim created it. */
  firstIntent: StepIntent | null;
}

/** The row after a write, and its events. */
export interface WrittenRun {
  run: string;
  status: RunStatus;
  oldStatus: RunStatus;
  epoch: number;
  attemptEventSeq: number;
  eventSeq: number;
  project: string;
  fleet: string;
  /** Number of attempts that lost their worker or its surface. */
  lostAttempts: number;
  /** Number of consecutive claims that no worker accepted. */
  rejectedClaims: number;
  /** At the end of a run: milliseconds since its first claim; null without a claim. */
  ranMs: number | null;
  claimed: ClaimedRun | null;
  events: RunEvent[];
}

interface Row extends Omit<WrittenRun, 'events'> {
  oldSeq: number;
}

export interface RunWriterOptions {
  pool: Pool;
  /** Called after the commit, in commit order of a run. */
  onWritten?(written: readonly WrittenRun[]): void;
  onFlush?(size: number, milliseconds: number): void;
}

/** The only writer of a run's status, events, checkpoints and lease. */
export class RunWriter {
  private readonly pool: Pool;
  private readonly commit: GroupCommit<RunWrite, WrittenRun | null>;
  private readonly onWritten: RunWriterOptions['onWritten'];

  constructor({ pool, onWritten, onFlush }: RunWriterOptions) {
    this.pool = pool;
    this.onWritten = onWritten;
    this.commit = new GroupCommit({ flush: (writes) => this.flush(writes), keyOf: ({ run }) => run, onFlush });
  }

  /** Number of writes waiting for a commit. */
  get depth(): number {
    return this.commit.depth;
  }

  /**
   * Writes one change, in a group commit with concurrent writes.
   * @returns the row afterwards, or null when the guard did not match and nothing was changed
   * @throws errors of PostgreSQL; the change may still be applied. A change with events of a worker may then be repeated unchanged
   */
  write(write: RunWrite): Promise<WrittenRun | null> {
    const { to } = write;
    if (to !== undefined) {
      const wrong = write.guard.from.find((oldStatus) => !canTransition(oldStatus, to));
      if (wrong) throw new Error(`A run cannot change from ${wrong} to ${to}`);
    }
    return this.commit.write(write);
  }

  /**
   * Marks an artifact as stored and writes its event, in one commit. A file of kind `turn` marks the run: its turns are recorded. Otherwise a crash between the two would leave a file without an event.
   * @returns `noted` now, `known` from before, or `refused` by the guard
   */
  async markArtifactStored(
    file: StoredFile,
    write: Pick<RunWrite, 'run' | 'guard' | 'events'>,
  ): Promise<'noted' | 'known' | 'refused'> {
    const { rows } = await this.pool.query<Row>({
      name: 'note-stored',
      text: MARK_ARTIFACT_STORED,
      values: markArtifactStoredValues(file, write),
    });
    const [row] = rows;
    if (!row) return (await isStored(this.pool, file.id)) ? 'known' : 'refused';
    this.onWritten?.([toWrittenRun({ events: write.events, claimedAt: undefined }, row)]);
    return 'noted';
  }

  /**
   * Claims the next runs of a fleet's backlog in fair order, one for each slot, in a separate commit. Skips runs that are being written.
   * @returns claimed runs with the index of their slot; fewer than slots when no more run may be claimed now
   */
  async claimNext(fleet: string, slots: readonly SlotClaim[]): Promise<{ slot: number; written: WrittenRun }[]> {
    const bySession = new Map(slots.map((slot) => [slot.session, slot]));
    const sessions = [...bySession.keys()];
    const { rows } = await this.pool.query<Row & { slot: number }>({
      name: 'claim-next',
      text: CLAIM_NEXT,
      values: [
        fleet,
        arrayLiteral(slots.map(({ session }) => sessions.indexOf(session))),
        JSON.stringify([...bySession.values()].map(({ event, ...slot }, number) => ({ ...event, ...slot, number }))),
        arrayLiteral(sessions),
      ],
    });
    const claims = rows.flatMap(({ slot: index, ...row }) => {
      const slot = slots[index];
      return slot
        ? [{ slot: index, written: toWrittenRun({ events: [slot.event], claimedAt: slot.event.at }, row) }]
        : [];
    });
    this.onWritten?.(claims.map(({ written }) => written));
    return claims;
  }

  /** Resolves once all pending writes are done. */
  drained(): Promise<void> {
    return this.commit.drained();
  }

  private async flush(writes: readonly RunWrite[]): Promise<(WrittenRun | null)[]> {
    const { rows } = await this.pool.query<Row>({
      name: 'write-runs',
      text: WRITE_RUNS,
      values: runWriteValues(writes),
    });
    const byRun = new Map(rows.map((row) => [row.run, row]));
    const answers = writes.map((write) => {
      const row = byRun.get(write.run);
      return row ? toWrittenRun({ events: write.events, claimedAt: write.claim?.at }, row) : null;
    });
    this.onWritten?.(answers.filter((answer) => answer !== null));
    return answers;
  }
}

/** @param claimedAt time of the claim, if it was one. An intent of the claim has this time. */
function toWrittenRun(
  { events = [], claimedAt }: { events: RunWrite['events']; claimedAt: string | undefined },
  { oldSeq, ...row }: Row,
): WrittenRun {
  const { claimed } = row;
  const firstIntent =
    claimed?.firstIntent && claimedAt !== undefined ? [intentEvent(claimed.firstIntent, claimedAt)] : [];
  return {
    ...row,
    events: [...events, ...firstIntent].map(({ type, v, level, message, at, data }, index) => ({
      ...{ seq: oldSeq + 1 + index, run: row.run, epoch: row.epoch },
      ...{ type, v, level, message, at, data },
    })),
  };
}
