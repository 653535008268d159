import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Observed state of a worker pod. */
export interface ObservedPod {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  phase: string;
  /** True when the pod was deleted before its process exited. */
  wasDeletedAlive: boolean;
  exitCode: number | null;
  isGone: boolean;
  readonly image: string;
  /** Image id on the node; two names may be one image. */
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

/** Watches the worker pods of a namespace, including short-lived ones. */
export class PodWatch {
  readonly pods = new Map<string, ObservedPod>();
  readonly #child: ChildProcess;

  constructor(namespace: string) {
    const select = ['-l', 'app.kubernetes.io/component=worker'];
    const args = ['-n', namespace, 'get', 'pods', ...select, '-w', '--output-watch-events', '-o', 'json'];
    this.#child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    // With the types of the changes, kubectl writes one document a line.
    if (this.#child.stdout)
      createInterface(this.#child.stdout).on('line', (line) => this.#record(JSON.parse(line) as PodReport));
  }

  /** @throws when the watch ended, and pods may be missing */
  get all(): readonly ObservedPod[] {
    if (this.#child.exitCode !== null) throw new Error('The watch of the pods ended');
    return [...this.pods.values()];
  }

  /** @throws when no pod has this name */
  of(name: string | null): ObservedPod {
    const pod = this.all.find((candidate) => candidate.name === name);
    if (!pod) throw new Error(`No pod ${name} was seen`);
    return pod;
  }

  /** Existing pods. */
  get alive(): readonly ObservedPod[] {
    return this.all.filter(({ isGone }) => !isGone);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit', { signal: AbortSignal.timeout(10_000) });
    this.#child.kill('SIGKILL');
    await exited;
  }

  #record({ type, object: { metadata, spec, status } }: PodReport): void {
    const { name, labels = {}, deletionTimestamp } = metadata;
    const pod = this.pods.get(name) ?? {
      name,
      labels,
      phase: 'Pending',
      wasDeletedAlive: false,
      exitCode: null,
      isGone: false,
      image: spec.containers[0]?.image ?? '',
      imageId: '',
    };
    this.pods.set(name, pod);
    const [container] = status.containerStatuses ?? [];
    pod.imageId = container?.imageID || pod.imageId;
    const exitCode = container?.state?.terminated?.exitCode;
    pod.exitCode = exitCode ?? pod.exitCode;
    pod.phase = status.phase ?? pod.phase;
    pod.isGone = type === 'DELETED';
    if (deletionTimestamp !== undefined && pod.exitCode === null) pod.wasDeletedAlive = true;
  }
}
