import type { ObservationLevel } from '@pilothouse/contract/actions/extraction.schema';
import { IsolatedWorld, PageReader, type PageDocument, type PageRead } from '@pilothouse/surface-page-elements';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { Readable, Writable } from 'node:stream';
import { DevToolsPipe, type DevToolsEvent } from './devtools-pipe.ts';
import { PipeCdpSession } from './pipe-cdp-session.ts';

/** Milliseconds for a command that prepares a tab. */
const ATTACH_TIMEOUT_MS = 5_000;

interface AttachedTarget {
  readonly sessionId: string;
  readonly targetInfo: { readonly targetId: string; readonly type: string; readonly title: string };
}

/** A document of a tab: the tab itself, or a frame in a separate process. */
class TabDocument {
  readonly session: PipeCdpSession;
  readonly targetId: string;
  #world: Promise<IsolatedWorld> | null = null;

  constructor(session: PipeCdpSession, targetId: string) {
    this.session = session;
    this.targetId = targetId;
  }

  /** Its world. A world that could not be opened is opened again by the next call. @throws Error if it does not answer in time */
  world(): Promise<IsolatedWorld> {
    this.#world ??= this.#openWorld();
    return this.#world;
  }

  async #openWorld(): Promise<IsolatedWorld> {
    try {
      return await IsolatedWorld.open(this.session);
    } catch (error) {
      this.#world = null;
      throw error;
    }
  }
}

export class ChromiumTab extends TabDocument {
  /** Frames in separate processes, by frame id. */
  readonly frames = new Map<string, TabDocument>();
  readonly #reader = new PageReader<null>((id, parent) => this.#findDocument(id, parent));
  /** Worlds of the last read, by frame id. They include cross-origin frames in the process of their parent. */
  #worlds: ReadonlyMap<string, IsolatedWorld> = new Map();

  /** Reads the elements in view; at the level `page` also the text of the whole page. @throws Error at the deadline */
  async read(deadline: number, level: ObservationLevel = 'view'): Promise<PageRead<null>> {
    const top = { world: await this.world(), frame: null, isBelow: false };
    const page = await this.#reader.read(top, level, deadlineAt(deadline));
    this.#worlds = new Map(page.worlds.map((world) => [world.frame, world]));
    return page;
  }

  /** World of a document by its frame id. */
  async worldOf(frame: string): Promise<IsolatedWorld | null> {
    const top = await this.world();
    if (top.frame === frame) return top;
    return (await this.frames.get(frame)?.world()) ?? this.#worlds.get(frame) ?? null;
  }

  async #findDocument(id: string, parent: PageDocument<null>): Promise<PageDocument<null>> {
    const own = await this.frames.get(id)?.world();
    if (own) return { world: own, frame: null, isBelow: false };
    return { world: parent.world.childWorld(id), frame: null, isBelow: true };
  }
}

const neverAborted = new AbortController().signal;

/** Deadline without an abort signal. */
export const deadlineAt = (deadline: number) => ({ signal: neverAborted, deadline });

/** The tabs of a Chromium that this process has started. Attaches to each tab when it opens, not at its first read. */
export class ChromiumTabs {
  readonly #pipe: DevToolsPipe;
  readonly #tabs = new Map<string, ChromiumTab>();
  /** Sessions of tabs and frames, with the tab that they belong to. */
  readonly #sessions = new Map<string, { readonly session: PipeCdpSession; readonly tab: ChromiumTab }>();

  constructor(input: Writable, output: Readable, timers: Timers = systemTimers) {
    this.#pipe = new DevToolsPipe(input, output, (event) => this.#receive(event), timers);
    this.#attach(null, [{ type: 'page' }]).catch(() => undefined);
  }

  /** True after the browser exited, or sent an invalid or oversized message. */
  get isClosed(): boolean {
    return this.#pipe.isClosed;
  }

  get tabs(): readonly ChromiumTab[] {
    return [...this.#tabs.values()];
  }

  /** Titles of tabs by target id. @throws Error after the timeout */
  async titles(timeoutMs: number): Promise<ReadonlyMap<string, string>> {
    const { targetInfos } = (await this.#pipe.send('Target.getTargets', {}, null, timeoutMs)) as {
      targetInfos: readonly { readonly targetId: string; readonly title: string }[];
    };
    return new Map(targetInfos.map(({ targetId, title }) => [targetId, title]));
  }

  #receive({ method, params, sessionId }: DevToolsEvent): void {
    if (method === 'Target.attachedToTarget') this.#add(params as AttachedTarget, sessionId);
    else if (method === 'Target.detachedFromTarget') this.#remove((params as AttachedTarget).sessionId);
    else if (sessionId !== null) this.#sessions.get(sessionId)?.session.dispatch(method, params);
  }

  #add({ sessionId, targetInfo }: AttachedTarget, parentId: string | null): void {
    const { type, targetId } = targetInfo;
    const parent = parentId === null ? null : (this.#sessions.get(parentId)?.tab ?? null);
    if (type !== 'page' && (type !== 'iframe' || parent === null)) return;
    const session = new PipeCdpSession(this.#pipe, sessionId);
    const tab = parent ?? new ChromiumTab(session, targetId);
    const document = parent ? new TabDocument(session, targetId) : tab;
    this.#sessions.set(sessionId, { session, tab });
    if (parent) parent.frames.set(targetId, document);
    else this.#tabs.set(targetId, tab);
    // The session is registered: events may arrive with the first answer.
    document.world().catch(() => undefined);
    this.#attach(sessionId, [{ type: 'iframe' }]).catch(() => undefined);
  }

  #remove(sessionId: string): void {
    const known = this.#sessions.get(sessionId);
    if (!known) return;
    this.#sessions.delete(sessionId);
    const { tab } = known;
    if (tab.session.id === sessionId) this.#tabs.delete(tab.targetId);
    for (const [id, { session }] of tab.frames) if (session.id === sessionId) tab.frames.delete(id);
  }

  async #attach(sessionId: string | null, filter: readonly { type: string }[]): Promise<void> {
    const params = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter };
    await this.#pipe.send('Target.setAutoAttach', params, sessionId, ATTACH_TIMEOUT_MS);
  }
}
