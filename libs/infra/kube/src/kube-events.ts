import { createHash } from 'node:crypto';
import { systemClock, type Clock, type Log } from '@pilothouse/core/ports/runtime.port';
import type { KubeClient } from './kube-client.ts';
import { hasStatus } from './kube-error.ts';
import type { ObjectMeta } from './kube-pod.ts';

/** Milliseconds until a repeated event is written again. */
const REPEAT_INTERVAL_MS = 60_000;

/** Maximum message length in characters. The API limit is 1024 bytes. */
const MAX_MESSAGE_LENGTH = 900;

/** The object that an event refers to. */
export interface InvolvedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<ObjectMeta, 'name' | 'uid'>;
}

export interface KubeEventRecorderDeps {
  readonly connection: Pick<KubeClient, 'call'>;
  readonly namespace: string;
  /** Reporting component, e.g. `pilothouse-fleet`, and its instance. */
  readonly component: string;
  readonly instance: string;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Writes Kubernetes Events. Repeated events of the same topic and object are one event with a count. */
export class KubeEventRecorder {
  readonly #options: KubeEventRecorderDeps;
  readonly #clock: Clock;
  readonly #path: string;
  readonly #recorded = new Map<string, { recordedAt: number; count: number }>();

  constructor(options: KubeEventRecorderDeps) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#path = `/api/v1/namespaces/${options.namespace}/events`;
  }

  /** Never throws: failures are logged. @param topic identity of the event, e.g. fleet and reason */
  async warn(subject: InvolvedObject, topic: string, reason: string, message: string, signal: AbortSignal) {
    const name = `${subject.metadata.name}.${createHash('sha256').update(`${subject.metadata.uid} ${topic}`).digest('hex').slice(0, 16)}`;
    const previous = this.#recorded.get(name);
    const now = this.#clock.monotonic();
    if (previous && now - previous.recordedAt < REPEAT_INTERVAL_MS) return;
    const count = (previous?.count ?? 0) + 1;
    this.#recorded.set(name, { recordedAt: now, count });
    try {
      await this.#write(subject, name, reason, message.slice(0, MAX_MESSAGE_LENGTH), count, signal);
    } catch (error) {
      this.#recorded.delete(name);
      this.#options.log.debug({ reason, error: String(error) }, 'Kubernetes event not written');
    }
  }

  async #write(
    subject: InvolvedObject,
    name: string,
    reason: string,
    message: string,
    count: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { connection, namespace, component, instance } = this.#options;
    const timestamp = this.#clock.now().toISOString();
    const lastTimestamp = timestamp.replace(/\.\d+Z/, 'Z');
    const body = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      type: 'Warning',
      reason,
      message,
      count,
      firstTimestamp: lastTimestamp,
      lastTimestamp,
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
      involvedObject: {
        apiVersion: subject.apiVersion,
        kind: subject.kind,
        namespace,
        name: subject.metadata.name,
        uid: subject.metadata.uid,
      },
    };
    if (count === 1) {
      try {
        await connection.call({ verb: 'create', path: this.#path, body, signal });
        return;
      } catch (error) {
        // A previous controller created the event.
        if (!hasStatus(error, 409)) throw error;
      }
    }
    const patch = { message, lastTimestamp, count };
    try {
      await connection.call({ verb: 'patch', path: `${this.#path}/${name}`, body: patch, signal });
    } catch (error) {
      // The API server deletes events after an hour.
      if (!hasStatus(error, 404)) throw error;
      await connection.call({ verb: 'create', path: this.#path, body, signal });
    }
  }
}
