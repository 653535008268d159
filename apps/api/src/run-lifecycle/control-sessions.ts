import { createEvent, CONTROL_IDLE_MS, type EventData } from '@pilothouse/contract';
import type { Clock } from '@pilothouse/core';
import {
  releaseIdleControl,
  releaseControl,
  extendControl,
  takeControl,
  runsWaitingForControl,
  readControl,
  type Operator,
  type Pool,
  type RunWriter,
  type ControlSessionRow,
} from '@pilothouse/infra-db';

export interface ControlSessionsDeps {
  pool: Pool;
  writer: Pick<RunWriter, 'write'>;
  clock: Clock;
  /** Goes on with a run that waits for nothing but its wheel; nothing happens to another. */
  continueIfWaiting(run: string, by: string): Promise<void>;
}

/** Whose hands a run is in: who has the wheel is a row with a fencing token, and its taking and returning are events of the run. */
export class ControlSessions {
  private readonly options: ControlSessionsDeps;

  constructor(options: ControlSessionsDeps) {
    this.options = options;
  }

  /** @returns null when somebody else has it, or the run has no surface open */
  async take(run: string, operator: Operator): Promise<ControlSessionRow | null> {
    const session = await takeControl(this.options.pool, run, operator, CONTROL_IDLE_MS);
    if (session?.isNew) {
      const { token, operator: by } = session;
      await this.write(session, [
        createEvent('control.taken', `${by} took control`, { operator: by, token }, this.now()),
      ]);
    }
    return session;
  }

  /** Who has it; null: nobody. */
  holder(run: string) {
    return readControl(this.options.pool, run);
  }

  /** Numbers a batch of input. @param batch.files as of `extendControl` of the store @returns null when it does not count */
  acceptInput(
    run: string,
    batch: Parameters<typeof extendControl>[2],
  ): Promise<(ControlSessionRow & { n: number }) | null> {
    return extendControl(this.options.pool, run, batch, CONTROL_IDLE_MS);
  }

  /** Takes it from who gives it back; the run does not go on yet. @returns null when they do not have it */
  async release(run: string, { holder }: Pick<Operator, 'holder'>): Promise<ControlSessionRow | null> {
    const session = await releaseControl(this.options.pool, run, { holder });
    if (!session) return null;
    await this.writeReleased(session, 'released');
    return session;
  }

  /** Goes on with a run that waits for nothing but its wheel. */
  continueRun(run: string, by: string): Promise<void> {
    return this.options.continueIfWaiting(run, by);
  }

  /** The run went on for another reason. @param token of who had it until then: it may have been taken anew since */
  async resumed(run: string, token: number): Promise<void> {
    const session = await releaseControl(this.options.pool, run, { token });
    if (session) await this.writeReleased(session, 'resumed');
  }

  /** Takes back what nobody touched in time. */
  async releaseIdle(): Promise<void> {
    const { pool, continueIfWaiting: goOn } = this.options;
    const idle = await releaseIdleControl(pool);
    await Promise.all(idle.map((session) => this.writeReleased(session, 'idle')));
    await Promise.all((await runsWaitingForControl(pool)).map((run) => goOn(run, 'nobody')));
  }

  private async writeReleased(
    session: ControlSessionRow,
    reason: EventData<'control.released'>['reason'],
  ): Promise<void> {
    const { operator: by, token } = session;
    const messages = {
      released: `${by} released control`,
      idle: `Control released: no input from ${by} for ${CONTROL_IDLE_MS / 1000} s`,
      resumed: `The run continued; ${by} no longer has control`,
    };
    await this.write(session, [
      createEvent('control.released', messages[reason], { operator: by, token, reason }, this.now()),
    ]);
  }

  /** A run that has ended meanwhile takes no events. */
  private async write({ run, epoch }: ControlSessionRow, events: ReturnType<typeof createEvent>[]): Promise<void> {
    await this.options.writer.write({ run, guard: { from: ['running', 'awaiting_user', 'queued'], epoch }, events });
  }

  private now(): Date {
    return this.options.clock.now();
  }
}
