import { PilothouseError } from '@pilothouse/contract';
import { raceDeadline, remainingMs, type Deadline } from '@pilothouse/core';
import type { CDPSession } from 'playwright-core';
import { CdpChannel } from './cdp-channel.ts';
import type { ElementSnapshot, Snapshot, SnapshotOptions } from '../injected/snapshot/snapshot.script.ts';

/** Kinds of events whose listeners make an element clickable. */
const CLICKS = new Set(
  'click dblclick auxclick mousedown mouseup pointerdown pointerup touchstart touchend'.split(' '),
);

/** How often a look begins again because the document went away in the middle. */
const TRIES = 5;

/** The code that looks threw. */
class LookFailed extends Error {
  constructor(what: string) {
    super(`The look failed: ${what}`);
  }
}

type Calls = Omit<ElementSnapshot, 'look'>;

/**
 * The eye in a document and in all that its origin reaches from there: the main frame, a frame of another process, or one of another
 * origin in the process of its parent. It lives in a world of its own, which scripts of the page cannot reach, and is put into each
 * document when that is looked at first.
 */
export class IsolatedWorld {
  /** Id of the outermost frame it reaches, as the browser has it. */
  readonly frame: string;
  readonly #line: CdpChannel;

  private constructor(line: CdpChannel, frame: string) {
    this.#line = line;
    this.frame = frame;
  }

  /** The eye in the outermost frame of a process. @param wire a line to it, for this and what is `inside` alone */
  static async on(wire: CDPSession): Promise<IsolatedWorld> {
    const line = await CdpChannel.on(wire);
    return new IsolatedWorld(line, line.root);
  }

  /** The eye in a frame that this process holds too, and that is of another origin. */
  inside(frame: string): IsolatedWorld {
    return new IsolatedWorld(this.#line, frame);
  }

  /** Counts documents: numbers of elements are of one. */
  get document(): number {
    return this.#line.documents(this.frame);
  }

  /** What is in view now. @throws what the browser says when the page is gone, or does not come to rest */
  async look(options: SnapshotOptions, bound: Deadline): Promise<Snapshot> {
    const once = () => this.#run<string>(`.look(${JSON.stringify(options)})`, bound);
    const seen = JSON.parse(await once()) as Snapshot;
    if (seen.hosts.length === 0) return seen;
    const found = await Promise.all(seen.hosts.map((id) => this.#openClosed(id, bound)));
    return found.includes(true) ? (JSON.parse(await once()) as Snapshot) : seen;
  }

  /** Whether its document has nothing to do that would soon change it. @returns false also when that is not known by the deadline */
  async rests(bound: Deadline): Promise<boolean> {
    const contextId = this.#context;
    if (contextId === null) return false;
    const asked = this.#line.wire.send('Runtime.evaluate', {
      expression: `eye.rests(${remainingMs(bound)})`,
      contextId,
      returnByValue: true,
      awaitPromise: true,
    });
    const { result } = await raceDeadline(asked, bound, 'The wait for an idle page');
    return result.value === true;
  }

  /** Asks the eye about one of its elements. */
  async ask<Name extends keyof Calls>(
    name: Name,
    given: Parameters<Calls[Name]>,
    bound: Deadline,
  ): Promise<ReturnType<Calls[Name]>> {
    return this.#run(`.${name}(...${JSON.stringify(given)})`, bound);
  }

  /** Id of the frame that a frame element holds. */
  async frameIn(id: number, bound: Deadline): Promise<string | null> {
    const objectId = await this.#objectOf(id, bound);
    if (!objectId) return null;
    const { node } = await raceDeadline(
      this.#line.wire.send('DOM.describeNode', { objectId }),
      bound,
      'The look at a frame',
    );
    return node.frameId ?? null;
  }

  /** Takes a closed shadow root into the list, which the page itself hides. @returns whether there is one */
  async #openClosed(id: number, bound: Deadline): Promise<boolean> {
    const objectId = await this.#objectOf(id, bound);
    if (!objectId) return false;
    const { node } = await raceDeadline(
      this.#line.wire.send('DOM.describeNode', { objectId }),
      bound,
      'The look at an element',
    );
    const root = node.shadowRoots?.find(({ shadowRootType }) => shadowRootType === 'closed');
    if (!root) return false;
    const inside = await this.#learn(root.backendNodeId);
    const { listeners } = await this.#line.wire.send('DOMDebugger.getEventListeners', {
      objectId: inside,
      depth: -1,
      pierce: true,
    });
    const nodes = listeners.flatMap(({ type, backendNodeId }) =>
      backendNodeId && CLICKS.has(type) ? [backendNodeId] : [],
    );
    await Promise.all([...new Set(nodes)].map((one) => this.#learn(one)));
    return true;
  }

  async #learn(backendNodeId: number): Promise<string> {
    const { object } = await this.#line.wire.send('DOM.resolveNode', {
      backendNodeId,
      executionContextId: this.#context ?? 0,
    });
    const { objectId = '' } = object;
    await this.#line.wire.send('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration: 'function () { eye.learn(this); }',
    });
    return objectId;
  }

  async #objectOf(id: number, bound: Deadline): Promise<string | null> {
    const asked = this.#line.wire.send('Runtime.evaluate', {
      expression: `eye.host(${id})`,
      contextId: this.#context ?? 0,
    });
    const { result } = await raceDeadline(asked, bound, 'The look at an element');
    return result.objectId ?? null;
  }

  /** Runs the eye in the present document, and puts it there first where it is not yet. */
  async #run<Result>(call: string, bound: Deadline): Promise<Result> {
    for (let round = 1; ; round += 1) {
      try {
        const isNew = this.#context === null;
        const contextId =
          this.#context ?? (await raceDeadline(this.#line.enter(this.frame), bound, 'The look at the page'));
        this.#line.layBridges();
        const expression = `${isNew ? `globalThis.eye ??= ${this.#line.eye};` : ''}eye${call}`;
        const ran = this.#line.wire.send('Runtime.evaluate', { expression, contextId, returnByValue: true });
        const { result, exceptionDetails } = await raceDeadline(ran, bound, 'The look at the page');
        if (exceptionDetails) throw new LookFailed(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value as Result;
      } catch (thrown) {
        bound.signal.throwIfAborted();
        // What the browser refuses it refuses because the document is gone: a new one has another world.
        const isRefused = !(thrown instanceof LookFailed) && !(thrown instanceof PilothouseError);
        if (!isRefused || round === TRIES || remainingMs(bound) === 0) throw thrown;
        this.#line.left(this.frame);
      }
    }
  }

  /** The eye's own world, in the present document. */
  get #context(): number | null {
    return this.#line.contextIn(this.frame);
  }
}
