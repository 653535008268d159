import { once } from 'node:events';
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { systemTimers } from '@pilothouse/core';
import { KubeError } from './kube-error.ts';

/** No request waits longer for its answer, in milliseconds. */
const ANSWER_MS = 5_000;

/** What requests do, in the words of the API server's own metrics. */
export const kubeVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;
export type KubeVerb = (typeof kubeVerbs)[number];

export interface KubeRequest {
  readonly verb: KubeVerb;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
  readonly signal: AbortSignal;
  /** Milliseconds for the whole answer, or, of a stream, for its beginning. */
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

/** Told of each request that is sent. */
export type OnRequest = (verb: KubeVerb) => void;

/**
 * Requests to one API server. The vendor's client knows how to find it and how to authenticate (service account, kubeconfig, exec plug-ins);
 * the requests are made here, because the client opens a connection for each one, and because every request here ends by a deadline.
 */
export class KubeClient {
  readonly #config: KubeConfig;
  readonly #server: URL;
  readonly #agent: HttpsAgent | HttpAgent;
  readonly #onRequest: OnRequest | undefined;

  private constructor(config: KubeConfig, onRequest?: OnRequest) {
    const server = config.getCurrentCluster()?.server;
    if (!server) throw new Error('There is no Kubernetes API to speak to: set KUBECONFIG, or run inside a cluster');
    this.#config = config;
    this.#onRequest = onRequest;
    this.#server = new URL(server);
    const pool = { keepAlive: true, keepAliveMsecs: 30_000, maxSockets: 32 };
    this.#agent = this.#server.protocol === 'http:' ? new HttpAgent(pool) : new HttpsAgent(pool);
  }

  /** Where the API server is. */
  get server(): string {
    return this.#server.href;
  }

  /** @param kubeconfig path of a file; left out: the service account of this pod. @throws where neither is there */
  static async open(kubeconfig?: string, onRequest?: OnRequest): Promise<KubeClient> {
    const config = await newConfig();
    if (kubeconfig === undefined) config.loadFromCluster();
    else config.loadFromFile(kubeconfig);
    return new KubeClient(config, onRequest);
  }

  /** The same API server, by connections of its own. */
  another(): KubeClient {
    return new KubeClient(this.#config);
  }

  /** The same API server, asked by somebody else. @param token of a service account */
  async as(token: string): Promise<KubeClient> {
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

  /** The same API server as seen through another address, e.g. a forwarded port. */
  async through(host: string, port: number): Promise<KubeClient> {
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
   * One request, and its answer as JSON.
   * @throws KubeError, with status 0 where no answer came in time; the reason of the signal when it aborts
   */
  async call<Answer>({ timeoutMs = ANSWER_MS, ...call }: KubeRequest): Promise<Answer> {
    const late = AbortSignal.timeout(timeoutMs);
    const either = AbortSignal.any([call.signal, late]);
    try {
      const response = await this.#begin(call, either);
      const text = await read(response);
      if (!isGood(response)) throw KubeError.of(response.statusCode ?? 0, text);
      return JSON.parse(text) as Answer;
    } catch (error) {
      throw this.#explain(error, call, late, timeoutMs);
    }
  }

  /**
   * Lines of a long answer as they come, until the server ends it.
   * @param begun called when the answer began; from then on its deadline is that of the caller
   * @throws like `call`
   */
  async *lines<Line>({ timeoutMs = ANSWER_MS, ...call }: KubeRequest, begun: () => void): AsyncGenerator<Line> {
    const late = new AbortController();
    const clock = systemTimers.setTimeout(() => late.abort(), timeoutMs);
    try {
      const response = await this.#begin(call, AbortSignal.any([call.signal, late.signal]));
      systemTimers.clearTimeout(clock);
      if (!isGood(response)) throw KubeError.of(response.statusCode ?? 0, await read(response));
      begun();
      let rest = '';
      response.setEncoding('utf8');
      for await (const chunk of response) {
        const lines = (rest + String(chunk)).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line !== '') yield JSON.parse(line) as Line;
      }
    } catch (error) {
      throw this.#explain(error, call, late.signal, timeoutMs);
    } finally {
      systemTimers.clearTimeout(clock);
    }
  }

  /** Ends all connections. */
  close(): void {
    this.#agent.destroy();
  }

  #explain(error: unknown, { verb, path, signal }: KubeRequest, late: AbortSignal, timeoutMs: number): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof KubeError) return error;
    const why = late.aborted
      ? `no answer to ${methods[verb]} ${path} within ${timeoutMs / 1000} s`
      : error instanceof Error
        ? error.message
        : String(error);
    return new KubeError(0, 'Away', `The Kubernetes API cannot be reached: ${why}`, { cause: error });
  }

  async #begin(call: Omit<KubeRequest, 'timeoutMs'>, signal: AbortSignal): Promise<IncomingMessage> {
    const options: RequestOptions = {};
    await this.#config.applyToHTTPSOptions(options);
    signal.throwIfAborted();
    const [sent, answered] = this.#send(call, options, signal);
    return answered.catch((error: unknown) => {
      // The server had closed a connection that was kept: it has not seen this request.
      const unseen = sent.reusedSocket && error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
      if (!unseen || signal.aborted) throw error;
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
    const proxied = this.#config.getCurrentCluster()?.proxyUrl !== undefined;
    const agent = proxied ? options.agent : this.#agent;
    const request = this.#server.protocol === 'http:' ? httpRequest : httpsRequest;
    const sent = request(url, { ...options, method, headers, agent, signal });
    const answered = once(sent, 'response').then(([response]) => response as IncomingMessage);
    // An error after the answer began is the answer's own.
    sent.on('error', () => undefined);
    sent.end(text);
    return [sent, answered];
  }
}

const isGood = ({ statusCode = 0 }: IncomingMessage) => statusCode >= 200 && statusCode < 300;

async function read(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

/** The vendor's client is loaded when it is used: 80 MiB that a controller on one machine does without. */
async function newConfig(): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  return new KubeConfig();
}
