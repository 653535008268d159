import type { Request } from 'playwright-core';

/** Maximum number and size of contents. */
const MAX_CONTENTS = 100;
const MAX_CONTENT_CHARS = 100_000;
const MAX_TOTAL_CHARS = 2_000_000;

/** A shorter text is a part of most contents by chance. */
const MIN_PART_CHARS = 4;

/** Requests of scripts, whose URLs may contain a value as a path. */
const scriptTypes: ReadonlySet<string> = new Set(['fetch', 'xhr']);

/** Content of one request or one frame of a socket. */
interface SentContent {
  readonly sentAt: number;
  /** URL of a request of a script; empty for others. */
  readonly url: string;
  /** Values of the query. */
  readonly values: readonly string[];
  readonly body: string;
}

/** Last contents that a page sent. */
export class SentTexts {
  readonly #contents: SentContent[] = [];

  addRequest(request: Request, sentAt: number): void {
    const url = request.url();
    const body = request.postData() ?? '';
    const values = URL.canParse(url) ? [...new URL(url).searchParams.values()] : [];
    const isScript = scriptTypes.has(request.resourceType());
    if (isScript || body !== '' || values.length > 0) this.#add({ sentAt, url: isScript ? url : '', values, body });
  }

  /** Adds a frame of a socket. A single digit is a heartbeat of a protocol. */
  addFrame(payload: string | Buffer, sentAt: number): void {
    const body = payload.toString();
    if (!/^\d?$/.test(body)) this.#add({ sentAt, url: '', values: [], body });
  }

  /** True if the page sent a text after a time. A short text has to be a whole word of a body or of a query value. */
  hasSince(instant: number, text: string): boolean {
    const trimmed = text.trim();
    if (trimmed === '') return false;
    const isPart = trimmed.length >= MIN_PART_CHARS ? partTest(trimmed) : wordTest(trimmed);
    return this.#contents.some(({ sentAt, url, values, body }) => {
      if (sentAt <= instant) return false;
      if (isPart(body) || values.some((value) => value.trim() === trimmed)) return true;
      return trimmed.length < MIN_PART_CHARS ? values.some(isPart) && url !== '' : isPart(url);
    });
  }

  #add(content: SentContent): void {
    const [url, body] = [content.url.slice(0, MAX_CONTENT_CHARS), content.body.slice(0, MAX_CONTENT_CHARS)];
    this.#contents.push({ ...content, url, body });
    const size = () => this.#contents.reduce((sum, { url, body }) => sum + url.length + body.length, 0);
    while (this.#contents.length > MAX_CONTENTS || size() > MAX_TOTAL_CHARS) this.#contents.shift();
  }
}

/** Returns the forms in which a content may contain a text. */
const formsOf = (text: string): string[] => [
  text,
  encodeURIComponent(text),
  new URLSearchParams([['', text]]).toString().slice(1),
  JSON.stringify(text).slice(1, -1),
];

function partTest(text: string): (content: string) => boolean {
  const forms = formsOf(text);
  return (content) => forms.some((form) => content.includes(form));
}

/** Parts of a larger number, a date or a version are no words. */
function wordTest(text: string): (content: string) => boolean {
  const forms = formsOf(text);
  return (content) => forms.some((form) => containsWord(content, form));
}

function containsWord(content: string, word: string): boolean {
  for (let start = content.indexOf(word); start >= 0; start = content.indexOf(word, start + 1)) {
    const end = start + word.length;
    const isStart = !/(?:[\p{L}\p{N}_]|\p{N}[.:/-])$/u.test(content.slice(Math.max(0, start - 2), start));
    if (isStart && !/^(?:[\p{L}\p{N}_]|[.:/-]\p{N})/u.test(content.slice(end, end + 2))) return true;
  }
  return false;
}
