import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** What was seen of a worker's pod, from its first moment to its last. */
export interface PodLife {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  phase: string;
  /** Whether somebody asked for its end before its process had ended by itself. */
  deletedAlive: boolean;
  exitCode: number | null;
  gone: boolean;
  readonly image: string;
  /** What the node says the image is, once it has it: two names may be one image. */
  imageId: string;
}

interface PodReport {
  type: string;
  object: {
    metadata: { name: string; labels?: Record<string, string>; deletionTimestamp?: string };
    spec: { containers: { image: string }[] };
    status: {
      phase?: string;
      containerStatuses?: { imageID?: string; state?: { terminated?: { exitCode: number } } }[];
    };
  };
}

/** Watches the worker pods of a namespace, so that also those are known that come and go between two looks. */
export class PodWatch {
  readonly lives = new Map<string, PodLife>();
  readonly #child: ChildProcess;

  constructor(namespace: string) {
    const select = ['-l', 'app.kubernetes.io/component=worker'];
    const args = ['-n', namespace, 'get', 'pods', ...select, '-w', '--output-watch-events', '-o', 'json'];
    this.#child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    // With the types of the changes, kubectl writes one document a line.
    if (this.#child.stdout)
      createInterface(this.#child.stdout).on('line', (line) => this.#see(JSON.parse(line) as PodReport));
  }

  /** @throws where the watch broke off, and pods may have been missed */
  get all(): readonly PodLife[] {
    if (this.#child.exitCode !== null) throw new Error('The watch of the pods broke off');
    return [...this.lives.values()];
  }

  /** What was seen of a worker's pod. @throws where there was none of this name */
  of(name: string | null): PodLife {
    const life = this.all.find((one) => one.name === name);
    if (!life) throw new Error(`No pod ${name} was seen`);
    return life;
  }

  /** Pods that are there now. */
  get alive(): readonly PodLife[] {
    return this.all.filter(({ gone }) => !gone);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const gone = once(this.#child, 'exit', { signal: AbortSignal.timeout(10_000) });
    this.#child.kill('SIGKILL');
    await gone;
  }

  #see({ type, object: { metadata, spec, status } }: PodReport): void {
    const { name, labels = {}, deletionTimestamp } = metadata;
    const life = this.lives.get(name) ?? {
      name,
      labels,
      phase: 'Pending',
      deletedAlive: false,
      exitCode: null,
      gone: false,
      image: spec.containers[0]?.image ?? '',
      imageId: '',
    };
    this.lives.set(name, life);
    const [container] = status.containerStatuses ?? [];
    life.imageId = container?.imageID || life.imageId;
    const exitCode = container?.state?.terminated?.exitCode;
    life.exitCode = exitCode ?? life.exitCode;
    life.phase = status.phase ?? life.phase;
    life.gone = type === 'DELETED';
    if (deletionTimestamp !== undefined && life.exitCode === null) life.deletedAlive = true;
  }
}
