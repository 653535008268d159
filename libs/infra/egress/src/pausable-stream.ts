import { Transform, type TransformCallback } from 'node:stream';
import type { EgressPolicy } from '@pilothouse/core';

/** Reads the state of a pass. */
export type RunPermission = Pick<EgressPolicy, 'mayAct' | 'untilMayAct'>;

/**
 * Waits until the run may act; returns immediately when it may.
 * @throws the reason why it never may again
 */
export async function waitUntilAllowed(leave: RunPermission): Promise<void> {
  // In a worker that was suspended, the permission can expire before the wait returns.
  while (!leave.mayAct()) await leave.untilMayAct();
}

/**
 * Holds data of a browser while its run may not act. The browser of a suspended worker continues; its data must not
 * reach a site after another worker took the run over.
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
