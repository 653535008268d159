/** The catalog of all errors that cross a process. Retry decisions depend on the code only, never on a message. */

/**
 * Retries that the system makes or that a client may make by itself: `same-request` repeats the request, `new-worker` puts the run back
 * into the queue. `no`: the run or request ends with the error.
 */
export const retries = ['no', 'same-request', 'new-worker'] as const;
export type RetryPolicy = (typeof retries)[number];

/**
 * Whether `retry` of a step applies to an error. `default`: yes, unless `retry.on` excludes it, because the cause may be transient.
 * `listed`: only if `retry.on` lists it. `beforeInput`: as `default`, and the error can occur before the step sent input.
 */
export type StepRetry = 'default' | 'listed' | 'beforeInput';

interface ErrorFacts {
  /** HTTP status when the error reaches a client over REST. */
  http: number;
  retry: RetryPolicy;
  /** Short, the same for every occurrence (RFC 9457 `title`). */
  title: string;
  /** Whether `retry` of a step applies to this error; missing: never. */
  stepRetry?: StepRetry;
}

const defineError = <Code extends string, Facts extends ErrorFacts>(code: Code, facts: Facts) => ({ code, ...facts });

const definitions = [
  // REST
  defineError('VALIDATION_FAILED', { http: 400, retry: 'no', title: 'The request is not valid' }),
  defineError('UNAUTHENTICATED', { http: 401, retry: 'no', title: 'The request has no valid API key or session' }),
  defineError('FORBIDDEN', { http: 403, retry: 'no', title: 'The caller may not do this' }),
  defineError('NOT_FOUND', { http: 404, retry: 'no', title: 'Not found' }),
  defineError('NOT_ACCEPTABLE', { http: 406, retry: 'no', title: 'None of the requested formats is available' }),
  defineError('CONFLICT', { http: 409, retry: 'no', title: 'The state does not allow this' }),
  defineError('IDEMPOTENCY_IN_FLIGHT', {
    http: 409,
    retry: 'same-request',
    title: 'The first request with this key is still in progress',
  }),
  defineError('IDEMPOTENCY_MISMATCH', {
    http: 422,
    retry: 'no',
    title: 'The idempotency key was used with another body',
  }),
  defineError('GONE', { http: 410, retry: 'no', title: 'The resource is no longer available' }),
  defineError('PAYLOAD_TOO_LARGE', { http: 413, retry: 'no', title: 'The content is too large' }),
  defineError('UNSUPPORTED_MEDIA_TYPE', { http: 415, retry: 'no', title: 'The media type is not supported' }),
  defineError('RATE_LIMITED', { http: 429, retry: 'same-request', title: 'Too many requests' }),
  defineError('INTERNAL', { http: 500, retry: 'same-request', title: 'Internal error' }),
  defineError('UNAVAILABLE', { http: 503, retry: 'same-request', title: 'A dependency is unavailable' }),
  defineError('MIGRATION_FAILED', {
    http: 500,
    retry: 'no',
    title: 'Database migration failed',
  }),
  // run lifecycle
  defineError('LEASE_LOST', { http: 409, retry: 'no', title: 'Another attempt holds the run' }),
  defineError('WORKER_LOST', { http: 503, retry: 'new-worker', title: 'The worker of the run disconnected' }),
  defineError('RUN_HANDED_BACK', { http: 503, retry: 'new-worker', title: 'The worker returned the run to the queue' }),
  defineError('ASSIGNMENT_NOT_ACCEPTED', {
    http: 503,
    retry: 'new-worker',
    title: 'The worker did not accept the assignment in time',
  }),
  defineError('POISON_RUN', { http: 500, retry: 'no', title: 'The run lost too many workers' }),
  defineError('RUN_EXPIRED', { http: 504, retry: 'no', title: 'The run was queued too long' }),
  defineError('RUN_CANCELLED', { http: 409, retry: 'no', title: 'The run was cancelled' }),
  defineError('BUDGET_EXCEEDED', { http: 402, retry: 'no', title: 'A budget is used up' }),
  defineError('OUTPUT_INVALID', { http: 422, retry: 'no', title: 'The output does not match its schema' }),
  defineError('STEP_STATUS_UNKNOWN', {
    http: 500,
    retry: 'no',
    title: 'A non-idempotent step may have run',
  }),
  defineError('ANSWER_TIMED_OUT', { http: 504, retry: 'no', title: 'No answer arrived in time' }),
  // steps
  defineError('TARGET_NOT_FOUND', {
    http: 422,
    retry: 'no',
    stepRetry: 'beforeInput',
    title: 'No locator of the step found an element',
  }),
  defineError('TARGET_AMBIGUOUS', {
    http: 422,
    retry: 'no',
    stepRetry: 'beforeInput',
    title: 'A locator matches more than one element',
  }),
  defineError('TARGET_NOT_ACTIONABLE', {
    http: 422,
    retry: 'no',
    stepRetry: 'beforeInput',
    title: 'The element is not visible, stable, enabled or reachable',
  }),
  defineError('TYPED_TEXT_DIFFERS', {
    http: 422,
    retry: 'no',
    stepRetry: 'default',
    title: 'The field does not hold the typed text',
  }),
  defineError('CONDITION_NOT_MET', {
    http: 422,
    retry: 'no',
    stepRetry: 'default',
    title: 'The condition of the step was not met',
  }),
  defineError('NAVIGATION_FAILED', {
    http: 502,
    retry: 'no',
    stepRetry: 'default',
    title: 'The page could not be opened',
  }),
  defineError('REQUEST_FAILED', {
    http: 502,
    retry: 'no',
    stepRetry: 'default',
    title: 'A request was not answered as expected',
  }),
  defineError('EGRESS_BLOCKED', {
    http: 403,
    retry: 'no',
    stepRetry: 'listed',
    title: 'The run may not connect to this host',
  }),
  defineError('SITE_LIMIT_TIMED_OUT', {
    http: 504,
    retry: 'no',
    stepRetry: 'beforeInput',
    title: 'The site limit was not free in time',
  }),
  defineError('EXTRACTION_FAILED', {
    http: 422,
    retry: 'no',
    stepRetry: 'default',
    title: 'The data could not be read from the page',
  }),
  defineError('TEMPLATE_INVALID', {
    http: 422,
    retry: 'no',
    title: 'A template refers to a value that does not exist',
  }),
  defineError('EXPRESSION_FAILED', { http: 422, retry: 'no', title: 'An expression could not be evaluated' }),
  defineError('LOOP_LIMIT_EXCEEDED', { http: 422, retry: 'no', title: 'A loop exceeded its limit' }),
  defineError('STEP_TIMED_OUT', {
    http: 504,
    retry: 'no',
    stepRetry: 'default',
    title: 'The step did not end within its time',
  }),
  defineError('UPLOAD_FAILED', {
    http: 502,
    retry: 'no',
    stepRetry: 'default',
    title: 'A file could not be stored or read',
  }),
  // agents
  defineError('GOAL_FAILED', {
    http: 422,
    retry: 'no',
    stepRetry: 'listed',
    title: 'The agent did not reach its goal',
  }),
  defineError('APPROVAL_REQUIRED', { http: 403, retry: 'no', title: 'The action requires approval' }),
  // models
  defineError('MODEL_NOT_CONFIGURED', { http: 422, retry: 'no', title: 'No model is configured for this role' }),
  defineError('MODEL_UNAVAILABLE', { http: 503, retry: 'no', stepRetry: 'default', title: 'The model did not answer' }),
  defineError('MODEL_REFUSED', {
    http: 422,
    retry: 'no',
    stepRetry: 'listed',
    title: 'The provider of the model refused to answer',
  }),
  defineError('MODEL_INVALID', {
    http: 502,
    retry: 'no',
    stepRetry: 'default',
    title: 'The answer of the model cannot be used',
  }),
  // surfaces
  defineError('SURFACE_LOST', { http: 503, retry: 'new-worker', title: 'The browser, desktop or device was lost' }),
  defineError('SURFACE_UNAVAILABLE', {
    http: 503,
    retry: 'new-worker',
    title: 'The browser, desktop or device did not start',
  }),
  defineError('ACTION_UNSUPPORTED', { http: 422, retry: 'no', title: 'The surface cannot do this action' }),
  defineError('PROFILE_NOT_FOUND', { http: 404, retry: 'no', title: 'The project has no profile of this name' }),
  defineError('PROFILE_INVALID', { http: 422, retry: 'no', title: 'The profile cannot be used' }),
  // worker protocol
  defineError('PROTOCOL_INVALID', { http: 400, retry: 'no', title: 'The message does not match the protocol' }),
  defineError('PROTOCOL_UNKNOWN', { http: 400, retry: 'no', title: 'The message type is unknown' }),
  defineError('PROTOCOL_VERSION', { http: 426, retry: 'no', title: 'The protocol version is not supported' }),
  defineError('FLEET_TOKEN_INVALID', { http: 401, retry: 'no', title: 'The fleet token is not valid' }),
] as const;

