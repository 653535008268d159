/**
 * Every error that crosses a process, as data. Whether to retry, and where, is a property of the code and never of a message text.
 */

/**
 * Retries that the system makes or that a client may make by itself: `same-request` repeats the request, `new-worker` puts the run back
 * into the queue. `no`: the run or request ends with the error.
 */
export const retries = ['no', 'same-request', 'new-worker'] as const;
export type RetryPolicy = (typeof retries)[number];

interface ErrorFacts {
  /** HTTP status when the error reaches a client over REST. */
  http: number;
  retry: RetryPolicy;
  /** Short, the same for every occurrence (RFC 9457 `title`). */
  title: string;
}

const defineError = <Code extends string>(code: Code, facts: ErrorFacts) => ({ code, ...facts });

const definitions = [
  // REST
  defineError('VALIDATION_FAILED', { http: 400, retry: 'no', title: 'The request is not valid' }),
  defineError('UNAUTHENTICATED', { http: 401, retry: 'no', title: 'Neither a valid API key nor a session' }),
  defineError('FORBIDDEN', { http: 403, retry: 'no', title: 'You may not do this' }),
  defineError('NOT_FOUND', { http: 404, retry: 'no', title: 'Not found' }),
  defineError('NOT_ACCEPTABLE', { http: 406, retry: 'no', title: 'None of the formats asked for can be given' }),
  defineError('CONFLICT', { http: 409, retry: 'no', title: 'The state does not allow this' }),
  defineError('IDEMPOTENCY_IN_FLIGHT', {
    http: 409,
    retry: 'same-request',
    title: 'The first request with this key is still at work',
  }),
  defineError('IDEMPOTENCY_MISMATCH', {
    http: 422,
    retry: 'no',
    title: 'The idempotency key was used with another body',
  }),
  defineError('GONE', { http: 410, retry: 'no', title: 'No longer there' }),
  defineError('PAYLOAD_TOO_LARGE', { http: 413, retry: 'no', title: 'Too large' }),
  defineError('UNSUPPORTED_MEDIA_TYPE', { http: 415, retry: 'no', title: 'This media type is not read here' }),
  defineError('RATE_LIMITED', { http: 429, retry: 'same-request', title: 'Too many requests' }),
  defineError('INTERNAL', { http: 500, retry: 'same-request', title: 'Something went wrong on our side' }),
  defineError('UNAVAILABLE', { http: 503, retry: 'same-request', title: 'A part of the house is away' }),
  defineError('MIGRATION_FAILED', {
    http: 500,
    retry: 'no',
    title: 'The database could not be brought to its newest form',
  }),
  // the way of a run
  defineError('LEASE_LOST', { http: 409, retry: 'no', title: 'Another attempt holds the run' }),
  defineError('WORKER_LOST', { http: 503, retry: 'new-worker', title: 'The worker that held the run went away' }),
  defineError('HANDED_BACK', { http: 503, retry: 'new-worker', title: 'The worker gave the run back' }),
  defineError('NOT_ACCEPTED', { http: 503, retry: 'new-worker', title: 'The worker did not accept the run in time' }),
  defineError('POISON_RUN', { http: 500, retry: 'no', title: 'The run lost too many workers' }),
  defineError('RUN_EXPIRED', { http: 504, retry: 'no', title: 'The run waited longer than it may' }),
  defineError('RUN_CANCELLED', { http: 409, retry: 'no', title: 'The run was cancelled' }),
  defineError('BUDGET_EXCEEDED', { http: 402, retry: 'no', title: 'A budget is used up' }),
  defineError('OUTPUT_INVALID', { http: 422, retry: 'no', title: 'The output does not match its schema' }),
  defineError('STEP_UNKNOWN', {
    http: 500,
    retry: 'no',
    title: 'Nobody knows whether a step that must not be repeated happened',
  }),
  defineError('ASK_TIMED_OUT', { http: 504, retry: 'no', title: 'Nobody answered the question of the run in time' }),
  // steps
  defineError('TARGET_NOT_FOUND', {
    http: 422,
    retry: 'no',
    title: 'No locator of the step found an element',
  }),
  defineError('TARGET_AMBIGUOUS', { http: 422, retry: 'no', title: 'A locator matches more than one element' }),
  defineError('TARGET_NOT_READY', {
    http: 422,
    retry: 'no',
    title: 'The element is there but cannot be used',
  }),
  defineError('TYPED_TEXT_DIFFERS', { http: 422, retry: 'no', title: 'The field does not hold the typed text' }),
  defineError('CONDITION_NOT_MET', {
    http: 422,
    retry: 'no',
    title: 'What the step waits for or asserts is not so',
  }),
  defineError('NAVIGATION_FAILED', { http: 502, retry: 'no', title: 'The page could not be opened' }),
  defineError('REQUEST_FAILED', { http: 502, retry: 'no', title: 'A request was not answered as expected' }),
  defineError('EGRESS_REFUSED', { http: 403, retry: 'no', title: 'The run may not connect there' }),
  defineError('SITE_BUSY', {
    http: 504,
    retry: 'no',
    title: 'The limits for the site left no room for the run in time',
  }),
  defineError('EXTRACTION_FAILED', { http: 422, retry: 'no', title: 'The data could not be read from the page' }),
  defineError('TEMPLATE_INVALID', { http: 422, retry: 'no', title: 'A template names something that is not there' }),
  defineError('EXPRESSION_FAILED', { http: 422, retry: 'no', title: 'An expression could not be worked out' }),
  defineError('LOOP_LIMIT', { http: 422, retry: 'no', title: 'A loop wanted more than it may' }),
  defineError('STEP_TIMED_OUT', { http: 504, retry: 'no', title: 'The step did not end within its time' }),
  defineError('UPLOAD_FAILED', { http: 502, retry: 'no', title: 'A file could not be stored or read' }),
  // agents
  defineError('GOAL_FAILED', { http: 422, retry: 'no', title: 'The agent did not reach its goal' }),
  defineError('ACTION_GUARDED', { http: 403, retry: 'no', title: 'The action needs a policy or a person' }),
  // models
  defineError('MODEL_NOT_CONFIGURED', { http: 422, retry: 'no', title: 'No model is set for this' }),
  defineError('MODEL_UNAVAILABLE', { http: 503, retry: 'no', title: 'The model did not answer' }),
  defineError('MODEL_REFUSED', { http: 422, retry: 'no', title: 'The provider of the model refused to answer' }),
  defineError('MODEL_INVALID', { http: 502, retry: 'no', title: 'The answer of the model cannot be used' }),
  // surfaces
  defineError('SURFACE_LOST', { http: 503, retry: 'new-worker', title: 'The browser, desktop or device went away' }),
  defineError('SURFACE_UNAVAILABLE', {
    http: 503,
    retry: 'new-worker',
    title: 'The browser, desktop or device did not start',
  }),
  defineError('ACTION_UNSUPPORTED', { http: 422, retry: 'no', title: 'The surface cannot do this action' }),
  defineError('PROFILE_NOT_FOUND', { http: 404, retry: 'no', title: 'The project has no profile of this name' }),
  defineError('PROFILE_INVALID', { http: 422, retry: 'no', title: 'The profile cannot be used' }),
  // worker protocol
  defineError('PROTOCOL_INVALID', { http: 400, retry: 'no', title: 'The message is not of the protocol' }),
  defineError('PROTOCOL_UNKNOWN', { http: 400, retry: 'no', title: 'The message type is unknown' }),
  defineError('PROTOCOL_VERSION', { http: 426, retry: 'no', title: 'The protocol version is not spoken here' }),
  defineError('FLEET_TOKEN_INVALID', { http: 401, retry: 'no', title: 'The fleet token is not valid' }),
] as const;

/** Code of an error in the catalogue. */
export type ErrorCode = (typeof definitions)[number]['code'];

/** All codes, in catalogue order. */
export const errorCodes = definitions.map(({ code }) => code) as [ErrorCode, ...ErrorCode[]];

const facts = new Map<string, ErrorFacts>(definitions.map((definition) => [definition.code, definition]));

/** Facts of a code: HTTP status, retry, title. */
export function errorDefinition(code: ErrorCode): ErrorFacts {
  const found = facts.get(code);
  if (!found) throw new Error(`Error code ${code} is not in the catalogue`);
  return found;
}
