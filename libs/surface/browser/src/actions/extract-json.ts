import {
  type Evidence,
  type Field,
  type Json,
  type JsonSource,
  MAX_EVIDENCE,
  PilothouseError,
  isField,
} from '@pilothouse/contract';
import {
  escapePointer,
  queryJson,
  readJsonField,
  type ActionOutcome,
  type JsonNode,
  raceDeadline,
  remainingMs,
  poll,
} from '@pilothouse/core';
import { playwrightMessage } from '../playwright-errors.ts';
import type { ActionContext } from '../action-context.ts';
import { scriptTexts } from '../injected/page-text.ts';

/** Most characters of a text that are kept. */
const MAX_TEXT = 200;

/** Collects where the values of one step were read. */
export class EvidenceCollector {
  readonly #values: Evidence['values'] = [];
  #total = 0;

  /**
   * @param at JSON pointer into the value of the step
   * @param from CSS path of the element, or JSONPath
   * @param text what stood there
   */
  add(at: string, from: string, text: string | null): void {
    this.#total += 1;
    if (this.#values.length < MAX_EVIDENCE)
      this.#values.push({ pointer: at, source: from, text: text?.slice(0, MAX_TEXT) ?? null });
  }

  /** @param url of the page, or of what it was sent */
  of(url: string): Evidence {
    return { url, total: this.#total, values: this.#values };
  }
}

/** How long what is optional is waited for before it counts as not there, in milliseconds. */
const OPTIONAL_MS = 2000;

/** Part of the time that is kept for saying what was there instead, in milliseconds. */
const reserve = (hand: ActionContext) => Math.min(300, remainingMs(hand) * 0.2);

/** Largest JSON that is read, in characters. */
const MAX_CHARS = 20_000_000;

/** A piece of JSON with where it is from, or why there is none yet. A look that did not come to its end knows nothing of what is there. */
type Source =
  | { readonly root: Json; readonly from: string; readonly url: string }
  | { readonly why: string; readonly isCut?: true };

/**
 * Reads values from JSON of the page, or of what it was sent, waiting for it within the deadline.
 * @throws PilothouseError TARGET_NOT_FOUND saying what is there, EXTRACTION_FAILED for a value that is not of its type
 */
export async function extractJson(
  hand: ActionContext,
  source: JsonSource,
  fields: Field | Record<string, Field>,
  isList: boolean,
  locale?: string,
): Promise<ActionOutcome> {
  const all: [string, Field][] = isField(fields) ? [['', fields]] : Object.entries(fields);
  const optional = all.every(([, field]) => field.optional);
  await hand.settled();
  const most = optional ? Math.min(OPTIONAL_MS, remainingMs(hand)) : remainingMs(hand) - reserve(hand);
  const until = { signal: hand.signal, deadline: performance.now() + most };
  let why = '';
  const found = await poll(async () => {
    /* The last look has some time, too. */
    const bound = { signal: hand.signal, deadline: Math.max(until.deadline, performance.now() + reserve(hand)) };
    const seen = await sourceOf(hand, source, bound);
    if ('why' in seen) {
      // What an earlier look saw says more.
      if (!seen.isCut || why === '') why = seen.why;
      return undefined;
    }
    const nodes = nodesOf(seen.root, source, isList);
    if (nodes.length > 0) return { ...seen, nodes };
    why = `there is no ${source.path ?? 'value'} in ${seen.from}`;
    return undefined;
  }, until);
  const name = describe(source);
  if (!found) {
    if (optional) return { located: null, value: isList ? [] : null };
    throw new PilothouseError('TARGET_NOT_FOUND', `${name}: ${why || 'nothing'}`);
  }
  const { nodes, url } = found;
  if (!isList && nodes.length > 1) {
    const seen = nodes.slice(0, 3).map(({ value }) => JSON.stringify(value).slice(0, 100));
    throw new PilothouseError(
      'TARGET_AMBIGUOUS',
      `${name} matches ${nodes.length} values: ${seen.join(', ')}; make \`path\` more exact, or read a \`list\``,
    );
  }
  const evidence = new EvidenceCollector();
  const values = nodes.map((node, index) => {
    const read = all.map(([field, one]): [string, Json] => {
      const what = [name, isList ? `element ${index}` : '', field].filter(Boolean).join(', ');
      const { value, path } = readJsonField(node, one, what, locale);
      const pointer = `${isList ? `/${index}` : ''}${field && `/${escapePointer(field)}`}`;
      evidence.add(
        pointer,
        path,
        value === null ? null : String(typeof value === 'object' ? JSON.stringify(value) : value),
      );
      return [field, value];
    });
    return isField(fields) ? (read[0]?.[1] ?? null) : Object.fromEntries(read);
  });
  const value = isList ? values : (values[0] ?? null);
  return { located: null, value, evidence: evidence.of(url) };
}

/** The pieces of JSON that are read. A list in one piece is its elements. */
function nodesOf(root: Json, { jsonLd, path }: JsonSource, isList: boolean): JsonNode[] {
  const nodes = queryJson(root, path ?? (jsonLd === undefined ? '$' : '$[*]'));
  const [only] = nodes;
  if (!isList || nodes.length !== 1 || !only || !Array.isArray(only.value)) return nodes;
  return only.value.map((value, index) => ({ value, path: `${only.path}[${index}]` }));
}

const describe = ({ jsonLd, script, response, path }: JsonSource) =>
  `${jsonLd === undefined ? (script ?? `response ${response ?? ''}`) : `linked data ${jsonLd}`}${path === undefined ? '' : ` ${path}`}`;

async function sourceOf(
  hand: ActionContext,
  source: JsonSource,
  until: Pick<ActionContext, 'signal' | 'deadline'>,
): Promise<Source> {
  const { jsonLd, script, response } = source;
  if (response !== undefined) return fromResponse(hand, response, until);
  const css = jsonLd === undefined ? (script ?? '') : 'script[type="application/ld+json" i]';
  const seen = await raceDeadline(hand.page.evaluate(scriptTexts, css), until, 'The look at the scripts').catch(
    (thrown: unknown) => {
      hand.signal.throwIfAborted();
      return { cut: playwrightMessage(thrown) };
    },
  );
  if ('cut' in seen) return { why: seen.cut, isCut: true };
  if (seen.wrong) return { why: seen.wrong };
  const url = hand.page.url();
  if (jsonLd !== undefined) return linked(seen.texts, jsonLd, url);
  const [text] = seen.texts;
  if (text === undefined) return { why: `there is no such script; there are: ${seen.others.join(', ') || 'none'}` };
  if (seen.texts.length > 1)
    throw new PilothouseError('TARGET_AMBIGUOUS', `${css} matches ${seen.texts.length} scripts`);
  const root = parsed(text);
  return root === undefined ? { why: `${css} holds no JSON: ${text.slice(0, 100)}` } : { root, from: css, url };
}

/** JSON, also as a script gives it to a variable: `window.state = {...};`. */
function parsed(text: string): Json | undefined {
  if (text.length > MAX_CHARS) return undefined;
  for (const json of [
    text,
    text.replace(/^\s*(?:(?:var|let|const)\s+)?[\w.$[\]'"]+\s*=\s*/, '').replace(/;\s*$/, ''),
  ]) {
    try {
      return JSON.parse(json) as Json;
    } catch {
      /* the other way of writing it, or none */
    }
  }
  return undefined;
}

/** All objects of linked data, those of a graph by themselves; of one type, whatever vocabulary it is written with. */
function linked(texts: readonly string[], type: string, url: string): Source {
  const things = texts.flatMap((text) => thingsOf(parsed(text) ?? null));
  const wanted = things.filter((thing) => type === '*' || typesOf(thing).includes(type));
  if (wanted.length > 0) return { root: wanted, from: 'the linked data', url };
  const types = [...new Set(things.flatMap(typesOf))].slice(0, 20);
  return { why: `the page has no linked data of this type; there is: ${types.join(', ') || 'none'}` };
}

function thingsOf(value: Json): Record<string, Json>[] {
  if (Array.isArray(value)) return value.flatMap(thingsOf);
  if (typeof value !== 'object' || value === null) return [];
  const graph = value['@graph'];
  return [...(typesOf(value).length > 0 ? [value] : []), ...(graph === undefined ? [] : thingsOf(graph))];
}

const typesOf = (thing: Record<string, Json>): string[] =>
  [thing['@type']].flat().flatMap((type) => (typeof type === 'string' ? (type.split(/[/#:]/).at(-1) ?? []) : []));

/** The newest answer to a request of this pattern. */
async function fromResponse(
  hand: ActionContext,
  pattern: string,
  until: Pick<ActionContext, 'signal' | 'deadline'>,
): Promise<Source> {
  const { responses } = hand.tabs;
  if (!responses) throw new PilothouseError('ACTION_UNSUPPORTED', 'This surface was opened without keeping responses');
  const request = responses.newest(pattern);
  if (!request) {
    const last = responses.last(10).map((url) => url.slice(0, 150));
    return { why: `nothing that the page asked for matches; it asked for: ${last.join(', ') || 'nothing'}` };
  }
  const url = request.url();
  const response = await raceDeadline(request.response(), until, `The answer of ${url}`).catch((thrown: unknown) => {
    hand.signal.throwIfAborted();
    if (thrown instanceof PilothouseError)
      throw new PilothouseError('TARGET_NOT_FOUND', `${url} gave no answer in time`);
    return null;
  });
  if (!response) return { why: `${url} was not answered: ${request.failure()?.errorText ?? 'it was given up'}` };
  if (!response.ok()) return { why: `${url} answered ${response.status()}` };
  const text = await raceDeadline(response.text(), until, `The answer of ${url}`).catch((thrown: unknown) => {
    hand.signal.throwIfAborted();
    return { gone: playwrightMessage(thrown) };
  });
  if (typeof text !== 'string') return { why: `the answer of ${url} is not there any more: ${text.gone}` };
  const root = parsed(text);
  return root === undefined ? { why: `${url} answered no JSON: ${text.slice(0, 100)}` } : { root, from: url, url };
}
