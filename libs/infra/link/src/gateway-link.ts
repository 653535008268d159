import { PilothouseError, type MetricDeltas, type ToWorker } from '@pilothouse/contract';
import { sleep, backoffMs } from '@pilothouse/core';
import { GatewaySession, type GatewaySessionOptions } from './gateway-session.ts';
import { GatewaySocket, RECONNECT_BACKOFF } from './gateway-socket.ts';

/** Default path of the gateway. */
const GATEWAY_PATH = '/v1/gateway';

/**
 * Converts the URL of the gateway to its socket address: `http` becomes `ws`, and a missing path becomes the default one.
 * @throws TypeError for an invalid URL
 */
export function gatewayUrl(given: string): URL {
  const url = new URL(given);
  if (url.protocol === 'http:') url.protocol = 'ws:';
  if (url.protocol === 'https:') url.protocol = 'wss:';
  if (url.pathname === '/' || url.pathname === '') url.pathname = GATEWAY_PATH;
  return url;
}

/** Milliseconds to connect, until the gateway accepts the worker. */
const HANDSHAKE_MS = 5_000;
const GIVE_UP_MS = 300_000;
const UNANSWERED_MS = 30_000;
/** Milliseconds for the other side to close the connection. */
const CLOSE_MS = 1_000;

export interface GatewayLinkOptions extends Omit<GatewaySessionOptions, 'giveUpMs' | 'unansweredMs' | 'bulkChannel'> {
  /** `ws`, `wss`, `http` or `https`; without a path `/v1/gateway`. */
  readonly url: string;
  /** The fleet token. */
  readonly token: string;
  /** Ends the link at once. */
  readonly signal: AbortSignal;
  /** Returns a number from 0 to 1. */
  readonly random?: () => number;
  /** Validates outgoing messages as well: for tests. */
  readonly checkSent?: boolean;
  readonly giveUpMs?: number;
  readonly unansweredMs?: number;
  /** Milliseconds without a request after which the bulk channel is closed. */
  readonly bulkIdleMs?: number;
}

/** The connection of a worker to its gateway. */
export interface GatewayLink {
  /** Reports the free slots; repeated on each new connection. */
  ready(free: number): void;
  /** Sends measurements. @returns false: the gateway wants none now; sent ones may still be lost */
  metrics(deltas: MetricDeltas): boolean;
  /** Disconnects cleanly and ends the link. */
  bye(reason: string): Promise<void>;
  /** Resolves when the link has ended; rejects with FLEET_TOKEN_INVALID or PROTOCOL_VERSION when a retry is useless. */
  readonly completion: Promise<void>;
}

/** Connects to a gateway and reconnects after each loss, until the signal aborts or `bye` is called. */
export function connectToGateway(options: GatewayLinkOptions): GatewayLink {
  const { log, random = Math.random, giveUpMs = GIVE_UP_MS, unansweredMs = UNANSWERED_MS } = options;
  const url = gatewayUrl(options.url);
  const stop = new AbortController();
  const { signal } = stop;
  const { clock, token, checkSent = false, bulkIdleMs: idleMs } = options;
  const open = (onMessage: (message: ToWorker) => void, onDrain: () => void) =>
    GatewaySocket.open({ url, token, clock, log, handshakeMs: HANDSHAKE_MS, checkSent, onMessage, onDrain }, signal);
  const bulkChannel = {
    open: (onMessage: (message: ToWorker) => void) => open(onMessage, () => undefined),
    signal,
    random,
    ...(idleMs !== undefined && { idleMs }),
  };
  const conversation = new GatewaySession({ ...options, giveUpMs, unansweredMs, bulkChannel });
  let socket: GatewaySocket | undefined;
  let isLeaving = false;

  const connectOnce = async () => {
    const began = clock.monotonic();
    socket = await open(
      (message) => conversation.receive(message),
      () => conversation.flush(),
    );
    return conversation.serve(socket, HANDSHAKE_MS - (clock.monotonic() - began));
  };

  const connectAgainAndAgain = async () => {
    const end = () => stop.abort(options.signal.reason);
    if (options.signal.aborted) end();
    options.signal.addEventListener('abort', end, { once: true });
    let failures = 0;
    try {
      while (!signal.aborted && !isLeaving) {
        const { welcomed, moved } = await connectOnce().catch((thrown: unknown) => {
          if (isFatal(thrown)) throw thrown;
          // With the longest delays, about one line in half a minute.
          const say = failures % 25 === 0 ? 'warn' : 'debug';
          if (!signal.aborted) log[say]({ failures, error: messageOf(thrown) }, 'no way to the gateway yet');
          return { welcomed: false, moved: false };
        });
        failures = welcomed ? 0 : failures + 1;
        if (signal.aborted || isLeaving) break;
        if (!moved) await sleep(backoffMs(RECONNECT_BACKOFF, failures + 1, random), signal);
      }
    } finally {
      options.signal.removeEventListener('abort', end);
      conversation.loseAll(new PilothouseError('LEASE_LOST', 'The link to the gateway has ended'));
    }
  };

  return {
    ready: (free) => conversation.ready(free),
    metrics: (deltas) => conversation.metrics(deltas),
    bye: async (reason) => {
      isLeaving = true;
      conversation.bye(reason);
      await socket?.close(CLOSE_MS);
      stop.abort(new PilothouseError('UNAVAILABLE', 'The worker said good-bye'));
    },
    completion: connectAgainAndAgain(),
  };
}

const messageOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown));

const isFatal = (thrown: unknown) =>
  thrown instanceof PilothouseError && (thrown.code === 'FLEET_TOKEN_INVALID' || thrown.code === 'PROTOCOL_VERSION');
