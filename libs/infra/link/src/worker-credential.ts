import { createHash, randomBytes } from 'node:crypto';

/** Bytes of a session key. */
const KEY_BYTES = 32;

/**
 * Credential of a worker. It starts with the token that the worker was given. The gateway exchanges a join token, which is valid once,
 * for the session key of this process. The key exists in memory only. Its hash travels in `hello`, so a `hello` whose answer was lost is
 * repeated with the same join token, and a thief of the token has another key.
 */
export class WorkerCredential {
  readonly #sessionKey = `sk_${randomBytes(KEY_BYTES).toString('base64url')}`;
  #bearer: string;

  constructor(token: string) {
    this.#bearer = token;
  }

  /** Value of `Authorization: Bearer`. */
  get bearer(): string {
    return this.#bearer;
  }

  /** SHA-256 of the session key, hex. */
  get sessionKeyHash(): string {
    return createHash('sha256').update(this.#sessionKey).digest('hex');
  }

  /** The gateway has exchanged the token: forgets it, and uses the session key from now on. */
  onExchanged(): void {
    this.#bearer = this.#sessionKey;
  }
}
