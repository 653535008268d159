import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** A form of a page, reduced to the data that sends it. */
export interface HttpForm {
  readonly action: string;
  /** Initial values of its fields by name. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A page parsed without a browser: supports plain forms, no scripts. */
export class HttpPage {
  readonly url: string;
  readonly title: string;
  /** Visible text, in one line. */
  readonly text: string;
  private readonly html: string;

  constructor(url: string, html: string) {
    this.url = url;
    this.html = html;
    this.title = textOf(/<title>(.*?)<\/title>/is.exec(html)?.[1] ?? '');
    this.text = textOf(html.replace(/<(script|style|title)\b.*?<\/\1>/gis, ' '));
  }

  /** Name of the field with this label. */
  fieldOf(label: string): string | undefined {
    const id = [...this.html.matchAll(/<label for="([^"]+)">(.*?)<\/label>/gis)].find(([, , text]) =>
      includesIgnoreCase(textOf(text ?? ''), label),
    )?.[1];
    const field = [...this.html.matchAll(/<(?:input|textarea|select)\b[^>]*>/gi)].find(
      ([tag]) => attribute(tag, 'id') === id,
    );
    return id && field && attribute(field[0], 'name');
  }

  /** True if the page has a button with this name. */
  hasButton(name: string): boolean {
    return this.forms().some(({ buttons }) => buttons.some((button) => includesIgnoreCase(button, name)));
  }

  /** The form that the button with this name submits. */
  formOf(name: string): HttpForm | undefined {
    return this.forms().find(({ buttons }) => buttons.some((button) => includesIgnoreCase(button, name)));
  }

  private forms(): (HttpForm & { buttons: string[] })[] {
    return [...this.html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)].map(([, open = '', inner = '']) => ({
      action: new URL(attribute(open, 'action') ?? this.url, this.url).href,
      fields: fieldsOf(inner),
      buttons: [...inner.matchAll(/<button\b[^>]*>(.*?)<\/button>/gis)].map(([, text]) => textOf(text ?? '')),
    }));
  }
}

/** True if a text contains another, ignoring case. */
export const includesIgnoreCase = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());

function fieldsOf(inner: string): Record<string, string> {
  const inputs = [...inner.matchAll(/<input\b[^>]*>/gi)].map(([tag]) => [
    attribute(tag, 'name'),
    attribute(tag, 'value'),
  ]);
  const areas = [...inner.matchAll(/<textarea\b([^>]*)>(.*?)<\/textarea>/gis)].map(([, open = '', text]) => [
    attribute(open, 'name'),
    textOf(text ?? ''),
  ]);
  const choices = [...inner.matchAll(/<select\b([^>]*)>.*?<option\b[^>]*>(.*?)<\/option>/gis)].map(
    ([, open = '', text]) => [attribute(open, 'name'), textOf(text ?? '')],
  );
  const named = [...inputs, ...areas, ...choices].flatMap(([name, value]) =>
    name ? [[name, value ?? ''] as const] : [],
  );
  return Object.fromEntries(named);
}

const attribute = (tag: string, name: string) => {
  const value = [...tag.matchAll(/\b([\w-]+)="([^"]*)"/g)].find(([, key]) => key?.toLowerCase() === name)?.[2];
  return value === undefined ? undefined : unescaped(value);
};

const textOf = (html: string) =>
  unescaped(html.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** A request to a site. */
export interface PageRequest {
  readonly form?: URLSearchParams;
  readonly cookie: string;
  readonly signal: AbortSignal;
  /** Called in the tick that writes the request. An error is rethrown, and nothing is sent. */
  readonly guard?: () => void;
}

/** The response of the site. */
export interface PageResponse {
  readonly html: string;
  readonly location: string | undefined;
  readonly cookies: readonly string[];
}

const agent = new Agent({ keepAlive: true });

/**
 * Sends one request. Connects first: nothing is awaited between guard and write, so a suspended process checks its guard again when it
 * resumes.
 * @throws errors of the guard; the reason of the signal; Error when the site is unreachable
 */
export async function fetchPage(url: URL, pageRequest: PageRequest): Promise<PageResponse> {
  // The site may close an idle connection at the moment of its reuse. It is then unknown whether a form arrived, so forms use a new
  // connection; a page is requested again (RFC 9110, section 9.2.2).
  const response = pageRequest.form
    ? await answerTo(url, pageRequest, false)
    : await answerTo(url, pageRequest, agent).catch((thrown: unknown) => {
        if (thrown instanceof StaleConnection) return answerTo(url, pageRequest, false);
        throw thrown;
      });
  const { headers } = response;
  return { html: await text(response), location: headers.location, cookies: headers['set-cookie'] ?? [] };
}

/** True if a reused connection ended before the response began. */
class StaleConnection extends Error {}

/** @param agent keeps connections alive; false: one connection for this request */
function answerTo(
  url: URL,
  { form, cookie, signal, guard }: PageRequest,
  agent: Agent | false,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const body = form?.toString();
    const headers = {
      cookie,
      ...(body !== undefined && {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
      }),
    };
    const outgoing = request(url, { method: form ? 'POST' : 'GET', headers, agent, signal });
    outgoing.once('response', resolve);
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      if (signal.aborted) reject(signal.reason as Error);
      else reject(outgoing.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection(error.message) : error);
    });
    const send = () => {
      try {
        guard?.();
        outgoing.end(body);
      } catch (refused) {
        outgoing.once('error', () => undefined).destroy();
        reject(refused as Error);
      }
    };
    outgoing.once('socket', (socket) => (socket.connecting ? socket.once('connect', send) : send()));
  });
}