/** Code of an error in the catalogue. */
export type ErrorCode = (typeof definitions)[number]['code'];

/** All codes, in catalogue order. */
export const errorCodes = definitions.map(({ code }) => code) as [ErrorCode, ...ErrorCode[]];

const facts = new Map<string, ErrorFacts>(definitions.map((definition) => [definition.code, definition]));

/** Code of an error after which a step may be attempted again. */
export type RetryableStepCode = Extract<(typeof definitions)[number], { stepRetry: StepRetry }>['code'];

const codesWith = (...kinds: StepRetry[]) =>
  definitions.flatMap((one) => ('stepRetry' in one && kinds.includes(one.stepRetry) ? [one.code] : []));

/** All codes after which a step may be attempted again, those of a policy that lists none, and those that occur before input was sent, too. */
export const retryableStepCodes = codesWith('default', 'beforeInput', 'listed') as [
  RetryableStepCode,
  ...RetryableStepCode[],
];
export const defaultRetryCodes: ReadonlySet<ErrorCode> = new Set(codesWith('default', 'beforeInput'));
export const beforeInputCodes: ReadonlySet<ErrorCode> = new Set(codesWith('beforeInput'));

/** Facts of a code: HTTP status, retry, title. */
export function errorDefinition(code: ErrorCode): ErrorFacts {
  const definition = facts.get(code);
  if (!definition) throw new Error(`Error code ${code} is not in the catalogue`);
  return definition;
}
