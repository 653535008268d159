import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { evalTaskSchema, type EvalCheck, type EvalTask } from '@pilothouse/contract/evaluation/eval-suite.schema';
import {
  webArenaTaskSchema,
  type WebArenaEvaluator,
  type WebArenaTask,
} from '@pilothouse/contract/evaluation/webarena-verified.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';

/*
 * Reads tasks of WebArena-Verified: https://servicenow.github.io/webarena-verified. Answers are compared by type, network
 * events with the HAR file of the run. Cookies are masked in HAR files, so tasks that compare cookies are unsupported.
 */

/** URLs of the sites by placeholder, e.g. `__GITLAB__`. */
export type SiteUrls = Readonly<Record<string, string>>;

/** A task, or the reason why it cannot be run. */
export type WebArenaResult =
  { readonly id: string; readonly task: EvalTask } | { readonly id: string; readonly problem: string };

/** Reads the tasks of a dataset file. @param value the parsed JSON @throws Error if it is not a list */
export function readWebArenaTasks(value: unknown, sites: SiteUrls): WebArenaResult[] {
  if (!Array.isArray(value)) throw new Error('The file is not a list of WebArena-Verified tasks');
  return value.map((item: unknown, index) => {
    const parsed = webArenaTaskSchema.safeParse(item);
    if (!parsed.success) {
      const [first] = fieldErrors(parsed.error);
      return { id: `#${index}`, problem: `${first?.pointer ?? ''}: ${first?.detail ?? 'The task is not valid'}` };
    }
    return convert(parsed.data, sites);
  });
}

function convert(task: WebArenaTask, sites: SiteUrls): WebArenaResult {
  const id = String(task.task_id);
  const unknownPlaceholder = [...JSON.stringify(task).matchAll(/__[A-Z]+(?:_[A-Z]+)*__/g)].find(
    ([name]) => !Object.hasOwn(sites, name),
  );
  if (unknownPlaceholder)
    return { id, problem: `No URL for ${unknownPlaceholder[0]}: add it to \`environments\` of the configuration` };
  const unsupported = task.eval.map(unsupportedPart).find((part) => part !== null);
  if (unsupported) return { id, problem: unsupported };
  const rendered = renderUrls(task, sites);
  const response = rendered.eval.find((evaluation) => evaluation.evaluator === 'AgentResponseEvaluator');
  const parsed = evalTaskSchema.safeParse({
    id,
    goal: `${rendered.intent}\n\n${RESPONSE_INSTRUCTION}`,
    url: rendered.start_urls[0],
    outputSchema: outputSchema(response?.results_schema ?? null),
    labels: { sites: task.sites.join(' ').slice(0, 255) },
    checks: rendered.eval.flatMap((evaluation) =>
      evaluation.evaluator === 'AgentResponseEvaluator' ? responseChecks(evaluation) : [networkCheck(evaluation)],
    ),
  });
  if (parsed.success) return { id, task: parsed.data };
  const [first] = fieldErrors(parsed.error);
  return { id, problem: `${first?.pointer ?? ''}: ${first?.detail ?? 'The task is not valid'}` };
}

function unsupportedPart(evaluator: WebArenaTask['eval'][number]): string | null {
  if (evaluator.evaluator !== 'NetworkEventEvaluator') return null;
  if (Object.keys(evaluator.expected.response_cookies ?? {}).length > 0)
    return 'The task compares cookies, which HAR files of runs do not contain';
  return evaluator.decode_base64_query ? 'The task compares base64 query parameters' : null;
}

const escapeRegExp = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Replaces the placeholders of sites in all texts. In regular expressions the URL is escaped. */
function renderUrls<Value>(value: Value, sites: SiteUrls): Value {
  const render = (text: string) =>
    Object.entries(sites).reduce((result, [name, url]) => {
      const base = url.replace(/\/$/, '');
      return result.replaceAll(name, text.startsWith('^') ? escapeRegExp(base) : base);
    }, text);
  return JSON.parse(JSON.stringify(value), (_name, part: unknown) =>
    typeof part === 'string' ? render(part) : part,
  ) as Value;
}

