import { performance } from 'node:perf_hooks';
import type { PeerObservation } from './browser-use-peer.ts';

/* The used part of an optional package. */
interface Snapshot {
  readonly combinedTree: string;
}
interface StagehandPage {
  mainFrameId(): string;
}
interface StagehandContext {
  pages(): StagehandPage[];
  close(): Promise<void>;
}
interface Understudy {
  readonly V3Context: { create(address: string, options: { env: 'LOCAL' }): Promise<StagehandContext> };
  readonly captureHybridSnapshot: (page: StagehandPage, options: { experimental: boolean }) => Promise<Snapshot>;
}

const FOLDER = '@browserbasehq/stagehand/lib/v3/understudy';

/** The snapshot that Stagehand gives its models, over its own connection to a running Chromium. */
export class Stagehand {
  readonly #understudy: Understudy;
  readonly #address: string;

  private constructor(understudy: Understudy, address: string) {
    this.#understudy = understudy;
    this.#address = address;
  }

  /** @param address of the Chromium's debugger, `ws://...`. @returns null if the package is not installed */
  static async find(address: string): Promise<Stagehand | null> {
    try {
      const modules = await Promise.all(
        ['context.js', 'a11y/snapshot/capture.js'].map((file) => import(`${FOLDER}/${file}`) as Promise<object>),
      );
      return new Stagehand(Object.assign({}, ...modules) as Understudy, address);
    } catch (error) {
      if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') return null;
      throw error;
    }
  }

  /**
   * Connects to an open page. Its injected scripts stay in the page.
   * @param target id of the page in the browser
   */
  async page(target: string): Promise<{ observe(): Promise<PeerObservation>; close(): Promise<void> }> {
    const { V3Context, captureHybridSnapshot } = this.#understudy;
    const context = await V3Context.create(this.#address, { env: 'LOCAL' });
    const page = context.pages().find((candidate) => candidate.mainFrameId() === target);
    if (!page) throw new Error(`Stagehand does not see the page ${target}`);
    return {
      observe: async () => {
        const startedAt = performance.now();
        const { combinedTree } = await captureHybridSnapshot(page, { experimental: false });
        return { ms: performance.now() - startedAt, text: combinedTree };
      },
      close: () => context.close(),
    };
  }
}
