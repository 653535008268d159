import { makeEvent, WHEEL_MS, type EventData } from '@pilothouse/contract';
import type { Clock } from '@pilothouse/core';
import {
  dropIdleWheels,
  dropWheel,
  steer,
  takeWheel,
  unheldRuns,
  wheelOf,
  type Driver,
  type Pool,
  type RunWriter,
  type Wheel,
} from '@pilothouse/infra-db';

export interface WheelWayOptions {
  pool: Pool;
  writer: Pick<RunWriter, 'write'>;
  clock: Clock;
  /** Goes on with a run that waits for nothing but its wheel; nothing happens to another. */
  goOn(run: string, by: string): Promise<void>;
}

/** Whose hands a run is in: who has the wheel is a row with a fencing token, and its taking and returning are events of the run. */
export class WheelWay {
  private readonly options: WheelWayOptions;

  constructor(options: WheelWayOptions) {
    this.options = options;
  }

  /** @returns null when somebody else has it, or the run has no surface open */
  async take(run: string, driver: Driver): Promise<Wheel | null> {
    const wheel = await takeWheel(this.options.pool, run, driver, WHEEL_MS);
    if (wheel?.fresh) {
      const { token, driver: by } = wheel;
      await this.write(wheel, [makeEvent('wheel.taken', `${by} takes the wheel`, { by, token }, this.now())]);
    }
    return wheel;
  }

  /** Who has it; null: nobody. */
  holder(run: string) {
    return wheelOf(this.options.pool, run);
  }

  /** Numbers a batch of input. @param driver.files as of `steer` of the store @returns null when it does not count */
  steer(run: string, driver: Parameters<typeof steer>[2]): Promise<(Wheel & { n: number }) | null> {
    return steer(this.options.pool, run, driver, WHEEL_MS);
  }

  /** Takes it from who gives it back; the run does not go on yet. @returns null when they do not have it */
  async release(run: string, { holder }: Pick<Driver, 'holder'>): Promise<Wheel | null> {
    const wheel = await dropWheel(this.options.pool, run, { holder });
    if (!wheel) return null;
    await this.returned(wheel, 'released');
    return wheel;
  }

  /** Goes on with a run that waits for nothing but its wheel. */
  goOn(run: string, by: string): Promise<void> {
    return this.options.goOn(run, by);
  }

  /** The run went on for another reason. @param token of who had it until then: it may have been taken anew since */
  async resumed(run: string, token: number): Promise<void> {
    const wheel = await dropWheel(this.options.pool, run, { token });
    if (wheel) await this.returned(wheel, 'resumed');
  }

  /** Takes back what nobody touched in time. */
  async returnIdle(): Promise<void> {
    const { pool, goOn } = this.options;
    const idle = await dropIdleWheels(pool);
    await Promise.all(idle.map((wheel) => this.returned(wheel, 'idle')));
    await Promise.all((await unheldRuns(pool)).map((run) => goOn(run, 'nobody')));
  }

  private async returned(wheel: Wheel, why: EventData<'wheel.returned'>['why']): Promise<void> {
    const { driver: by, token } = wheel;
    const said = {
      released: `${by} gives the wheel back`,
      idle: `${by} did not touch the wheel for ${WHEEL_MS / 1000} s: it goes back`,
      resumed: `The run went on: ${by} has the wheel no more`,
    };
    await this.write(wheel, [makeEvent('wheel.returned', said[why], { by, token, why }, this.now())]);
  }

  /** A run that has ended meanwhile takes no events. */
  private async write({ run, epoch }: Wheel, events: ReturnType<typeof makeEvent>[]): Promise<void> {
    await this.options.writer.write({ run, guard: { from: ['running', 'awaiting_user', 'queued'], epoch }, events });
  }

  private now(): Date {
    return this.options.clock.now();
  }
}
