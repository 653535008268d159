/** A job at the server. Specs change it to simulate progress. */
export interface ServerJob {
  readonly id: string;
  /** Body of the request that created it. */
  readonly request: Readonly<Record<string, unknown>>;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  model: string;
  error: string;
  loss: { step: number; loss: number; validationLoss?: number }[];
  /** The OpenAI-compatible service names the losses only in the result file. */
  hasOnlyResultFile?: boolean;
}

/** A received request. */
export interface TuningServerRequest {
  readonly method: string;
  readonly path: string;
  /** Address of the protocol at the server, which precedes `path`; only for wire protocols. */
  readonly url?: string;
  readonly query: URLSearchParams;
  readonly key: string;
  /** Requested range of a file, e.g. `bytes=0-9`; empty: the whole file. */
  readonly range: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** Answer of a wire protocol; null: no such path. */
export type WireAnswer =
  { readonly status?: number; readonly json: object } | { readonly status?: number; readonly text: string } | null;

/** State of the server for its wire protocols. */
export interface TuningServerState {
  readonly jobs: ServerJob[];
  readonly files: Map<string, Buffer>;
  addJob(id: string, request: Readonly<Record<string, unknown>>): ServerJob;
}

/** Content of the field `file` of a form. */
export function fileOf({ body }: TuningServerRequest): Buffer {
  const start = body.indexOf('\r\n\r\n', body.indexOf('name="file"')) + 4;
  const boundary = body.subarray(0, body.indexOf('\r\n'));
  return body.subarray(start, body.indexOf(boundary, start) - 2);
}
