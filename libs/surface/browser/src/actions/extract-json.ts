import {
  type Evidence,
  type Field,
  type JsonSource,
  MAX_EVIDENCE,
  isField,
} from '@pilothouse/contract/actions/extraction.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { ActionOutcome } from '@pilothouse/core/ports/surface-action.port';
import { newDeadline, raceDeadline, remainingMs, poll } from '@pilothouse/core/time/deadlines';
import { escapePointer } from '@pilothouse/core/workflow/templates';
import { queryJson, readJsonField, type JsonNode } from '@pilothouse/core/workflow/values/read-json';
import { playwrightMessage } from '../playwright-errors.ts';
import type { ActionContext } from '../action-context.ts';
import { scriptTexts } from '../injected/page-text.ts';

/** Maximum length of a text in the evidence. */
const MAX_TEXT_CHARS = 200;

/** Collects the sources of the values that one step read. */
export class EvidenceCollector {
  readonly #values: Evidence['values'] = [];
  #total = 0;

  /**
   * @param pointer JSON pointer into the value of the step
   * @param source CSS path of the element, or JSONPath
   * @param text source text
   */
  add(pointer: string, source: string, text: string | null): void {
    this.#total += 1;
    if (this.#values.length < MAX_EVIDENCE)
      this.#values.push({ pointer, source, text: text?.slice(0, MAX_TEXT_CHARS) ?? null });
  }

  /** @param url of the page or of the response */
  toEvidence(url: string): Evidence {
    return { url, total: this.#total, values: this.#values };
  }
}

/** Maximum wait for an optional value. */
const OPTIONAL_MS = 2000;

/** Time reserved for the error report, in milliseconds. */
const reportReserveMs = (ctx: ActionContext) => Math.min(300, remainingMs(ctx) * 0.2);

/** Maximum size of JSON in characters. */
const MAX_JSON_CHARS = 20_000_000;

/** JSON with its source, or the reason why it is missing. An interrupted read gives no information about the page. */
type Source =
  | { readonly root: Json; readonly sourceName: string; readonly url: string }
  | { readonly reason: string; readonly isInterrupted?: true };

/**
 * Waits for JSON of the page or of a response and reads values from it.
 * @throws PilothouseError TARGET_NOT_FOUND with what exists instead; EXTRACTION_FAILED for a value of another type
 */
export async function extractJson(
  ctx: ActionContext,
  source: JsonSource,
  fields: Field | Record<string, Field>,
  isList: boolean,
  locale?: string,
): Promise<ActionOutcome> {
  const entries: [string, Field][] = isField(fields) ? [['', fields]] : Object.entries(fields);
  const optional = entries.every(([, field]) => field.optional);
  await ctx.waitUntilSettled();
  const waitMs = optional ? Math.min(OPTIONAL_MS, remainingMs(ctx)) : remainingMs(ctx) - reportReserveMs(ctx);
  const wait = newDeadline(ctx, waitMs);
  let reason = '';
  const match = await poll(async () => {
    // The last attempt needs some time, too.
    const attempt = newDeadline(ctx, reportReserveMs(ctx));
    const deadline = { ...attempt, deadline: Math.max(wait.deadline, attempt.deadline) };
    const jsonSource = await readSource(ctx, source, deadline);
    if ('reason' in jsonSource) {
      // The result of an earlier, complete read is more useful.
      if (!jsonSource.isInterrupted || reason === '') reason = jsonSource.reason;
      return undefined;
    }
    const nodes = nodesOf(jsonSource.root, source, isList);
    if (nodes.length > 0) return { ...jsonSource, nodes };
    reason = `there is no ${source.path ?? 'value'} in ${jsonSource.sourceName}`;
    return undefined;
  }, wait);
  const name = describe(source);
  if (!match) {
    if (optional) return { located: null, value: isList ? [] : null };
    throw new PilothouseError('TARGET_NOT_FOUND', `${name}: ${reason || 'nothing'}`);
  }
  const { nodes, url } = match;
  if (!isList && nodes.length > 1) {
    const samples = nodes.slice(0, 3).map(({ value }) => JSON.stringify(value).slice(0, 100));
    throw new PilothouseError(
      'TARGET_AMBIGUOUS',
      `${name} matches ${nodes.length} values: ${samples.join(', ')}; make \`path\` more exact, or read a \`list\``,
    );
  }
  const evidence = new EvidenceCollector();
  const values = nodes.map((node, index) => {
    const pairs = entries.map(([field, jsonField]): [string, Json] => {
      const label = [name, isList ? `element ${index}` : '', field].filter(Boolean).join(', ');
      const { value, path } = readJsonField(node, jsonField, label, locale);
      const pointer = `${isList ? `/${index}` : ''}${field && `/${escapePointer(field)}`}`;
      evidence.add(
        pointer,
        path,
        value === null ? null : String(typeof value === 'object' ? JSON.stringify(value) : value),
      );
      return [field, value];
    });
    return isField(fields) ? (pairs[0]?.[1] ?? null) : Object.fromEntries(pairs);
  });
  const value = isList ? values : (values[0] ?? null);
  return { located: null, value, evidence: evidence.toEvidence(url) };
}

/** Returns the JSON values to read. With `list`, a single array is replaced by its elements. */
function nodesOf(root: Json, { jsonLd, path }: JsonSource, isList: boolean): JsonNode[] {
  const nodes = queryJson(root, path ?? (jsonLd === undefined ? '$' : '$[*]'));
  const [sole] = nodes;
  if (!isList || nodes.length !== 1 || !sole || !Array.isArray(sole.value)) return nodes;
  return sole.value.map((value, index) => ({ value, path: `${sole.path}[${index}]` }));
}

const describe = ({ jsonLd, script, response, path }: JsonSource) =>
  `${jsonLd === undefined ? (script ?? `response ${response ?? ''}`) : `linked data ${jsonLd}`}${path === undefined ? '' : ` ${path}`}`;

async function readSource(
  ctx: ActionContext,
  source: JsonSource,
  readDeadline: Pick<ActionContext, 'signal' | 'deadline'>,
): Promise<Source> {
  const { jsonLd, script, response } = source;
  if (response !== undefined) return readResponse(ctx, response, readDeadline);
  const css = jsonLd === undefined ? (script ?? '') : 'script[type="application/ld+json" i]';
  const scripts = await raceDeadline(ctx.page.evaluate(scriptTexts, css), readDeadline, 'Reading the scripts').catch(
    (error: unknown) => {
      ctx.signal.throwIfAborted();
      return { interruption: playwrightMessage(error) };
    },
  );
  if ('interruption' in scripts) return { reason: scripts.interruption, isInterrupted: true };
  if (scripts.problem) return { reason: scripts.problem };
  const url = ctx.page.url();
  if (jsonLd !== undefined) return linkedData(scripts.texts, jsonLd, url);
  const [text] = scripts.texts;
  if (text === undefined) return { reason: `no script matches; scripts: ${scripts.otherScripts.join(', ') || 'none'}` };
  if (scripts.texts.length > 1)
    throw new PilothouseError('TARGET_AMBIGUOUS', `${css} matches ${scripts.texts.length} scripts`);
  const root = parseJson(text);
  return root === undefined
    ? { reason: `${css} holds no JSON: ${text.slice(0, 100)}` }
    : { root, sourceName: css, url };
}

/** Parses JSON, also in an assignment: `window.state = {...};`. */
function parseJson(text: string): Json | undefined {
  if (text.length > MAX_JSON_CHARS) return undefined;
  for (const json of [
    text,
    text.replace(/^\s*(?:(?:var|let|const)\s+)?[\w.$[\]'"]+\s*=\s*/, '').replace(/;\s*$/, ''),
  ]) {
    try {
      return JSON.parse(json) as Json;
    } catch {
      // try the other notation
    }
  }
  return undefined;
}

/** Returns all linked-data objects of a type, including members of a graph. The vocabulary of the type is ignored. */
function linkedData(texts: readonly string[], type: string, url: string): Source {
  const items = texts.flatMap((text) => linkedDataItems(parseJson(text) ?? null));
  const matching = items.filter((item) => type === '*' || typesOf(item).includes(type));
  if (matching.length > 0) return { root: matching, sourceName: 'the linked data', url };
  const types = [...new Set(items.flatMap(typesOf))].slice(0, 20);
  return { reason: `the page has no linked data of this type; types: ${types.join(', ') || 'none'}` };
}

function linkedDataItems(value: Json): Record<string, Json>[] {
  if (Array.isArray(value)) return value.flatMap(linkedDataItems);
  if (typeof value !== 'object' || value === null) return [];
  const graph = value['@graph'];
  return [...(typesOf(value).length > 0 ? [value] : []), ...(graph === undefined ? [] : linkedDataItems(graph))];
}

const typesOf = (item: Record<string, Json>): string[] =>
  [item['@type']].flat().flatMap((type) => (typeof type === 'string' ? (type.split(/[/#:]/).at(-1) ?? []) : []));

/** Reads the newest response whose request matches the pattern. */
async function readResponse(
  ctx: ActionContext,
  pattern: string,
  readDeadline: Pick<ActionContext, 'signal' | 'deadline'>,
): Promise<Source> {
  const { responses } = ctx.pages;
  if (!responses)
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      'Responses are not recorded on this surface; read the page instead',
    );
  const request = responses.newest(pattern);
  if (!request) {
    const last = responses.last(10).map((url) => url.slice(0, 150));
    return { reason: `no request of the page matches; last requests: ${last.join(', ') || 'none'}` };
  }
  const url = request.url();
  const response = await raceDeadline(request.response(), readDeadline, `The response from ${url}`).catch(
    (error: unknown) => {
      ctx.signal.throwIfAborted();
      if (error instanceof PilothouseError)
        throw new PilothouseError('TARGET_NOT_FOUND', `${url} did not respond in time`);
      return null;
    },
  );
  if (!response)
    return { reason: `${url} got no response: ${request.failure()?.errorText ?? 'the request was cancelled'}` };
  if (!response.ok()) return { reason: `${url} answered ${response.status()}` };
  const text = await raceDeadline(response.text(), readDeadline, `The response from ${url}`).catch((error: unknown) => {
    ctx.signal.throwIfAborted();
    return { failure: playwrightMessage(error) };
  });
  if (typeof text !== 'string') return { reason: `the response from ${url} is no longer available: ${text.failure}` };
  const root = parseJson(text);
  return root === undefined
    ? { reason: `${url} answered no JSON: ${text.slice(0, 100)}` }
    : { root, sourceName: url, url };
}
