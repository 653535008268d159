import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import {
  MAX_PARSED_ELEMENTS,
  MAX_PARSED_NAME_CHARACTERS,
  type ParsedElement,
} from '@pilothouse/contract/observation/screen-parse.schema';

/** Maximum bytes of a response. The response includes an annotated screenshot. */
const MAX_ANSWER_BYTES = 16_000_000;

/** Smallest size of an element, as a part of the screenshot. */
const MIN_SIDE_RATIO = 0.0005;

/** Answer to `POST /parse/` of an OmniParser server (omniparserserver.py), before its entries are checked. */
interface Answer {
  readonly parsed_content_list?: unknown;
}

/** An entry of the answer. The box is left, top, right, bottom, each from 0 to 1. */
type Entry = { readonly [Field in 'type' | 'bbox' | 'interactivity' | 'content']?: unknown };

interface OmniParserOptions {
  /** Address of the server; `/parse/` is added. */
  readonly url: string;
  /** Milliseconds for one screenshot. */
  readonly timeoutMs: number;
}

/** Client of an OmniParser server. */
export class OmniParser {
  readonly #endpoint: string;
  readonly #timeoutMs: number;

  constructor({ url, timeoutMs }: OmniParserOptions) {
    this.#endpoint = `${url.endsWith('/') ? url.slice(0, -1) : url}/parse/`;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Parts of boxes outside the screenshot are cut off; unusable boxes are left out.
   * @returns at most `MAX_PARSED_ELEMENTS`, in the order of the server
   * @throws PilothouseError UNAVAILABLE with the reason; the reason of the signal
   */
  async parse(jpeg: Buffer, signal: AbortSignal): Promise<ParsedElement[]> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      const response = await fetch(this.#endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ base64_image: jpeg.toString('base64') }),
        redirect: 'error',
        signal: AbortSignal.any([signal, timeout]),
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw failure(`answered with status ${response.status}`);
      }
      return elementsOf(await readJson(response));
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) throw failure(`did not answer within ${this.#timeoutMs} ms`);
      throw error instanceof PilothouseError
        ? error
        : failure('request failed; check PILOTHOUSE_SCREEN_PARSER_URL and the server', error);
    }
  }
}

const failure = (problem: string, cause?: unknown): PilothouseError =>
  new PilothouseError('UNAVAILABLE', `The screen parser ${problem}`, { cause });

async function readJson(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw failure(`sent more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw failure('did not answer with JSON', error);
  }
}

function elementsOf(answer: unknown): ParsedElement[] {
  const entries = (answer as Answer | null)?.parsed_content_list;
  if (!Array.isArray(entries)) throw failure('answered without the list `parsed_content_list`');
  const elements: ParsedElement[] = [];
  for (const entry of entries as unknown[]) {
    const element = elementOf(entry);
    if (element) elements.push(element);
    if (elements.length === MAX_PARSED_ELEMENTS) break;
  }
  return elements;
}

function elementOf(entry: unknown): ParsedElement | null {
  const { type, bbox, interactivity, content } = (entry ?? {}) as Entry;
  if (typeof type !== 'string' || !isBox(bbox)) return null;
  const [left, top, right, bottom] = bbox.map((value) => Math.min(1, Math.max(0, value))) as Box;
  const [width, height] = [right - left, bottom - top];
  if (width < MIN_SIDE_RATIO || height < MIN_SIDE_RATIO) return null;
  const name = (typeof content === 'string' ? content : '').trim().slice(0, MAX_PARSED_NAME_CHARACTERS);
  const kind = type === 'text' ? 'text' : 'icon';
  return { kind, name, interactive: interactivity === true, bounds: { x: left, y: top, width, height } };
}

type Box = [left: number, top: number, right: number, bottom: number];

const isBox = (value: unknown): value is Box =>
  Array.isArray(value) && value.length === 4 && value.every(Number.isFinite);
