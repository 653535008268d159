import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { browserOptionsSchema, type BrowserOptions } from '@pilothouse/contract/workflow/browser-options.schema';
import { desktopOptionsSchema, type DesktopOptions } from '@pilothouse/contract/workflow/desktop-options.schema';
import { stepSchema, type Step } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { desktopOptionErrors } from './desktop-options.ts';
import { type TemplatePart, escapePointer, forEachString, parseTemplate, templateError, toText } from './templates.ts';

/** Variables of templates. */
export interface TemplateScope {
  /** Inputs that are not secrets, by name. */
  readonly inputs: Readonly<Record<string, Json>>;
  /**
   * Names of the secret inputs that have a value; in a called workflow with their name in the run. Templates of secrets stay as
   * placeholders with that name.
   */
  readonly secrets: ReadonlySet<string> | ReadonlyMap<string, string>;
  /** Names of the run's secrets, if they differ. */
  readonly runSecretNames?: ReadonlySet<string>;
  /** Variables, by name. */
  readonly vars?: Readonly<Record<string, Json>>;
  /** Values of steps by id. */
  readonly steps: Readonly<Record<string, { readonly value: Json }>>;
  readonly run: { readonly id: string; readonly epoch: number };
}

/** Template scope of a workflow: missing inputs are null, secrets are placeholders. */
export function templateScope(
  definition: Pick<WorkflowDefinition, 'inputs'>,
  {
    inputs,
    secrets,
    steps,
    run,
  }: Pick<TemplateScope, 'inputs' | 'steps' | 'run'> & { readonly secrets: readonly string[] },
): TemplateScope {
  const missing = Object.fromEntries(Object.keys(definition.inputs).map((name) => [name, null]));
  const plain = Object.entries({ ...missing, ...inputs }).filter(([name]) => !secrets.includes(name));
  return { inputs: Object.fromEntries(plain), secrets: new Set(secrets), steps, run };
}

type Reference = Extract<TemplatePart, { kind: 'template' }>;

const isSecret = (part: TemplatePart, scope: TemplateScope): part is Reference =>
  part.kind === 'template' && part.path[0] === 'inputs' && scope.secrets.has(part.path[1]);

/** Placeholder of a secret input until it is typed. */
export const secretPlaceholder = (name: string) => `{{inputs.${name}}}`;

