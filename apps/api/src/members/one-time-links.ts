import { Inject } from '@nestjs/common';
import { hashToken, newToken } from '@pilothouse/infra-vault';
import type { HttpRequest } from '../http/route-request.ts';
import { CONSOLE_URL } from '../common/injection-tokens.ts';

/** A link that is shown once and stored as a hash. */
export interface OneTimeLink {
  readonly url: string;
  readonly hash: string;
}

/** Creates links into the console. The token is behind the `#`, which browsers do not send, so that no log contains it. */
export class OneTimeLinks {
  constructor(@Inject(CONSOLE_URL) private readonly consoleUrl: string | undefined) {}

  /** @param page of the console. @param request its origin is used if no console URL is configured */
  create(page: 'invitation' | 'reset-password', { origin }: Pick<HttpRequest, 'origin'>): OneTimeLink {
    const token = newToken('phl_');
    return { url: `${this.consoleUrl ?? origin}/${page}#${token}`, hash: hashToken(token) };
  }
}
