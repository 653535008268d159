import { Inject } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { SignInAttemptStore } from '@pilothouse/infra-db';
import { hashToken } from '@pilothouse/infra-vault';

/** Seconds over which attempts are counted. */
export const ATTEMPT_WINDOW_SECONDS = 900;

/** Maximum attempts from one address, for one account from one address, and for one account from all addresses. */
const MAX_ATTEMPTS = { address: 50, accountAtAddress: 10, account: 100 };

/**
 * Limits sign-in attempts, so that passwords cannot be guessed. The lowest limit applies to an account from one address, so that an attacker
 * with few addresses cannot lock the owner out.
 */
export class SignInLimiter {
  constructor(@Inject(SignInAttemptStore) private readonly attempts: SignInAttemptStore) {}

  /** Counts an attempt. @param account e-mail address or other name of the account. @throws PilothouseError RATE_LIMITED */
  async checkAttempt(address: string, account: string): Promise<void> {
    const limits = [
      { key: hashToken(`address:${address}`), max: MAX_ATTEMPTS.address },
      { key: accountAtAddressKey(address, account), max: MAX_ATTEMPTS.accountAtAddress },
      { key: hashToken(`account:${account}`), max: MAX_ATTEMPTS.account },
    ];
    const seconds = await this.attempts.count(limits, ATTEMPT_WINDOW_SECONDS);
    if (seconds === 0) return;
    throw new PilothouseError('RATE_LIMITED', `Too many attempts. Try again in ${formatDuration(seconds)}.`, {
      details: { retryAfterSeconds: seconds },
    });
  }

  /** Forgets failed attempts for an account from this address, after a successful sign-in. */
  async reset(address: string, account: string): Promise<void> {
    await this.attempts.purge(ATTEMPT_WINDOW_SECONDS, [accountAtAddressKey(address, account)]);
  }
}

const accountAtAddressKey = (address: string, account: string) => hashToken(`here:${address}:${account}`);

const formatDuration = (seconds: number) => (seconds <= 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`);
