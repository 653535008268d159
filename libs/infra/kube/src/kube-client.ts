import { once } from 'node:events';
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { raceAbort } from '@pilothouse/core/time/deadlines';
import { systemTimers } from '@pilothouse/core/time/timers';
import { KubeError } from './kube-error.ts';

/** Default deadline of a request, in milliseconds. */
const RESPONSE_TIMEOUT_MS = 5_000;

/** Verbs of requests, as in the metrics of the API server. */
export const kubeVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;
export type KubeVerb = (typeof kubeVerbs)[number];

export interface KubeRequest {
  readonly verb: KubeVerb;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
  readonly signal: AbortSignal;
  /** Deadline of the whole response, or of the start of a stream, in milliseconds. */
  readonly timeoutMs?: number;
}

const methods = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
} as const satisfies Record<KubeVerb, string>;

/** Called for each request. */
export type OnRequest = (verb: KubeVerb) => void;

/**
 * Sends requests to one API server. `@kubernetes/client-node` finds the server and authenticates (service account, kubeconfig, exec
 * plug-ins). Requests are sent here, because that client opens a connection per request and has no deadlines.
 */
export class KubeClient {
  readonly #config: KubeConfig;
  readonly #server: URL;
  readonly #agent: HttpsAgent | HttpAgent;
  readonly #onRequest: OnRequest | undefined;

  private constructor(config: KubeConfig, onRequest?: OnRequest) {
    const server = config.getCurrentCluster()?.server;
    if (!server) throw new Error('No Kubernetes API is configured: set KUBECONFIG, or run inside a cluster');
    this.#config = config;
    this.#onRequest = onRequest;
    this.#server = new URL(server);
    const pool = { keepAlive: true, keepAliveMsecs: 30_000, maxSockets: 32 };
    this.#agent = this.#server.protocol === 'http:' ? new HttpAgent(pool) : new HttpsAgent(pool);
  }

  /** URL of the API server. */
  get server(): string {
    return this.#server.href;
  }

  /** @param kubeconfig path of a file. Default: the service account of this pod. @throws if neither exists */
  static async open(kubeconfig?: string, onRequest?: OnRequest): Promise<KubeClient> {
    const config = await newConfig();
    if (kubeconfig === undefined) config.loadFromCluster();
    else config.loadFromFile(kubeconfig);
    return new KubeClient(config, onRequest);
  }

