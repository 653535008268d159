import { randomUUID } from 'node:crypto';
import type { CdpSession, ReadLimit } from './cdp-session.ts';
import { source as listenerProbe } from './snapshot/listener-probe.source.ts';
import { source as snapshotFunctions } from './snapshot/snapshot.source.ts';

/** Isolated world of a frame. */
interface FrameWorld {
  /** Execution context in the current document; null until it is created. */
  context: number | null;
  documents: number;
}

/**
 * CDP session of one process of a page. It tracks which documents have the snapshot script and the listener probe.
 */
export class CdpChannel {
  readonly session: CdpSession;
  /** Source of the snapshot functions, an expression. */
  readonly snapshotExpression: string;
  readonly #token = `ph-${randomUUID()}`;
  readonly #probeSource = `(${listenerProbe()})(${JSON.stringify(this.#token)}, getEventListeners)`;
  /** Main-world contexts without a listener probe. */
  readonly #contextsWithoutProbe = new Set<number>();
  /** By frame id of the browser. */
  readonly #frameWorlds = new Map<string, FrameWorld>();
  #rootFrame = '';

  private constructor(session: CdpSession) {
    this.session = session;
    this.snapshotExpression = `(${snapshotFunctions()})(${JSON.stringify(this.#token)})`;
    session.on('Runtime.executionContextCreated', ({ context }) => {
      const auxData = context.auxData as { isDefault?: boolean } | undefined;
      if (auxData?.isDefault) this.#contextsWithoutProbe.add(context.id);
    });
    session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
      this.#contextsWithoutProbe.delete(executionContextId);
      for (const frameWorld of this.#frameWorlds.values())
        if (frameWorld.context === executionContextId) frameWorld.context = null;
    });
    session.on('Runtime.executionContextsCleared', () => {
      this.#contextsWithoutProbe.clear();
      for (const frameWorld of this.#frameWorlds.values()) frameWorld.context = null;
    });
  }

  static async open(session: CdpSession): Promise<CdpChannel> {
    const channel = new CdpChannel(session);
    const [{ frameTree }] = await Promise.all([session.send('Page.getFrameTree'), session.send('Runtime.enable')]);
    channel.#rootFrame = frameTree.frame.id;
    return channel;
  }

  /** Id of the outermost frame of the process. */
  get root(): string {
    return this.#rootFrame;
  }

  /** Execution context of the snapshot script in the current document of a frame. */
  contextIn(frame: string): number | null {
    return this.#frameWorlds.get(frame)?.context ?? null;
  }

  /** Number of documents of a frame that were entered. */
  documents(frame: string): number {
    return this.#frameWorlds.get(frame)?.documents ?? 0;
  }

  /** Forgets the document of a frame after it was replaced without an event. */
  forgetDocument(frame: string): void {
    const frameWorld = this.#frameWorlds.get(frame);
    if (frameWorld) frameWorld.context = null;
  }

  /**
   * Creates the isolated world in the current document of a frame.
   * @throws the error of the browser if the frame was removed
   */
  async enter(frame: string, limit: ReadLimit): Promise<number> {
    const params = { frameId: frame, worldName: this.#token, grantUniveralAccess: true };
    const { executionContextId } = await this.session.send('Page.createIsolatedWorld', params, limit);
    this.#frameWorlds.set(frame, { context: executionContextId, documents: this.documents(frame) + 1 });
    return executionContextId;
  }

  /**
   * Installs the listener probe in all documents without one. Documents that are replaced meanwhile do not need it.
   */
  installProbes(): void {
    for (const contextId of this.#contextsWithoutProbe) {
      const installing = this.session.send('Runtime.evaluate', {
        expression: this.#probeSource,
        contextId,
        includeCommandLineAPI: true,
        silent: true,
      });
      installing.catch(() => undefined);
    }
    this.#contextsWithoutProbe.clear();
  }
}
