import { randomUUID } from 'node:crypto';
import type { CDPSession } from 'playwright-core';
import { listenerProbeSource, snapshotSource } from '../injected/snapshot/snapshot-bundle.ts';

/** The eye's own world in a frame. */
interface Inside {
  /** The world in the present document; null until it is made. */
  context: number | null;
  documents: number;
}

/** The line to one process of a page, and which of its documents have an eye and a bridge to the page's own scripts. */
export class CdpChannel {
  readonly wire: CDPSession;
  /** Text of the eye, an expression. */
  readonly eye: string;
  readonly #token = `ph-${randomUUID()}`;
  readonly #bridge = listenerProbeSource(this.#token);
  /** Worlds of the page's own scripts that have no bridge yet. */
  readonly #bare = new Set<number>();
  /** By the browser's id of the frame. */
  readonly #inside = new Map<string, Inside>();
  #root = '';

  private constructor(wire: CDPSession) {
    this.wire = wire;
    this.eye = snapshotSource(this.#token);
    wire.on('Runtime.executionContextCreated', ({ context }) => {
      const about = context.auxData as { isDefault?: boolean } | undefined;
      if (about?.isDefault) this.#bare.add(context.id);
    });
    wire.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
      this.#bare.delete(executionContextId);
      for (const inside of this.#inside.values()) if (inside.context === executionContextId) inside.context = null;
    });
    wire.on('Runtime.executionContextsCleared', () => {
      this.#bare.clear();
      for (const inside of this.#inside.values()) inside.context = null;
    });
  }

  static async on(wire: CDPSession): Promise<CdpChannel> {
    const line = new CdpChannel(wire);
    const [{ frameTree }] = await Promise.all([wire.send('Page.getFrameTree'), wire.send('Runtime.enable')]);
    line.#root = frameTree.frame.id;
    return line;
  }

  /** Id of the outermost frame of the process. */
  get root(): string {
    return this.#root;
  }

  /** The eye's world in the present document of a frame. */
  contextIn(frame: string): number | null {
    return this.#inside.get(frame)?.context ?? null;
  }

  /** How many documents of a frame were entered. */
  documents(frame: string): number {
    return this.#inside.get(frame)?.documents ?? 0;
  }

  /** The document of a frame went away before anybody said so. */
  left(frame: string): void {
    const inside = this.#inside.get(frame);
    if (inside) inside.context = null;
  }

  /** Makes the eye's world in the present document of a frame. @throws what the browser says when the frame is gone */
  async enter(frame: string): Promise<number> {
    const { executionContextId } = await this.wire.send('Page.createIsolatedWorld', {
      frameId: frame,
      worldName: this.#token,
      grantUniveralAccess: true,
    });
    this.#inside.set(frame, { context: executionContextId, documents: this.documents(frame) + 1 });
    return executionContextId;
  }

  /** Lays a bridge into each document that has none; one that goes away before needs none. */
  layBridges(): void {
    for (const contextId of this.#bare) {
      const laid = this.wire.send('Runtime.evaluate', {
        expression: this.#bridge,
        contextId,
        includeCommandLineAPI: true,
        silent: true,
      });
      laid.catch(() => undefined);
    }
    this.#bare.clear();
  }
}
