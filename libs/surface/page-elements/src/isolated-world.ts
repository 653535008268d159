import type { Deadline } from '@pilothouse/core/time/deadlines';
import { CdpChannel } from './cdp-channel.ts';
import type { CdpSession, ReadLimit } from './cdp-session.ts';
import type { Snapshot, SnapshotOptions } from './snapshot/snapshot-result.ts';
import type { SnapshotFunctions } from './snapshot/snapshot.page.ts';

/** Events whose listeners make an element clickable. */
const CLICK_EVENTS = new Set(
  'click dblclick auxclick mousedown mouseup pointerdown pointerup touchstart touchend'.split(' '),
);

/** Maximum number of attempts if the document is replaced during a snapshot. */
const MAX_ATTEMPTS = 5;

/** The snapshot script threw an error. */
class SnapshotError extends Error {
  constructor(description: string) {
    super(`The snapshot failed: ${description}`);
  }
}

type SnapshotCalls = Omit<SnapshotFunctions, 'takeSnapshot' | 'waitForIdle'>;

/**
 * Snapshot script of a document and all frames its origin can reach. The document is the main frame, a frame of another
 * process, or a cross-origin frame in the process of its parent. It runs in an isolated world that page scripts cannot
 * reach, and is installed in each document on first use.
 */
export class IsolatedWorld {
  /** Frame id of its outermost frame in the browser. */
  readonly frame: string;
  readonly #channel: CdpChannel;

  private constructor(channel: CdpChannel, frame: string) {
    this.#channel = channel;
    this.frame = frame;
  }

  /**
   * Opens the world of the outermost frame of a process.
   * @param cdp session used only by this world and its child worlds
   */
  static async open(cdp: CdpSession): Promise<IsolatedWorld> {
    const channel = await CdpChannel.open(cdp);
    return new IsolatedWorld(channel, channel.root);
  }

  /** Returns the world of a cross-origin frame in this process. */
  childWorld(frame: string): IsolatedWorld {
    return new IsolatedWorld(this.#channel, frame);
  }

  /** Number of the current document. Element ids belong to one document. */
  get document(): number {
    return this.#channel.documents(this.frame);
  }

  /** True for an answer of the browser, for example because the document was replaced; false if it gave none. */
  isProtocolError(error: unknown): boolean {
    return this.#channel.session.isProtocolError(error);
  }

  /** Takes a snapshot of the view. @throws the error of the browser if the page is closed or keeps navigating */
  async snapshot(options: SnapshotOptions, deadline: Deadline): Promise<Snapshot> {
    const takeSnapshot = () => this.#evaluate<string>(`.takeSnapshot(${JSON.stringify(options)})`, deadline);
    const result = JSON.parse(await takeSnapshot()) as Snapshot;
    if (result.hosts.length === 0) return result;
    const registrations = await Promise.all(result.hosts.map((id) => this.#registerClosedRoot(id, deadline)));
    return registrations.includes(true) ? (JSON.parse(await takeSnapshot()) as Snapshot) : result;
  }

  /**
   * True if its document has nothing to do that would soon change it.
   * @returns false also if that is unknown at the deadline
   */
  async isIdle(deadline: Deadline): Promise<boolean> {
    const contextId = this.#contextId;
    if (contextId === null) return false;
    const expression = `elementSnapshot.waitForIdle(${Math.max(0, deadline.deadline - performance.now())})`;
    const params = { expression, contextId, returnByValue: true, awaitPromise: true };
    const limit = { deadline, activity: 'Waiting for an idle page' };
    const { result } = await this.#channel.session.send('Runtime.evaluate', params, limit);
    return result.value === true;
  }

  /** Calls a snapshot function. */
  async call<Name extends keyof SnapshotCalls>(
    name: Name,
    args: Parameters<SnapshotCalls[Name]>,
    deadline: Deadline,
  ): Promise<ReturnType<SnapshotCalls[Name]>> {
    return this.#evaluate(`.${name}(...${JSON.stringify(args)})`, deadline);
  }

  /** Returns the id of the frame in a frame element. */
  async frameIn(id: number, deadline: Deadline): Promise<string | null> {
    const objectId = await this.#objectId(id, deadline);
    if (!objectId) return null;
    const limit = { deadline, activity: 'Reading a frame' };
    const { node } = await this.#channel.session.send('DOM.describeNode', { objectId }, limit);
    return node.frameId ?? null;
  }

  /** Registers a closed shadow root, which is hidden from page scripts. @returns false if it does not exist */
  async #registerClosedRoot(id: number, deadline: Deadline): Promise<boolean> {
    const objectId = await this.#objectId(id, deadline);
    if (!objectId) return false;
    const limit = { deadline, activity: 'Reading an element' };
    const { node } = await this.#channel.session.send('DOM.describeNode', { objectId }, limit);
    const root = node.shadowRoots?.find(({ shadowRootType }) => shadowRootType === 'closed');
    if (!root) return false;
    const rootId = await this.#registerNode(root.backendNodeId, limit);
    const params = { objectId: rootId, depth: -1, pierce: true };
    const { listeners } = await this.#channel.session.send('DOMDebugger.getEventListeners', params, limit);
    const nodes = listeners.flatMap(({ type, backendNodeId }) =>
      backendNodeId && CLICK_EVENTS.has(type) ? [backendNodeId] : [],
    );
    await Promise.all([...new Set(nodes)].map((node) => this.#registerNode(node, limit)));
    return true;
  }

  async #registerNode(backendNodeId: number, limit: ReadLimit): Promise<string> {
    const params = { backendNodeId, executionContextId: this.#contextId ?? 0 };
    const { object } = await this.#channel.session.send('DOM.resolveNode', params, limit);
    const { objectId = '' } = object;
    const call = { objectId, functionDeclaration: 'function () { elementSnapshot.registerNode(this); }' };
    await this.#channel.session.send('Runtime.callFunctionOn', call, limit);
    return objectId;
  }

  async #objectId(id: number, deadline: Deadline): Promise<string | null> {
    const params = { expression: `elementSnapshot.hostElement(${id})`, contextId: this.#contextId ?? 0 };
    const limit = { deadline, activity: 'Reading an element' };
    const { result } = await this.#channel.session.send('Runtime.evaluate', params, limit);
    return result.objectId ?? null;
  }

  /** Runs the snapshot script in the current document and installs it there if needed. */
  async #evaluate<Result>(call: string, deadline: Deadline): Promise<Result> {
    const limit = { deadline, activity: 'Reading the page' };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const isNew = this.#contextId === null;
        const contextId = this.#contextId ?? (await this.#channel.enter(this.frame, limit));
        this.#channel.installProbes();
        const expression = `${isNew ? `globalThis.elementSnapshot ??= ${this.#channel.snapshotExpression};` : ''}elementSnapshot${call}`;
        const params = { expression, contextId, returnByValue: true };
        const { result, exceptionDetails } = await this.#channel.session.send('Runtime.evaluate', params, limit);
        if (exceptionDetails) throw new SnapshotError(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value as Result;
      } catch (error) {
        deadline.signal.throwIfAborted();
        // A protocol error means that the document was replaced. The new one has another world.
        const isReplaced = !(error instanceof SnapshotError) && this.#channel.session.isProtocolError(error);
        if (!isReplaced || attempt === MAX_ATTEMPTS || performance.now() >= deadline.deadline) throw error;
        this.#channel.forgetDocument(this.frame);
      }
    }
  }

  /** Execution context of the isolated world in the current document. */
  get #contextId(): number | null {
    return this.#channel.contextIn(this.frame);
  }
}
