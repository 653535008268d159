import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** A form of a page, as far as it takes to send it. */
export interface HttpForm {
  readonly action: string;
  /** Values of its fields by name, as the page gives them. */
  readonly fields: Readonly<Record<string, string>>;
}

/** What is read of a page without a browser: enough for plain forms, nothing of scripts. */
export class HttpPage {
  readonly url: string;
  readonly title: string;
  /** What a person would read, in one line. */
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

  /** Whether there is a button with this name. */
  hasButton(name: string): boolean {
    return this.forms().some(({ buttons }) => buttons.some((button) => includesIgnoreCase(button, name)));
  }

  /** The form that the button with this name sends. */
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

/** Whether a text contains another, whatever the case. */
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
