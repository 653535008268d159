import { z } from 'zod';

/* The used fields of WebArena-Verified's tasks: https://servicenow.github.io/webarena-verified */

const alternatives = z.union([z.string(), z.array(z.string()).min(1)]);
const record = z.record(z.string(), z.json());

const responseEvaluator = z.object({
  evaluator: z.literal('AgentResponseEvaluator'),
  ordered: z.boolean().nullish(),
  results_schema: record.nullish(),
  expected: z.object({
    task_type: z.string(),
    status: z.string(),
    retrieved_data: z.array(z.json()).nullish(),
  }),
});

const networkEvaluator = z.object({
  evaluator: z.literal('NetworkEventEvaluator'),
  last_event_only: z.boolean().nullish(),
  should_not_exist: z.boolean().nullish(),
  decode_base64_query: z.boolean().nullish(),
  ignored_query_params: z.array(z.string()).nullish(),
  ignored_query_params_patterns: z.array(z.string()).nullish(),
  expected: z.object({
    url: alternatives,
    http_method: z.string().nullish(),
    response_status: z.union([z.int(), z.array(z.int()).min(1)]).nullish(),
    query_params: z.record(z.string(), alternatives).nullish(),
    post_data: record.nullish(),
    response_content: record.nullish(),
    response_cookies: record.nullish(),
    headers: z.record(z.string(), alternatives).nullish(),
  }),
});

/** The used fields of a dataset task. */
export const webArenaTaskSchema = z.object({
  task_id: z.union([z.int(), z.string()]),
  sites: z.array(z.string()).min(1),
  start_urls: z.array(z.string()).min(1),
  intent: z.string().min(1),
  eval: z.array(z.discriminatedUnion('evaluator', [responseEvaluator, networkEvaluator])).min(1),
});
export type WebArenaTask = z.infer<typeof webArenaTaskSchema>;

/** Expected answer or network event of a task. */
export type WebArenaEvaluator = WebArenaTask['eval'][number];
