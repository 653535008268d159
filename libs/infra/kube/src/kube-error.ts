import type { KubeStatus } from './kube-pod.ts';

/** Thrown when the API server refuses, or does not answer. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /** HTTP status; 0: there was no answer, and nobody knows whether it was done. */
  readonly status: number;
  /** The API server's own word, e.g. `AlreadyExists`. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.reason = reason;
  }

  static of(status: number, body: string): KubeError {
    const said = parse(body);
    return new KubeError(status, said?.reason ?? 'Unknown', said?.message ?? `The Kubernetes API answered ${status}`);
  }
}

/** Whether this error has one of these HTTP statuses. */
export const hasStatus = (error: unknown, ...statuses: number[]): error is KubeError =>
  error instanceof KubeError && statuses.includes(error.status);

function parse(body: string): KubeStatus | null {
  try {
    const value = JSON.parse(body) as KubeStatus;
    return value.kind === 'Status' ? value : null;
  } catch {
    return null;
  }
}
