import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** What is asked of a site. */
export interface PageRequest {
  readonly form?: URLSearchParams;
  readonly cookie: string;
  readonly signal: AbortSignal;
  /** Called in the tick in which the request is written; what it throws is thrown, and nothing was sent. */
  readonly guard?: () => void;
}

/** What the site answered. */
export interface PageResponse {
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
export async function fetchPage(url: URL, ask: PageRequest): Promise<PageResponse> {
  // A kept connection may be closed by the site in the moment in which it is used again. Nobody knows then whether a form arrived,
  // so forms get a connection of their own; a page is asked for once more (RFC 9110, section 9.2.2).
  const response = ask.form
    ? await answerTo(url, ask, false)
    : await answerTo(url, ask, agent).catch((thrown: unknown) => {
        if (thrown instanceof StaleConnection) return answerTo(url, ask, false);
        throw thrown;
      });
  const { headers } = response;
  return { html: await text(response), location: headers.location, cookies: headers['set-cookie'] ?? [] };
}

/** A connection that was kept had ended before anything was answered on it. */
class StaleConnection extends Error {}

/** @param of keeps connections; false: a connection for this request only */
function answerTo(url: URL, { form, cookie, signal, guard }: PageRequest, of: Agent | false): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const body = form?.toString();
    const headers = {
      cookie,
      ...(body !== undefined && {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
      }),
    };
    const asked = request(url, { method: form ? 'POST' : 'GET', headers, agent: of, signal });
    asked.once('response', resolve);
    asked.once('error', (error: NodeJS.ErrnoException) => {
      if (signal.aborted) reject(signal.reason as Error);
      else reject(asked.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection(error.message) : error);
    });
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
}
