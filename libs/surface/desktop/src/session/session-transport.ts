import type { SessionRequest } from './session-protocol.ts';

/** Receives what a transport reports. */
export interface TransportListener {
  /** The shape of the message is unknown. */
  onMessage(message: unknown): void;
  /** The session has ended by itself. Called at most once. */
  onLoss(error: Error): void;
}

/** Connection to one session process. */
export interface SessionTransport {
  /** Home folder of the programs, as they see it. */
  readonly home: string;
  /** Called once, before the first `send`. */
  listen(listener: TransportListener): void;
  /** @param onError called if the request cannot be sent */
  send(request: SessionRequest, onError: (error: Error) => void): void;
  /** Stops receiving. Called for a session that breaks the protocol; `end` follows. */
  close(): void;
  /**
   * Ends the process and everything it started, and removes what programs left outside the session folder. Never throws.
   * @param requestStop asks the process to end its programs; resolves when it has, or after a deadline
   * @returns ids of processes that could not be ended
   */
  end(requestStop: () => Promise<void>): Promise<readonly number[]>;
}
