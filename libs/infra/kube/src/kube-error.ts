import type { KubeStatus } from './kube-pod.ts';

/** Thrown when the API server rejects a request or does not respond. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /** HTTP status. 0: no response; the request may or may not have been executed. */
  readonly status: number;
  /** Reason of the API server, e.g. `AlreadyExists`. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.reason = reason;
  }

  static fromResponse(status: number, body: string): KubeError {
    const bodyStatus = parse(body);
    return new KubeError(
      status,
      bodyStatus?.reason ?? 'Unknown',
      bodyStatus?.message ?? `The Kubernetes API answered ${status}`,
    );
  }
}

/** True if the error is a KubeError with one of these HTTP statuses. */
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
