import { findProgram } from '@pilothouse/infra-embedded';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** An observation of a page, and its duration. */
export interface PeerObservation {
  readonly ms: number;
  readonly text: string;
}

/** Timeouts of loading in Python and of one observation, in milliseconds. */
const START_TIMEOUT_MS = 60_000;
const OBSERVE_TIMEOUT_MS = 30_000;

/** browser-use in a Python process, on a running Chromium. */
export class BrowserUse {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** @param address of the Chromium, `http://127.0.0.1:port`. @returns null where Python has no browser-use */
  static async start(address: string): Promise<BrowserUse | null> {
    const python = findProgram('python3');
    if (!python) return null;
    const child = spawn(python, [join(import.meta.dirname, 'browser_use_peer.py'), address], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const peer = new BrowserUse(child);
    const first = await peer.#answer(START_TIMEOUT_MS);
    if (first) return peer;
    peer.stop();
    return null;
  }

  /** @param url address of the observed page. @returns null after a failure */
  async observe(url: string): Promise<PeerObservation | null> {
    this.#child.stdin.write(`${url}\n`);
    const answer = await this.#answer(OBSERVE_TIMEOUT_MS);
    return answer && 'text' in answer ? (answer as unknown as PeerObservation) : null;
  }

  stop(): void {
    this.#child.kill();
  }

  async #answer(ms: number): Promise<Record<string, unknown> | null> {
    const timer = setTimeout(() => this.stop(), ms);
    const { value, done } = await this.#lines.next();
    clearTimeout(timer);
    return done ? null : (JSON.parse(value) as Record<string, unknown>);
  }
}
