/** The catalog of all errors that cross a process. Retry decisions depend on the code only, never on a message. */

/**
 * Retries that the system makes or that a client may make by itself: `same-request` repeats the request, `new-worker` puts the run back
 * into the queue. `no`: the run or request ends with the error.
 */
export const retries = ['no', 'same-request', 'new-worker'] as const;
export type RetryPolicy = (typeof retries)[number];

/**
 * True if `retry` of a step applies to an error. `default`: yes, unless `retry.on` excludes it, because the cause may be transient.
 * `listed`: only if `retry.on` lists it. `beforeInput`: as `default`, and the error can occur before the step sent input.
 */
export type StepRetry = 'default' | 'listed' | 'beforeInput';

interface ErrorFacts {
  /** HTTP status when the error reaches a client over REST. */
  http: number;
  retry: RetryPolicy;
  /** Short, the same for every occurrence (RFC 9457 `title`). */
  title: string;
  /** Advice for the caller, author or operator, in one or two sentences. */
  help: string;
  /** True if `retry` of a step applies to this error; missing: never. */
  stepRetry?: StepRetry;
}

const defineError = <Code extends string, Facts extends ErrorFacts>(code: Code, facts: Facts) => ({ code, ...facts });

const definitions = [
  // REST
  defineError('VALIDATION_FAILED', {
    http: 400,
    retry: 'no',
    title: 'The request is not valid',
    help: 'Correct the fields that `errors` names, then send the request again.',
  }),
  defineError('UNAUTHENTICATED', {
    http: 401,
    retry: 'no',
    title: 'The request has no valid API key or session',
    help: 'Send an API key of this installation as `Authorization: Bearer`, or sign in again.',
  }),
  defineError('FORBIDDEN', {
    http: 403,
    retry: 'no',
    title: 'The caller may not do this',
    help: 'Use a key with the role that the operation needs, or ask a project admin.',
  }),
  defineError('NOT_FOUND', {
    http: 404,
    retry: 'no',
    title: 'Not found',
    help: 'Check the id or name, and that the key belongs to the right project.',
  }),
  defineError('NOT_ACCEPTABLE', {
    http: 406,
    retry: 'no',
    title: 'No requested format is available',
    help: 'Accept one of the media types or versions that the operation offers.',
  }),
  defineError('CONFLICT', {
    http: 409,
    retry: 'no',
    title: 'The state does not allow this',
    help: 'Read the resource again. `detail` says which state prevents the request.',
  }),
  defineError('IDEMPOTENCY_IN_FLIGHT', {
    http: 409,
    retry: 'same-request',
    title: 'The first request with this key is still in progress',
    help: 'Send the same request again after a second.',
  }),
  defineError('IDEMPOTENCY_MISMATCH', {
    http: 422,
    retry: 'no',
    title: 'The idempotency key was used with another body',
    help: 'Use a new idempotency key for a different request.',
  }),
  defineError('GONE', {
    http: 410,
    retry: 'no',
    title: 'The resource is no longer available',
    help: 'The data was deleted by the retention policy. Increase the retention for future runs.',
  }),
  defineError('PAYLOAD_TOO_LARGE', {
    http: 413,
    retry: 'no',
    title: 'The content is too large',
    help: 'Send less. `detail` names the limit. Upload large inputs as files.',
  }),
  defineError('UNSUPPORTED_MEDIA_TYPE', {
    http: 415,
    retry: 'no',
    title: 'The media type is not supported',
    help: 'Send `application/json`, or a media type that the operation lists.',
  }),
  defineError('RATE_LIMITED', {
    http: 429,
    retry: 'same-request',
    title: 'Too many requests',
    help: 'Wait for the seconds in `Retry-After`, then send the same request again.',
  }),
  defineError('INTERNAL', {
    http: 500,
    retry: 'same-request',
    title: 'Internal error',
    help: 'Send the request again. If it fails again, search the API log for the request id.',
  }),
  defineError('UNAVAILABLE', {
    http: 503,
    retry: 'same-request',
    title: 'A dependency is unavailable',
    help: 'Send the request again. If it keeps failing, check `/readyz` and the named dependency.',
  }),
  defineError('MIGRATION_FAILED', {
    http: 500,
    retry: 'no',
    title: 'Database migration failed',
    help: 'Read the log of the migration, repair the database, then run the migration again.',
  }),
  // run lifecycle
  defineError('LEASE_LOST', {
    http: 409,
    retry: 'no',
    title: 'Another attempt holds the run or the job',
    help: 'No action is needed: another worker or job runner continues, and this attempt stops.',
  }),
  defineError('WORKER_LOST', {
    http: 503,
    retry: 'new-worker',
    title: 'The worker of the run disconnected',
    help: 'No action is needed: the run is queued again. If workers are often lost, check their memory and logs.',
  }),
  defineError('RUN_HANDED_BACK', {
    http: 503,
    retry: 'new-worker',
    title: 'The worker returned the run to the queue',
    help: 'No action is needed: another worker continues the run. A draining worker returns its runs.',
  }),
  defineError('ASSIGNMENT_NOT_ACCEPTED', {
    http: 503,
    retry: 'new-worker',
    title: 'The worker did not accept the assignment in time',
    help: 'No action is needed: the run is queued again. If it repeats, check the load of the workers.',
  }),
  defineError('POISON_RUN', {
    http: 500,
    retry: 'no',
    title: 'The run lost too many workers',
    help: 'Check the worker logs for crashes or memory limits, then retry the run.',
  }),
  defineError('RUN_EXPIRED', {
    http: 504,
    retry: 'no',
    title: 'The run was queued too long',
    help: 'Add workers or resume the fleet, then retry the run, or raise `expiresIn`.',
  }),
  defineError('RUN_CANCELLED', {
    http: 409,
    retry: 'no',
    title: 'The run was cancelled',
    help: 'No action is needed: a person or program cancelled the run. Retry it if required.',
  }),
  defineError('BUDGET_EXCEEDED', {
    http: 402,
    retry: 'no',
    title: 'A budget is used up',
    help: 'Raise the budget of the run, the job or the project, or make the run shorter.',
  }),
  defineError('OUTPUT_INVALID', {
    http: 422,
    retry: 'no',
    title: 'The output does not match its schema',
    help: 'Correct `output` or `outputSchema` of the workflow, or the step that reads the value.',
  }),
  defineError('STEP_STATUS_UNKNOWN', {
    http: 500,
    retry: 'no',
    title: 'A non-idempotent step may have run',
    help: 'Check on the site whether the step took effect, then retry the run or submit the rest.',
  }),
  defineError('ANSWER_TIMED_OUT', {
    http: 504,
    retry: 'no',
    title: 'No answer arrived in time',
    help: 'Retry the run and answer its question before `expiresAt`.',
  }),
  // steps
  defineError('TARGET_NOT_FOUND', {
    http: 422,
    retry: 'no',
    stepRetry: 'beforeInput',
    title: 'No locator of the step found an element',
    help: 'Correct the locator, add a fallback locator, or enable healing.',
  }),
  defineError('TARGET_AMBIGUOUS', {
    http: 422,
    retry: 'no',
    stepRetry: 'beforeInput',
    title: 'A locator matches more than one element',
    help: 'Narrow the target with `nth`, `exact`, `hasText` or `within`.',
  }),
  defineError('TARGET_NOT_ACTIONABLE', {
    http: 422,
    retry: 'no',
    stepRetry: 'beforeInput',
    title: 'The element is not visible, stable, enabled or reachable',
    help: 'Wait for the element, close what covers it, or raise the timeout of the step.',
  }),
  defineError('TYPED_TEXT_DIFFERS', {
    http: 422,
    retry: 'no',
    stepRetry: 'default',
    title: 'The field does not hold the typed text',
    help: 'Check whether the field formats or shortens input, and type the form that it keeps.',
  }),
  defineError('CONDITION_NOT_MET', {
    http: 422,
    retry: 'no',
    stepRetry: 'default',
    title: 'The condition of the step was not met',
    help: 'Compare the condition with the screenshot, or raise the timeout of the step.',
  }),
  defineError('NAVIGATION_FAILED', {
    http: 502,
    retry: 'no',
    stepRetry: 'default',
    title: 'The page could not be opened',
    help: 'Check the URL, and that the worker can reach the host.',
  }),
  defineError('REQUEST_FAILED', {
    http: 502,
    retry: 'no',
    stepRetry: 'default',
    title: 'A request was not answered as expected',
    help: 'Check the URL and the response in the message, or raise the timeout of the step.',
  }),
  defineError('EGRESS_BLOCKED', {
    http: 403,
    retry: 'no',
    stepRetry: 'listed',
    title: 'The run may not connect to this host',
    help: 'Allow the host in the egress list that the message names. A private address needs `PILOTHOUSE_EGRESS_ALLOW_PRIVATE` of the worker instead.',
  }),
  defineError('SITE_LIMIT_TIMED_OUT', {
    http: 504,
    retry: 'no',
    stepRetry: 'beforeInput',
    title: 'The site limit was not free in time',
    help: 'Raise the site limit or the timeout of the step, or submit fewer runs at a time.',
  }),
  defineError('EXTRACTION_FAILED', {
    http: 422,
    retry: 'no',
    stepRetry: 'default',
    title: 'The data could not be read from the page',
    help: 'Compare the fields of `extract` with the screenshot, and correct them.',
  }),
  defineError('TEMPLATE_INVALID', {
    http: 422,
    retry: 'no',
    title: 'A template refers to a value that does not exist',
    help: 'Correct the name in the template. `pilothouse lint` finds such mistakes before a run.',
  }),
  defineError('EXPRESSION_FAILED', {
    http: 422,
    retry: 'no',
    title: 'An expression could not be evaluated',
    help: 'Correct the expression. The message names the cause.',
  }),
  defineError('LOOP_LIMIT_EXCEEDED', {
    http: 422,
    retry: 'no',
    title: 'A loop exceeded its limit',
    help: 'Raise `maxIterations` of the loop, or correct its condition.',
  }),
  defineError('STEP_TIMED_OUT', {
    http: 504,
    retry: 'no',
    stepRetry: 'default',
    title: 'The step did not end within its time',
    help: 'Raise the timeout of the step, or check in the screenshot what the page waits for.',
  }),
  defineError('UPLOAD_FAILED', {
    http: 502,
    retry: 'no',
    stepRetry: 'default',
    title: 'A file could not be stored or read',
    help: 'Retry the run. If it fails again, check the object store.',
  }),
  // agents
  defineError('GOAL_FAILED', {
    http: 422,
    retry: 'no',
    stepRetry: 'listed',
    title: 'The agent did not reach its goal',
    help: 'Read the turns of the agent. Make the goal more precise, or raise `maxTurns`.',
  }),
  defineError('APPROVAL_REQUIRED', {
    http: 403,
    retry: 'no',
    title: 'The action requires approval',
    help: 'List the effect in `autoApprove` of the goal, or approve it when the run asks.',
  }),
  // background jobs
  defineError('POISON_JOB', {
    http: 500,
    retry: 'no',
    title: 'The job lost too many job runners',
    help: 'Check the logs of the job runner for crashes or memory limits, then retry the job.',
  }),
  defineError('JOB_CANCELLED', {
    http: 409,
    retry: 'no',
    title: 'The job was cancelled',
    help: 'A person or program cancelled the job. Retry it if needed.',
  }),
  defineError('JOB_HANDED_BACK', {
    http: 503,
    retry: 'new-worker',
    title: 'The job runner returned the job to the queue',
    help: 'No action is needed: another job runner continues the job. A draining job runner returns its jobs.',
  }),
  defineError('TUNING_FAILED', {
    http: 422,
    retry: 'no',
    title: 'The tuning job failed',
    help: 'Read the log of the tuning job at its tuner, correct the cause, and start a new tuning job.',
  }),
  defineError('TUNING_NOT_CANCELLED', {
    http: 503,
    retry: 'same-request',
    title: 'The tuning job was not cancelled at its tuner',
    help: 'No action is needed while the job is queued. If it failed, cancel the tuning job at its tuner.',
  }),
  // models
  defineError('MODEL_NOT_CONFIGURED', {
    http: 422,
    retry: 'no',
    title: 'No model is configured for this role',
    help: 'Set `PILOTHOUSE_MODEL` and the key of its provider, or a model for this role.',
  }),
  defineError('MODEL_UNAVAILABLE', {
    http: 503,
    retry: 'no',
    stepRetry: 'default',
    title: 'The model did not answer',
    help: 'Retry the run. Check the key, the quota and the status of the provider, or add a fallback model.',
  }),
  defineError('MODEL_REFUSED', {
    http: 422,
    retry: 'no',
    stepRetry: 'listed',
    title: 'The provider of the model refused to answer',
    help: 'Reword the goal, or use another model.',
  }),
  defineError('MODEL_INVALID', {
    http: 502,
    retry: 'no',
    stepRetry: 'default',
    title: 'The answer of the model cannot be used',
    help: 'Retry the run. If it fails again, run `pilothouse models check`, and set the dialect that it recommends, or use another model.',
  }),
  // surfaces
  defineError('SURFACE_LOST', {
    http: 503,
    retry: 'new-worker',
    title: 'The browser, desktop or device was lost',
    help: 'No action is needed: another worker continues the run. If it repeats, raise the memory of the workers.',
  }),
  defineError('SURFACE_UNAVAILABLE', {
    http: 503,
    retry: 'new-worker',
    title: 'The browser, desktop or device did not start',
    help: 'Run `pilothouse doctor` on the worker, or check the worker image and its logs.',
  }),
  defineError('ACTION_UNSUPPORTED', {
    http: 422,
    retry: 'no',
    title: 'The surface cannot do this action',
    help: 'Use an action of this surface. The workflow reference lists them.',
  }),
  defineError('PROFILE_NOT_FOUND', {
    http: 404,
    retry: 'no',
    title: 'The project has no profile of this name',
    help: 'Check the name, or save the profile with a `saveProfile` step first.',
  }),
  defineError('PROFILE_INVALID', {
    http: 422,
    retry: 'no',
    title: 'The profile cannot be used',
    help: 'Save or import the profile again.',
  }),
  // worker protocol
  defineError('PROTOCOL_INVALID', {
    http: 400,
    retry: 'no',
    title: 'The message does not match the protocol',
    help: 'Use the same version for API and workers.',
  }),
  defineError('PROTOCOL_UNKNOWN', {
    http: 400,
    retry: 'no',
    title: 'The message type is unknown',
    help: 'Use the same version for API and workers.',
  }),
  defineError('PROTOCOL_VERSION', {
    http: 426,
    retry: 'no',
    title: 'The protocol version is not supported',
    help: 'Upgrade the workers to the version of the API.',
  }),
  defineError('FLEET_TOKEN_INVALID', {
    http: 401,
    retry: 'no',
    title: 'The fleet token is not valid',
    help: 'Write a token of a configured fleet to the file in `PILOTHOUSE_FLEET_TOKEN_FILE`. A worker that the fleet controller stopped has no valid token.',
  }),
  defineError('JOIN_REFUSED', {
    http: 403,
    retry: 'no',
    title: 'The worker may not join the fleet',
    help: 'Read the message. A join token is valid once, for a limited time, for one worker name. A fleet token needs `externalWorkers: true` in its fleet.',
  }),
] as const;

/** Code of an error in the catalogue. */
export type ErrorCode = (typeof definitions)[number]['code'];

/** All codes, in catalogue order. */
export const errorCodes = definitions.map(({ code }) => code) as [ErrorCode, ...ErrorCode[]];

const facts = new Map<string, ErrorFacts>(definitions.map((definition) => [definition.code, definition]));

/** Code of an error after which a step may be attempted again. */
export type RetryableStepCode = Extract<(typeof definitions)[number], { stepRetry: StepRetry }>['code'];

const codesWith = (...kinds: StepRetry[]) =>
  definitions.flatMap((definition) =>
    'stepRetry' in definition && kinds.includes(definition.stepRetry) ? [definition.code] : [],
  );

/**
 * Codes after which a step may be attempted again. The other sets: codes of a policy that lists none, and codes before
 * input was sent.
 */
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
