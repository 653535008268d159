import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** What is asked of a site. */
export interface Ask {
  readonly form?: URLSearchParams;
  readonly cookie: string;
  readonly signal: AbortSignal;
  /** Called in the tick in which the request is written; what it throws is thrown, and nothing was sent. */
  readonly guard?: () => void;
}

/** What the site answered. */
export interface Answer {
  readonly html: string;
  readonly location: string | undefined;
  readonly cookies: readonly string[];
}

const agent = new Agent({ keepAlive: true });

/**
 * One request and its answer. The connection is made first: between the guard and the writing there is no wait, so a process that is
 * stopped meanwhile finds its guard closed when it goes on.
 * @throws what the guard throws; the reason of the signal; Error when the site cannot be reached
 */
export async function exchange(url: URL, { form, cookie, signal, guard }: Ask): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const body = form?.toString();
    const headers = {
      cookie,
      ...(body !== undefined && {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
      }),
    };
    const asked = request(url, { method: form ? 'POST' : 'GET', headers, agent, signal });
    asked.once('response', resolve);
    asked.once('error', (error) => reject(signal.aborted ? signal.reason : error));
    const send = () => {
      try {
        guard?.();
        asked.end(body);
      } catch (refused) {
        asked.once('error', () => undefined).destroy();
        reject(refused as Error);
      }
    };
    asked.once('socket', (socket) => (socket.connecting ? socket.once('connect', send) : send()));
  });
  const { headers } = response;
  return { html: await text(response), location: headers.location, cookies: headers['set-cookie'] ?? [] };
}