  /** Returns a client for the same API server with separate connections. */
  clone(): KubeClient {
    return new KubeClient(this.#config);
  }

  /** Returns a client that authenticates as a service account. @param token token of the service account */
  async withToken(token: string): Promise<KubeClient> {
    const cluster = this.#config.getCurrentCluster();
    if (!cluster) throw new Error('The kubeconfig has no current cluster');
    const config = await newConfig();
    const contexts = [{ name: 'token', cluster: cluster.name, user: 'token' }];
    config.loadFromOptions({
      clusters: [cluster],
      users: [{ name: 'token', token }],
      contexts,
      currentContext: 'token',
    });
    return new KubeClient(config);
  }

  /** Returns a client that reaches the same API server through another address, e.g. a forwarded port. */
  async viaAddress(host: string, port: number): Promise<KubeClient> {
    const config = await newConfig();
    config.loadFromString(this.#config.exportConfig());
    const cluster = config.getCurrentCluster();
    if (!cluster) throw new Error('The kubeconfig has no current cluster');
    const server = `${this.#server.protocol}//${host}:${port}`;
    const clusters = [{ ...cluster, server, tlsServerName: cluster.tlsServerName ?? this.#server.hostname }];
    config.loadFromOptions({ ...config, clusters, currentContext: config.getCurrentContext() });
    return new KubeClient(config);
  }

  /**
   * Sends a request and returns the JSON response.
   * @throws KubeError, with status 0 if no response came in time; the reason of the signal when it aborts
   */
  async call<Answer>(request: KubeRequest): Promise<Answer> {
    const text = await this.text(request);
    try {
      return JSON.parse(text) as Answer;
    } catch (cause) {
      throw new KubeError(0, 'Unavailable', 'The Kubernetes API is not reachable: the response is not JSON', { cause });
    }
  }

  /** Sends a request and returns the text of the response. @throws like `call` */
  async text({ timeoutMs = RESPONSE_TIMEOUT_MS, ...call }: KubeRequest): Promise<string> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const combinedSignal = AbortSignal.any([call.signal, timeout]);
    try {
      const response = await this.#open(call, combinedSignal);
      const text = await readText(response);
      if (!isSuccess(response)) throw KubeError.fromResponse(response.statusCode ?? 0, text);
      return text;
    } catch (error) {
      throw this.#explain(error, call, timeout, timeoutMs);
    }
  }

  /**
   * Yields the JSON lines of a streamed response until the server ends it.
   * @param onOpen called when the response starts. From then on only the signal of the caller limits it.
   * @throws like `call`
   */
  async *lines<Line>(
    { timeoutMs = RESPONSE_TIMEOUT_MS, ...call }: KubeRequest,
    onOpen: () => void,
  ): AsyncGenerator<Line> {
    const timeout = new AbortController();
    const timer = systemTimers.setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const response = await this.#open(call, AbortSignal.any([call.signal, timeout.signal]));
      systemTimers.clearTimeout(timer);
      if (!isSuccess(response)) throw KubeError.fromResponse(response.statusCode ?? 0, await readText(response));
      onOpen();
      let buffer = '';
      response.setEncoding('utf8');
      for await (const chunk of response) {
        const lines = (buffer + String(chunk)).split('\n');
        buffer = lines.pop() ?? '';
        for (const line of lines) if (line !== '') yield JSON.parse(line) as Line;
      }
    } catch (error) {
      throw this.#explain(error, call, timeout.signal, timeoutMs);
    } finally {
      systemTimers.clearTimeout(timer);
    }
  }

  /** Closes all connections. */
  close(): void {
    this.#agent.destroy();
  }

  #explain(error: unknown, { verb, path, signal }: KubeRequest, timeout: AbortSignal, timeoutMs: number): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof KubeError) return error;
    const reason = timeout.aborted
      ? `no response to ${methods[verb]} ${path} within ${timeoutMs / 1000} s`
      : error instanceof Error
        ? error.message
        : String(error);
    return new KubeError(0, 'Unavailable', `The Kubernetes API is not reachable: ${reason}`, { cause: error });
  }

  async #open(call: Omit<KubeRequest, 'timeoutMs'>, signal: AbortSignal): Promise<IncomingMessage> {
    const options: RequestOptions = {};
    // An exec plug-in or a token endpoint may not respond.
    await raceAbort(this.#config.applyToHTTPSOptions(options), signal);
    const [clientRequest, responsePromise] = this.#send(call, options, signal);
    return responsePromise.catch((error: unknown) => {
      // The server closed an idle keep-alive connection, so it has not seen this request.
      const isUnprocessed =
        clientRequest.reusedSocket && error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
      if (!isUnprocessed || signal.aborted) throw error;
      return this.#send(call, options, signal)[1];
    });
  }

  #send(
    { verb, path, query = {}, body }: Omit<KubeRequest, 'timeoutMs'>,
    options: RequestOptions,
    signal: AbortSignal,
  ): [ClientRequest, Promise<IncomingMessage>] {
    this.#onRequest?.(verb);
    const method = methods[verb];
    const url = new URL(this.#server.pathname.replace(/\/$/, '') + path, this.#server);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const text = body && JSON.stringify(body);
    const headers = {
      ...options.headers,
      accept: 'application/json',
      'user-agent': 'pilothouse-fleet',
      ...(text !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
    };
    const isProxied = this.#config.getCurrentCluster()?.proxyUrl !== undefined;
    const agent = isProxied ? options.agent : this.#agent;
    const request = this.#server.protocol === 'http:' ? httpRequest : httpsRequest;
    const clientRequest = request(url, { ...options, method, headers, agent, signal });
    const responsePromise = once(clientRequest, 'response').then(([response]) => response as IncomingMessage);
    // After the response has started, errors are reported by the response stream.
    clientRequest.on('error', () => undefined);
    clientRequest.end(text);
    return [clientRequest, responsePromise];
  }
}

const isSuccess = ({ statusCode = 0 }: IncomingMessage) => statusCode >= 200 && statusCode < 300;

async function readText(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

/** Loads `@kubernetes/client-node` on demand: a local controller does not need its 80 MiB. */
async function newConfig(): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  return new KubeConfig();
}
