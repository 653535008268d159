import { createHash } from 'node:crypto';
import { systemClock, type Clock, type Log } from '@pilothouse/core';
import type { KubeClient } from './kube-client.ts';
import { hasStatus } from './kube-error.ts';
import type { ObjectMeta } from './kube-pod.ts';

/** The same is told again after so long, in milliseconds. */
const AGAIN_MS = 60_000;

/** Longest message of an event, in bytes, is 1024; these are characters. */
const MESSAGE_MAX = 900;

/** An object that events are about. */
export interface InvolvedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<ObjectMeta, 'name' | 'uid'>;
}

export interface KubeEventRecorderDeps {
  readonly connection: Pick<KubeClient, 'call'>;
  readonly namespace: string;
  /** Who tells, e.g. `pilothouse-fleet`, and which one of them. */
  readonly component: string;
  readonly instance: string;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Tells people what is wrong, as Kubernetes Events: the same thing about the same object is one event with a count. */
export class KubeEventRecorder {
  readonly #options: KubeEventRecorderDeps;
  readonly #clock: Clock;
  readonly #path: string;
  readonly #told = new Map<string, { at: number; count: number }>();

  constructor(options: KubeEventRecorderDeps) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#path = `/api/v1/namespaces/${options.namespace}/events`;
  }

  /** Never throws: an event that is not told is in the log. @param topic what is one event, e.g. fleet and reason */
  async warn(subject: InvolvedObject, topic: string, reason: string, message: string, signal: AbortSignal) {
    const name = `${subject.metadata.name}.${createHash('sha256').update(`${subject.metadata.uid} ${topic}`).digest('hex').slice(0, 16)}`;
    const before = this.#told.get(name);
    const now = this.#clock.monotonic();
    if (before && now - before.at < AGAIN_MS) return;
    const count = (before?.count ?? 0) + 1;
    this.#told.set(name, { at: now, count });
    try {
      await this.#write(subject, name, reason, message.slice(0, MESSAGE_MAX), count, signal);
    } catch (error) {
      this.#told.delete(name);
      this.#options.log.debug({ reason, error: String(error) }, 'An event could not be told to Kubernetes');
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
    const at = this.#clock.now().toISOString();
    const lastTimestamp = at.replace(/\.\d+Z/, 'Z');
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
        // The controller before this one told it.
        if (!hasStatus(error, 409)) throw error;
      }
    }
    const change = { message, lastTimestamp, count };
    try {
      await connection.call({ verb: 'patch', path: `${this.#path}/${name}`, body: change, signal });
    } catch (error) {
      // Events are kept for an hour.
      if (!hasStatus(error, 404)) throw error;
      await connection.call({ verb: 'create', path: this.#path, body, signal });
    }
  }
}
