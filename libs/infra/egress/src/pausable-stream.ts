import { Transform, type TransformCallback } from 'node:stream';
import type { EgressPolicy } from '@pilothouse/core';

/** What a pass says of the moment. */
export type RunPermission = Pick<EgressPolicy, 'mayAct' | 'untilMayAct'>;

/** Waits until the run may act; at once while it does. @throws why it never may again */
export async function waitUntilAllowed(leave: RunPermission): Promise<void> {
  // A wait may be over and the leave gone again, in a worker that stood still meanwhile.
  while (!leave.mayAct()) await leave.untilMayAct();
}

/**
 * Holds back what a browser sends while its run may not act. A worker that stood still lets its browser go on: what the browser said meanwhile
 * waits here, and must not reach a site once somebody else has the run.
 */
export class PausableStream extends Transform {
  private readonly leave: RunPermission;

  constructor(leave: RunPermission) {
    super();
    this.leave = leave;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.leave.mayAct()) return done(null, chunk);
    waitUntilAllowed(this.leave).then(
      () => done(null, chunk),
      (thrown: Error) => done(thrown),
    );
  }
}
