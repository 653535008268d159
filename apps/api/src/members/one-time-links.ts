import { Inject } from '@nestjs/common';
import { hashToken, newToken } from '@pilothouse/infra-vault';
import type { HttpRequest } from '../http/route-request.ts';
import { CONSOLE_URL } from '../common/injection-tokens.ts';

/** What is handed to a user: shown once, stored as a hash. */
export interface OneTimeLink {
  readonly url: string;
  readonly hash: string;
}

/** Makes links into the console. What opens the door is behind the `#`, which browsers send to no server, so that no log has it. */
export class OneTimeLinks {
  constructor(@Inject(CONSOLE_URL) private readonly consoleUrl: string | undefined) {}

  /** @param page of the console. @param request where nothing is configured, the console is where the request was made */
  create(page: 'invitation' | 'reset-password', { origin }: Pick<HttpRequest, 'origin'>): OneTimeLink {
    const token = newToken('phl_');
    return { url: `${this.consoleUrl ?? origin}/${page}#${token}`, hash: hashToken(token) };
  }
}
