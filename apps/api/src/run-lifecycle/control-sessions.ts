import { CONTROL_IDLE_MS } from '@pilothouse/contract/control/control-limits';
import { createEvent, type EventData } from '@pilothouse/contract/events/event-log.schema';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
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
  /** Continues a run that waits only for the end of manual control. */
  continueIfWaiting(run: string, actor: string): Promise<void>;
}

/** Manual control of runs. A control session is a row with a fencing token; taking and releasing control are events of the run. */
export class ControlSessions {
  private readonly options: ControlSessionsDeps;

  constructor(options: ControlSessionsDeps) {
    this.options = options;
  }

  /** @returns null when another operator has control, or the run has no open surface */
  async take(run: string, operator: Operator): Promise<ControlSessionRow | null> {
    const session = await takeControl(this.options.pool, run, operator, CONTROL_IDLE_MS);
    if (session?.isNew) {
      const { token, operator: operatorName } = session;
      await this.write(session, [
        createEvent('control.taken', `${operatorName} took control`, { operator: operatorName, token }, this.now()),
      ]);
    }
    return session;
  }

  /** The current control session; null without one. */
  holder(run: string) {
    return readControl(this.options.pool, run);
  }

  /** Numbers a batch of input. @param batch.files as in `extendControl` @returns null when the operator does not have control */
  acceptInput(
    run: string,
    batch: Parameters<typeof extendControl>[2],
  ): Promise<(ControlSessionRow & { n: number }) | null> {
    return extendControl(this.options.pool, run, batch, CONTROL_IDLE_MS);
  }

  /** Releases control; the run does not continue yet. @returns null when the operator does not have control */
  async release(run: string, { holder }: Pick<Operator, 'holder'>): Promise<ControlSessionRow | null> {
    const session = await releaseControl(this.options.pool, run, { holder });
    if (!session) return null;
    await this.writeReleased(session, 'released');
    return session;
  }

  /** Continues a run that waits only for the end of manual control. */
  continueRun(run: string, actor: string): Promise<void> {
    return this.options.continueIfWaiting(run, actor);
  }

  /** Releases control because the run continues. @param token of the earlier session; a newer one stays */
  async releaseForResume(run: string, token: number): Promise<void> {
    const session = await releaseControl(this.options.pool, run, { token });
    if (session) await this.writeReleased(session, 'resumed');
  }

  /** Releases idle control sessions. */
  async releaseIdle(): Promise<void> {
    const { pool, continueIfWaiting } = this.options;
    const idle = await releaseIdleControl(pool);
    await Promise.all(idle.map((session) => this.writeReleased(session, 'idle')));
    await Promise.all((await runsWaitingForControl(pool)).map((run) => continueIfWaiting(run, 'system')));
  }

  private async writeReleased(
    session: ControlSessionRow,
    reason: EventData<'control.released'>['reason'],
  ): Promise<void> {
    const { operator, token } = session;
    const messages = {
      released: `${operator} released control`,
      idle: `Control released: no input from ${operator} for ${CONTROL_IDLE_MS / 1000} s`,
      resumed: `The run continued; ${operator} no longer has control`,
    };
    await this.write(session, [
      createEvent('control.released', messages[reason], { operator, token, reason }, this.now()),
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
