import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ToWorker } from '@pilothouse/contract/worker/to-worker.messages';
import type { MetricDeltas } from '@pilothouse/contract/worker/worker-metrics.schema';
import { backoffMs } from '@pilothouse/core/time/backoff';
import { sleep } from '@pilothouse/core/time/timers';
import { GatewaySession, type GatewaySessionOptions } from './gateway-session.ts';
import { GatewaySocket, RECONNECT_BACKOFF } from './gateway-socket.ts';
import { WorkerCredential } from './worker-credential.ts';

/** Default path of the gateway. */
const GATEWAY_PATH = '/v1/gateway';

/**
 * Converts the URL of the gateway to its socket address: `http` becomes `ws`, and a missing path becomes the default one.
 * @throws TypeError for an invalid URL
 */
export function gatewayUrl(address: string): URL {
  const url = new URL(address);
  if (url.protocol === 'http:') url.protocol = 'ws:';
  if (url.protocol === 'https:') url.protocol = 'wss:';
  if (url.pathname === '/' || url.pathname === '') url.pathname = GATEWAY_PATH;
  return url;
}

/** Milliseconds to connect, until the gateway accepts the worker. */
const HANDSHAKE_TIMEOUT_MS = 5_000;
const DEFAULT_RENEWAL_TIMEOUT_MS = 300_000;
const DEFAULT_ACK_TIMEOUT_MS = 30_000;
/** Milliseconds for the other side to close the connection. */
const CLOSE_TIMEOUT_MS = 1_000;

export interface GatewayLinkOptions extends Omit<
  GatewaySessionOptions,
  'renewalTimeoutMs' | 'ackTimeoutMs' | 'bulkChannel' | 'credential'
> {
  /** `ws`, `wss`, `http` or `https`; without a path `/v1/gateway`. */
  readonly url: string;
  /** A fleet token, or a join token. */
  readonly token: string;
  /** Ends the link at once. */
  readonly signal: AbortSignal;
  /** Returns a number from 0 to 1. */
  readonly random?: () => number;
  /** Validates outgoing messages as well: for tests. */
  readonly validateOutgoing?: boolean;
  readonly renewalTimeoutMs?: number;
  readonly ackTimeoutMs?: number;
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
  /** Resolves when the link has ended; rejects with FLEET_TOKEN_INVALID, JOIN_REFUSED or PROTOCOL_VERSION when a retry is useless. */
  readonly completion: Promise<void>;
}

/** Connects to a gateway and reconnects after each loss, until the signal aborts or `bye` is called. */
export function connectToGateway(options: GatewayLinkOptions): GatewayLink {
  const {
    log,
    random = Math.random,
    renewalTimeoutMs = DEFAULT_RENEWAL_TIMEOUT_MS,
    ackTimeoutMs = DEFAULT_ACK_TIMEOUT_MS,
  } = options;
  const url = gatewayUrl(options.url);
  const stop = new AbortController();
  const { signal } = stop;
  const { clock, validateOutgoing = false, bulkIdleMs: idleMs } = options;
  const credential = new WorkerCredential(options.token);
  const open = (onMessage: (message: ToWorker) => void, onWritable: () => void) =>
    GatewaySocket.open(
      {
        ...{ url, clock, log, validateOutgoing, onMessage, onWritable },
        token: credential.bearer,
        handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
      },
      signal,
    );
  const bulkChannel = {
    open: (onMessage: (message: ToWorker) => void) => open(onMessage, () => undefined),
    signal,
    random,
    ...(idleMs !== undefined && { idleMs }),
  };
  const session = new GatewaySession({ ...options, renewalTimeoutMs, ackTimeoutMs, bulkChannel, credential });
  let socket: GatewaySocket | undefined;
  let isClosing = false;

  const connectOnce = async () => {
    const startedAt = clock.monotonic();
    socket = await open(
      (message) => session.receive(message),
      () => session.flush(),
    );
    return session.serve(socket, HANDSHAKE_TIMEOUT_MS - (clock.monotonic() - startedAt));
  };

  const runUntilStopped = async () => {
    const end = () => stop.abort(options.signal.reason);
    if (options.signal.aborted) end();
    options.signal.addEventListener('abort', end, { once: true });
    let failures = 0;
    try {
      while (!signal.aborted && !isClosing) {
        const { wasWelcomed, shouldReconnectNow } = await connectOnce().catch((error: unknown) => {
          if (isFatal(error)) throw error;
          // With the longest delays, about one line in half a minute.
          const level = failures % 25 === 0 ? 'warn' : 'debug';
          if (!signal.aborted) log[level]({ failures, error: errorMessage(error) }, 'gateway connection failed');
          return { wasWelcomed: false, shouldReconnectNow: false };
        });
        failures = wasWelcomed ? 0 : failures + 1;
        if (signal.aborted || isClosing) break;
        if (!shouldReconnectNow) await sleep(backoffMs(RECONNECT_BACKOFF, failures + 1, random), signal);
      }
    } finally {
      options.signal.removeEventListener('abort', end);
      session.loseAll(new PilothouseError('LEASE_LOST', 'The gateway link is closed'));
    }
  };

  return {
    ready: (free) => session.ready(free),
    metrics: (deltas) => session.metrics(deltas),
    bye: async (reason) => {
      isClosing = true;
      session.bye(reason);
      await socket?.close(CLOSE_TIMEOUT_MS);
      stop.abort(new PilothouseError('UNAVAILABLE', 'The worker disconnected'));
    },
    completion: runUntilStopped(),
  };
}

const errorMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Codes after which another attempt has the same result. */
const FATAL_CODES: ReadonlySet<string> = new Set(['FLEET_TOKEN_INVALID', 'JOIN_REFUSED', 'PROTOCOL_VERSION']);

const isFatal = (error: unknown) => error instanceof PilothouseError && FATAL_CODES.has(error.code);