const RESPONSE_INSTRUCTION = [
  'Answer with an object.',
  '`task_type`: RETRIEVE if the task asks for data, MUTATE if it changes data, NAVIGATE if it opens a page.',
  '`status`: SUCCESS, or the error that prevents the task: ACTION_NOT_ALLOWED_ERROR, PERMISSION_DENIED_ERROR, NOT_FOUND_ERROR, DATA_VALIDATION_ERROR or UNKNOWN_ERROR.',
  '`retrieved_data`: for RETRIEVE the list of values, otherwise null.',
].join(' ');

const statuses = [
  'SUCCESS',
  'ACTION_NOT_ALLOWED_ERROR',
  'PERMISSION_DENIED_ERROR',
  'NOT_FOUND_ERROR',
  'DATA_VALIDATION_ERROR',
  'UNKNOWN_ERROR',
];

/** Schema of the answer. Types of items come from the task, formats become descriptions. */
const outputSchema = (resultsSchema: Readonly<Record<string, Json>> | null) => ({
  type: 'object',
  properties: {
    task_type: { type: 'string', enum: ['RETRIEVE', 'MUTATE', 'NAVIGATE'] },
    status: { type: 'string', enum: statuses },
    ...(resultsSchema?.type === 'array' && { retrieved_data: itemSchema(resultsSchema) }),
  },
  required: ['task_type', 'status'],
});

const jsonTypes = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);

function itemSchema(schema: Json): Json {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return {};
  const { type, format, items, properties } = schema;
  return {
    ...(typeof type === 'string' && jsonTypes.has(type) && { type }),
    ...(typeof format === 'string' && { description: `Format: ${format.slice(0, 100)}` }),
    ...(items !== undefined && { items: itemSchema(items) }),
    ...(typeof properties === 'object' &&
      properties !== null &&
      !Array.isArray(properties) && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, itemSchema(part)])),
      }),
  };
}

function responseChecks({
  expected,
  results_schema,
  ordered,
}: Extract<WebArenaEvaluator, { evaluator: 'AgentResponseEvaluator' }>): EvalCheck[] {
  const typed = { compare: 'typed' as const, ordered: ordered ?? false };
  const checks = [
    { output: { ...typed, pointer: '/task_type', equals: expected.task_type } },
    { output: { ...typed, pointer: '/status', equals: expected.status } },
  ];
  const isRetrieve = expected.task_type.toUpperCase() === 'RETRIEVE' && (expected.retrieved_data ?? []).length > 0;
  if (!isRetrieve) return checks;
  const schema = results_schema ?? { type: 'array' };
  return [
    ...checks,
    { output: { ...typed, pointer: '/retrieved_data', equals: expected.retrieved_data ?? [], schema } },
  ];
}

function networkCheck(evaluator: Extract<WebArenaEvaluator, { evaluator: 'NetworkEventEvaluator' }>): EvalCheck {
  const { expected, last_event_only, should_not_exist, ignored_query_params, ignored_query_params_patterns } =
    evaluator;
  const { url, http_method, response_status, query_params, post_data, response_content, headers } = expected;
  return {
    request: {
      url,
      ...(http_method && { method: http_method }),
      ...(response_status !== null && response_status !== undefined && { status: response_status }),
      ...(query_params && { query: query_params }),
      ...(post_data && { body: post_data }),
      ...(response_content && { response: response_content }),
      ...(headers && { headers }),
      strictQuery: true,
      ignoredQuery: [...(ignored_query_params ?? []), ...(ignored_query_params_patterns ?? []).map(asPattern)],
      lastOnly: last_event_only ?? true,
      absent: should_not_exist ?? false,
    },
  };
}

/** Anchors a regular expression with `^`, so that it still matches at any position. */
const asPattern = (source: string): string => (source.startsWith('^') ? source : `^.*(?:${source})`);
