import { Transform, type TransformCallback } from 'node:stream';
import type { EgressPolicy } from '@pilothouse/core/ports/egress.port';

/** Gate for the actions of a run, with a wait until it opens. */
export type RunPermission = Pick<EgressPolicy, 'mayAct' | 'waitUntilMayAct'>;

/**
 * Waits until the run may act; returns immediately when it may.
 * @throws the reason why it never may again
 */
export async function waitUntilAllowed(permission: RunPermission): Promise<void> {
  // In a worker that was suspended, the permission can expire before the wait returns.
  while (!permission.mayAct()) await permission.waitUntilMayAct();
}

/**
 * Holds data of a browser while its run may not act. The browser of a suspended worker continues; its data must not
 * reach a site after another worker took the run over.
 */
export class PausableStream extends Transform {
  private readonly permission: RunPermission;

  constructor(permission: RunPermission) {
    super();
    this.permission = permission;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    if (this.permission.mayAct()) return callback(null, chunk);
    waitUntilAllowed(this.permission).then(
      () => callback(null, chunk),
      (error: Error) => callback(error),
    );
  }
}
