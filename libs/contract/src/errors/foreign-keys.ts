/* Keys and actions of other tools, and their Pilothouse equivalents. Only for error messages. */

/** The Pilothouse equivalent of a key or action of another tool. */
interface Equivalent {
  readonly tool: string;
  /** A sentence in the imperative, without a full stop. */
  readonly advice: string;
}

const equivalentsOf =
  (tool: string) =>
  (advice: string): Equivalent => ({ tool, advice });
const github = equivalentsOf('GitHub Actions');
const playwright = equivalentsOf('Playwright');
const temporal = equivalentsOf('Temporal');
const cypress = equivalentsOf('Cypress');

const noShell = github('a workflow runs no shell commands; use `action: http` to send a request');
const attempts = equivalentsOf('other tools')('use `retry: { maxAttempts: 3 }`, which includes the first attempt');
const seconds = equivalentsOf('other tools')('use `timeout`, in seconds');
const automatic = playwright('remove it; an action always waits until its element is ready');

const stepKeys: Readonly<Record<string, Equivalent>> = {
  uses: github('use `action: call` with `workflow`'),
  with: github('use `inputs` of a `call` step, or the fields of the action'),
  run: noShell,
  shell: noShell,
  script: noShell,
  'working-directory': noShell,
  env: github('declare `inputs` of the workflow, and use them as `{{inputs.<name>}}`'),
  needs: github('remove it; steps run in order, and `action: parallel` runs branches concurrently'),
  on: github('remove it; a step has no triggers. Error codes to retry are set in `retry.on`.'),
  name: github('use `title`'),
  'continue-on-error': github('put the step into an `action: try` block with `catch: []`'),
  'timeout-minutes': github('use `timeout`, in seconds'),
  strategy: github('use an `action: forEach` block'),
  matrix: github('use an `action: forEach` block'),
  timeoutMs: seconds,
  timeoutSeconds: seconds,
  retries: attempts,
  maxRetries: attempts,
  maxAttempts: attempts,
  maximumAttempts: temporal('use `maxAttempts`, which includes the first attempt'),
  initialInterval: temporal('use `backoffSeconds`'),
  backoffCoefficient: temporal('remove it; `backoffSeconds` always doubles before each further attempt'),
  maximumInterval: temporal('remove it; the maximum backoff is always 60 seconds'),
  nonRetryableErrorTypes: temporal('list the error codes to retry in `on`'),
  selector: playwright('use `target`, e.g. `target: { css: ".save" }`'),
  locator: playwright('use `target`, e.g. `target: { role: button, name: Save }`'),
  getByRole: playwright('use `target: { role: button, name: Save }`'),
  getByText: playwright('use `target: { text: Save }`'),
  getByLabel: playwright('use `target: { label: E-mail }`'),
  getByPlaceholder: playwright('use `target: { placeholder: Search }`'),
  getByTestId: playwright('use `target: { testId: save }`'),
  hasNotText: playwright('use `hasText`, `has` or `pattern` of another locator'),
  value: playwright('use `text` of `action: fill`, or `option` of `action: selectOption`'),
  values: playwright('use `option` of `action: selectOption`'),
  files: playwright('use `file` of `action: upload`, e.g. `file: "{{inputs.document}}"`'),
  setInputFiles: playwright('use `action: upload` with `target` and `file`'),
  fill: playwright('use `action: fill` with `target` and `text`'),
  force: automatic,
  noWaitAfter: automatic,
  trial: playwright('use `action: waitFor` with `condition: { visible: … }`'),
  strict: playwright('remove it; a locator that matches several elements fails, and `nth` chooses one'),
  clickCount: playwright('use `count`'),
  delay: playwright('remove it, or use `action: type` to press key by key'),
  waitUntil: playwright('use `action: waitFor` with `condition: { loadState: … }` as the next step'),
  state: playwright('use `condition`, e.g. `condition: { hidden: … }`'),
  sourcePosition: playwright('use `fromPosition`'),
  targetPosition: playwright('use `position`'),
};

