import { Inject } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract';
import { SignInAttemptStore } from '@pilothouse/infra-db';
import { hashToken } from '@pilothouse/infra-vault';

/** Seconds over which tries are counted. */
export const ATTEMPT_WINDOW_SECONDS = 900;

/** Tries from one address, for one account from one address, and for one account from everywhere. */
const MOST = { address: 50, here: 10, account: 100 };

/**
 * Keeps passwords from being guessed. The tightest limit is for an account from one address: a stranger who tries does not lock the
 * owner out, until he has a great many addresses.
 */
export class SignInLimiter {
  constructor(@Inject(SignInAttemptStore) private readonly tries: SignInAttemptStore) {}

  /** Counts a try. @param account what is tried to get into. @throws PilothouseError RATE_LIMITED */
  async checkAttempt(address: string, account: string): Promise<void> {
    const limits = [
      { key: hashToken(`address:${address}`), max: MOST.address },
      { key: hereOf(address, account), max: MOST.here },
      { key: hashToken(`account:${account}`), max: MOST.account },
    ];
    const seconds = await this.tries.count(limits, ATTEMPT_WINDOW_SECONDS);
    if (seconds === 0) return;
    throw new PilothouseError('RATE_LIMITED', `Too many attempts; try again in ${minutes(seconds)}`, {
      details: { retryAfterSeconds: seconds },
    });
  }

  /** Somebody came in: what was mistyped before no longer counts against him here. */
  async reset(address: string, account: string): Promise<void> {
    await this.tries.forget([hereOf(address, account)], ATTEMPT_WINDOW_SECONDS);
  }
}

const hereOf = (address: string, account: string) => hashToken(`here:${address}:${account}`);

const minutes = (seconds: number) => (seconds <= 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`);