const secretPattern = /\{\{\s*inputs\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/** Names of the secrets that would be replaced in this text. */
const secretNamesOf = (text: string, scope: TemplateScope) =>
  [...text.matchAll(secretPattern)]
    .map(([, name]) => name ?? '')
    .filter((name) => (scope.runSecretNames ?? scope.secrets).has(name));

const joinNames = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '));

function resolveReference({ path, source }: Reference, scope: TemplateScope): Json {
  const [root, name] = path;
  if (root === 'run') return name === 'id' ? scope.run.id : scope.run.epoch;
  const values: Readonly<Record<string, Json>> =
    root === 'inputs'
      ? scope.inputs
      : root === 'vars'
        ? (scope.vars ?? {})
        : Object.fromEntries(Object.entries(scope.steps).map(([id, { value }]) => [id, value]));
  if (!Object.hasOwn(values, name)) {
    const problems = {
      inputs: `unknown input "${name}". Inputs`,
      vars: `unknown variable "${name}". Variables at this step`,
      steps: `step "${name}" has no value yet. Steps with a value`,
    };
    const names = root === 'inputs' ? [...Object.keys(values), ...scope.secrets.keys()] : Object.keys(values);
    throw templateError(`${source}: ${problems[root as keyof typeof problems]}: ${joinNames(names)}`);
  }
  let value = values[name] as Json;
  for (const key of path.slice(root === 'steps' ? 3 : 2)) value = child(value, key, source);
  return value;
}

function child(value: Json, key: string, source: string): Json {
  if (Array.isArray(value)) {
    const element = /^[0-9]+$/.test(key) ? value[Number(key)] : undefined;
    if (element !== undefined) return element;
    throw templateError(`${source}: a list of ${value.length} has no element "${key}": elements count from 0`);
  }
  if (typeof value === 'object' && value !== null) {
    if (Object.hasOwn(value, key)) return value[key] as Json;
    throw templateError(`${source}: unknown field "${key}". Fields: ${joinNames(Object.keys(value))}`);
  }
  throw templateError(`${source}: ${value === null ? 'null' : `a ${typeof value}`} has no field "${key}"`);
}

/** Keeps text of a page or caller from becoming a placeholder: typing would replace it by the secret. */
function assertNoPlaceholder(rendered: Json, expectedCount: number, scope: TemplateScope): void {
  const names: string[] = [];
  forEachString(rendered, (text) => void names.push(...secretNamesOf(text, scope)));
  if (names.length === expectedCount) return;
  throw templateError(
    `A value contains the text ${secretPlaceholder(names[0] ?? '')}, which would be replaced by the secret: remove it from the value`,
  );
}

/** Conversion of a string that is exactly one template. */
type ConvertValue = (value: Json) => Json;

function renderText(text: string, scope: TemplateScope, convert: ConvertValue): Json {
  const parts = parseTemplate(text);
  const [firstPart] = parts;
  for (const part of parts) {
    if (isSecret(part, scope) && part.path.length > 2)
      throw templateError(`${part.source}: a secret has no fields: use it as a whole`);
  }
  const secrets = parts.filter((part) => isSecret(part, scope)).length;
  const render = (part: TemplatePart): Json => {
    if (part.kind === 'literal') return part.text;
    if (!isSecret(part, scope)) return resolveReference(part, scope);
    const [, name] = part.path;
    return secretPlaceholder(scope.secrets instanceof Map ? (scope.secrets.get(name) ?? name) : name);
  };
  const rendered =
    parts.length === 1 && firstPart?.kind === 'template'
      ? convert(render(firstPart))
      : parts.map((part) => toText(render(part))).join('');
  assertNoPlaceholder(rendered, secrets, scope);
  return rendered;
}

function renderDeep(value: Json, scope: TemplateScope, convert: ConvertValue, pointer: string): Json {
  if (typeof value === 'string') {
    try {
      return renderText(value, scope, convert);
    } catch (thrown) {
      if (thrown instanceof PilothouseError && pointer) throw templateError(thrown.message, pointer);
      throw thrown;
    }
  }
  if (Array.isArray(value)) return value.map((item, index) => renderDeep(item, scope, convert, `${pointer}/${index}`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      renderDeep(item, scope, convert, `${pointer}/${escapePointer(key)}`),
    ]),
  );
}

/**
 * Renders the templates of a JSON value. A string that is exactly one template gets the typed value; in longer strings values become text.
 * Templates of secrets stay, as `{{inputs.<name>}}`.
 * @throws PilothouseError TEMPLATE_INVALID with the available names
 */
export const renderTemplates = (value: Json, scope: TemplateScope): Json => renderDeep(value, scope, (it) => it, '');

/** Steps need strings: numbers and booleans become text, null the empty string. Lists stay lists (`selectOption`). */
const asText: ConvertValue = (value) => {
  if (Array.isArray(value)) return value.map(asText);
  return typeof value === 'object' && value !== null ? value : toText(value);
};

/** A definition is plain JSON, although its type has `undefined` for optional fields. */
const toJson = (step: Step): Json => JSON.parse(JSON.stringify(step)) as Json;

type Fields = Readonly<Record<string, Json>>;

/** The fields of a step or a branch with their templates replaced. */
function renderFields({ json, ...rest }: Fields, scope: TemplateScope, pointer: string): object {
  const isRequest = rest.action === 'http' && json !== undefined;
  return {
    ...(renderDeep(isRequest || json === undefined ? rest : { ...rest, json }, scope, asText, pointer) as object),
    // JSON bodies keep their types.
    ...(isRequest && { json: renderDeep(json, scope, (it) => it, `${pointer}/json`) }),
  };
}

/**
 * Renders the templates of a step and validates it again. Templates of secrets stay.
 * @throws PilothouseError TEMPLATE_INVALID
 */
export function renderStep(step: Step, scope: TemplateScope): Step {
  const { branches = {}, ...rest } = toJson(step) as { branches?: Record<string, Json> } & Fields;
  const rendered = stepSchema.safeParse({
    ...renderFields(rest, scope, ''),
    ...(step.action === 'parallel' && {
      branches: Object.fromEntries(
        Object.entries(branches).map(([name, branch]) => [
          name,
          // Steps of branches are rendered when they start, because they may use values of earlier steps.
          Array.isArray(branch) ? branch : renderFields(branch as Fields, scope, `/branches/${name}`),
        ]),
      ),
    }),
  });
  if (rendered.success) return rendered.data;
  const fields = fieldErrors(rendered.error);
  const firstError = fields[0];
  throw new PilothouseError(
    'TEMPLATE_INVALID',
    `After template substitution, the step is invalid at ${firstError?.pointer ?? '/'}: ${firstError?.detail ?? ''}`,
    { fields },
  );
}

/**
 * Renders the browser options of a workflow. Templates of secrets stay.
 * @throws PilothouseError TEMPLATE_INVALID
 */
export function renderBrowser(options: BrowserOptions, scope: TemplateScope): BrowserOptions {
  const plain = JSON.parse(JSON.stringify(options)) as Json;
  const rendered = browserOptionsSchema.safeParse(renderDeep(plain, scope, asText, '/browser'));
  if (rendered.success) return rendered.data;
  const [firstError] = fieldErrors(rendered.error);
  throw new PilothouseError(
    'TEMPLATE_INVALID',
    `After template substitution, \`browser\` is invalid at ${firstError?.pointer ?? '/'}: ${firstError?.detail ?? ''}`,
  );
}

/**
 * Renders the desktop options of a workflow.
 * @throws PilothouseError TEMPLATE_INVALID with the field
 */
export function renderDesktop(options: DesktopOptions, scope: TemplateScope): DesktopOptions {
  const plain = JSON.parse(JSON.stringify(options)) as Json;
  const rendered = desktopOptionsSchema.safeParse(renderDeep(plain, scope, asText, '/desktop'));
  const [error] = rendered.success ? desktopOptionErrors(rendered.data) : fieldErrors(rendered.error);
  if (rendered.success && !error) return rendered.data;
  throw new PilothouseError(
    'TEMPLATE_INVALID',
    `After template substitution, \`desktop\` is invalid at ${error?.pointer ?? '/'}: ${error?.detail ?? ''}`,
  );
}

/**
 * A rendered text with the placeholders of secrets replaced.
 * @param secretOf returns the value of a secret
 * @param secrets names that are secrets; any other text in braces stays as it is
 */
export async function revealSecrets(
  text: string,
  secrets: ReadonlySet<string>,
  secretOf: (name: string) => Promise<string>,
): Promise<string> {
  const values = new Map<string, string>();
  for (const [, name] of text.matchAll(secretPattern)) {
    if (name !== undefined && secrets.has(name) && !values.has(name)) values.set(name, await secretOf(name));
  }
  return text.replace(secretPattern, (placeholder, name: string) => values.get(name) ?? placeholder);
}

/** Names of the secrets whose placeholders occur in steps. */
export function secretNamesInSteps(steps: readonly Step[], secrets: readonly string[]): string[] {
  const names = new Set([...JSON.stringify(steps).matchAll(secretPattern)].map(([, name]) => name));
  return secrets.filter((name) => names.has(name));
}

const placeholder = /\{\{\s*inputs\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;
const credential = /\{\{\s*credential\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/** Input names in a text, `{{inputs.password}}`: secrets, and text that looks like one. */
export const inputPlaceholdersIn = (text: string): string[] =>
  [...text.matchAll(placeholder)].map(([, name]) => name ?? '');

/** Names in a text that are those of secrets of the run. */
export const secretNamesIn = (text: string, secrets: readonly string[]): string[] =>
  inputPlaceholdersIn(text).filter((name) => secrets.includes(name));

/** Form of a secret in texts of models. */
export const credentialPlaceholder = (name: string): string => `{{credential.${name}}}`;

/** Converts a text for models: placeholders of secrets become credential names. */
export const toCredentialPlaceholders = (text: string, secrets: readonly string[]): string =>
  text.replace(placeholder, (match, name: string) => (secrets.includes(name) ? credentialPlaceholder(name) : match));

/** Converts a text of a model into the form of a run, including variants of the placeholder. */
export const fromCredentialPlaceholders = (text: string, secrets: readonly string[]): string =>
  text.replace(credential, (match, name: string) => (secrets.includes(name) ? secretPlaceholder(name) : match));

/** Secret names in a text that the run does not have. */
export const unknownCredentialNames = (text: string): string[] =>
  [...text.matchAll(credential)].map(([, name]) => name ?? '');