const workflowKeys: Readonly<Record<string, Equivalent>> = {
  on: github('remove it; runs are submitted with `POST /v1/runs`, the CLI or the console'),
  env: github('declare `inputs`, and use them as `{{inputs.<name>}}`'),
  jobs: github('use `steps`, and `workflows` for `call` steps'),
  'runs-on': github('remove it; choose the fleet when you submit a run'),
  concurrency: github('use `politeness`'),
  secrets: github('declare an input with `secret: true`'),
  variables: equivalentsOf('GitLab CI')('declare `inputs`, or use an `action: set` block'),
  vars: equivalentsOf('other tools')('declare `inputs`, or use an `action: set` block'),
  use: playwright('use `browser`'),
  retries: playwright('use `retry` of a step'),
  retry: equivalentsOf('other tools')('use `retry` of a step. To retry a run, use `POST /v1/runs/{run}/retry`.'),
  headless: playwright('remove it; it is a setting of the fleet'),
  baseURL: playwright('use absolute URLs in `action: navigate`'),
  'timeout-minutes': github('use `timeout`, in seconds'),
};

const actions: Readonly<Record<string, Equivalent>> = {
  pressSequentially: playwright('use `type` with `text`'),
  setInputFiles: playwright('use `upload` with `file`'),
  setChecked: playwright('use `check` or `uncheck`'),
  goto: playwright('use `navigate` with `url`'),
  dblclick: playwright('use `click` with `count: 2`'),
  tap: playwright('use `click`'),
  dragTo: playwright('use `drag` with `to`'),
  dragAndDrop: playwright('use `drag` with `to`'),
  waitForTimeout: playwright('use `wait` with `seconds`'),
  waitForSelector: playwright('use `waitFor` with `condition`'),
  waitForURL: playwright('use `waitFor` with `condition: { url: … }`'),
  waitForLoadState: playwright('use `waitFor` with `condition: { loadState: … }`'),
  expect: playwright('use `assert` with `condition`'),
  evaluate: playwright('a workflow runs no scripts; use `extract` to read from the page'),
  visit: cypress('use `navigate` with `url`'),
  run: noShell,
  uses: github('use `call` with `workflow`'),
  when: equivalentsOf('other tools')('use `if` of a step, or of a `group` block'),
  while: equivalentsOf('other tools')('use a `loop` block with `until`'),
  repeat: equivalentsOf('other tools')('use a `forEach` or a `loop` block'),
  sleep: equivalentsOf('other tools')('use `wait` with `seconds`'),
};

const formatHint = (equivalent: Equivalent | undefined, kind: string) =>
  equivalent && `${kind} of ${equivalent.tool}: ${equivalent.advice}`;

const findOwn = (table: Readonly<Record<string, Equivalent>>, name: string) =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Message of a workflow schema for unknown keys. */
export const UNKNOWN_WORKFLOW_KEY = 'The workflow has unknown fields';

/**
 * Hint for an unknown key that another tool uses; undefined if there is none.
 * @param path path of the object
 * @param message message of the schema
 */
export function foreignKeyHint(key: string, path: readonly PropertyKey[], message: string): string | undefined {
  const isInStep = path.some((part, index) => part === 'steps' && typeof path[index + 1] === 'number');
  if (isInStep) return formatHint(findOwn(stepKeys, key), 'a key');
  return message === UNKNOWN_WORKFLOW_KEY ? formatHint(findOwn(workflowKeys, key), 'a key') : undefined;
}

/** Hint for a step with an unknown or missing action; undefined without a hint. */
export function foreignActionHint(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { action } = input as { action?: unknown };
  if (typeof action === 'string') {
    const text = formatHint(findOwn(actions, action), 'an action');
    return text && `Unknown action \`${action}\`, ${text}`;
  }
  const key = Object.keys(input).find((name) => findOwn(stepKeys, name) ?? findOwn(actions, name));
  const text = key === undefined ? undefined : formatHint(findOwn(stepKeys, key) ?? findOwn(actions, key), 'a key');
  return text && `Unknown field \`${String(key)}\`, ${text}`;
}
