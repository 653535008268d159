import { type FieldError, PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { didYouMean } from '@pilothouse/contract/nearest';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { readYaml } from '@pilothouse/core/workflow/parse-yaml';
import { resolveInputs } from '@pilothouse/core/workflow/workflow-io';
import type { Environment } from '@pilothouse/infra-config';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Cli } from '../api/cli-context.ts';
import { usage } from '../output/exit-codes.ts';

/** The input options of the command line. */
export interface InputOptions {
  /** `name=value`, `name=@path`. */
  readonly input?: readonly string[];
  /** `name=VARIABLE`. */
  readonly inputFromEnv?: readonly string[];
  /** `name=secret`, a secret of the project. */
  readonly inputFromSecret?: readonly string[];
  /** A file of values, in JSON or YAML. */
  readonly inputs?: string;
}

type Inputs = Readonly<Record<string, WorkflowInput>>;

/** Input values, and the files to upload. */
export interface InputValues {
  readonly values: Record<string, Json>;
  /** Absolute path by name of the input. */
  readonly files: Record<string, string>;
}

/** Placeholder of an upload id while inputs are checked. */
export const UPLOAD_PLACEHOLDER = '00000000-0000-7000-8000-000000000000';
const MAX_FILE_BYTES = 512 * 1024 * 1024;

const splitAssignment = (text: string, option: string): [string, string] => {
  const separatorIndex = text.indexOf('=');
  if (separatorIndex < 1) throw usage(`Invalid --${option}${separatorIndex < 0 ? ` ${text}` : ''}: use name=value.`);
  return [text.slice(0, separatorIndex), text.slice(separatorIndex + 1)];
};

/**
 * Reads the input options by their declared types. The others override `--inputs`.
 * @throws CommandError that names the input and the option to use; it never contains a secret
 */
export function readInputs(
  declared: Inputs,
  options: InputOptions,
  context: Pick<Cli, 'cwd' | 'environment'>,
): InputValues {
  const values: Record<string, Json> = options.inputs ? valuesFrom(resolve(context.cwd, options.inputs)) : {};
  const files: Record<string, string> = {};
  const assigned = new Set<string>();
  const assignment = (text: string, option: string) => {
    const [name, value] = splitAssignment(text, option);
    if (assigned.has(name)) throw usage(`Input ${name} specified twice.`);
    assigned.add(name);
    return [name, value, inputOf(declared, name)] as const;
  };
  for (const text of options.input ?? []) {
    const [name, value, input] = assignment(text, 'input');
    if (input.type === 'file' && value.startsWith('@')) files[name] = fileAt(context.cwd, value.slice(1), name);
    else values[name] = fromCommandLine(name, value, input, context.cwd);
    if (
      input.type === 'file' &&
      !value.startsWith('@') &&
      statSync(resolve(context.cwd, value), { throwIfNoEntry: false })
    )
      throw usage(`Input ${name} is a file: use --input ${name}=@${value}.`);
  }
  for (const text of options.inputFromEnv ?? []) {
    const [name, variable, input] = assignment(text, 'input-from-env');
    values[name] = fromVariable(name, variable, input, context.environment);
  }
  for (const text of options.inputFromSecret ?? []) {
    const [name, secret, input] = assignment(text, 'input-from-secret');
    if (!input.secret)
      throw usage(`Input ${name} is not secret: use --input ${name}=..., or declare \`secret: true\`.`);
    values[name] = { secret };
  }
  for (const name of Object.keys(files)) delete values[name];
  return { values, files };
}

function inputOf(declared: Inputs, name: string): WorkflowInput {
  const input = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (input) return input;
  const names = Object.keys(declared);
  const suggestion = didYouMean(name, names);
  throw usage(
    `Unknown input "${name}". ${suggestion ? `${suggestion} ` : ''}${names.length === 0 ? 'The workflow has no inputs.' : `Inputs: ${names.join(', ')}`}`,
  );
}

function fromCommandLine(name: string, value: string, input: WorkflowInput, cwd: string): Json {
  if (value.startsWith('@@')) return valueOfType(name, value.slice(1), input);
  if (value.startsWith('@')) {
    const text = textOf(fileAt(cwd, value.slice(1), name));
    // Editors end a file with a line break, which is not part of the value.
    return valueOfType(name, text.replace(/\r?\n$/, ''), input);
  }
  if (input.secret) {
    throw usage(`Input ${name} is secret and must not appear on the command line (shell history, process list).`, [
      `Omit it to be prompted, or use --input-from-env ${name}=VARIABLE, --input-from-secret ${name}=SECRET or --input ${name}=@file.`,
    ]);
  }
  return valueOfType(name, value, input);
}

function fromVariable(name: string, variable: string, input: WorkflowInput, environment: Environment): Json {
  const value = environment[variable];
  if (value === undefined) throw usage(`Environment variable ${variable} is not set.`);
  return valueOfType(name, value, input);
}

const typeTexts: Readonly<Record<string, string>> = {
  number: 'a number, e.g. 4.5',
  integer: 'a whole number, e.g. 3',
  boolean: 'true or false',
  array: 'a JSON array, e.g. \'["a","b"]\'',
  object: 'a JSON object, e.g. \'{"a":1}\'',
};

/** A text as the type that the input declares. */
function valueOfType(name: string, text: string, { type }: WorkflowInput): Json {
  if (type === 'string' || type === 'file') return text;
  const value = parseJson(text);
  const isOfType =
    type === 'number' || type === 'integer'
      ? typeof value === 'number'
      : type === 'boolean'
        ? typeof value === 'boolean'
        : type === 'array'
          ? Array.isArray(value)
          : typeof value === 'object' && value !== null && !Array.isArray(value);
  if (value === undefined || !isOfType) throw usage(`Input ${name} must be ${typeTexts[type] ?? type}.`);
  return value;
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function valuesFrom(file: string): Record<string, Json> {
  let values: unknown;
  const text = textOf(file);
  try {
    // JSON is parsed directly, because YAML has a size limit.
    values = parseJson(text) ?? readYaml(text)?.value;
  } catch (thrown) {
    throw usage(`--inputs ${file}: not JSON or YAML.`, [(thrown as Error).message]);
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw usage(`--inputs ${file}: expected an object of input names and values.`);
  }
  return { ...(values as Record<string, Json>) };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw usage(`Cannot read ${file}.`);
  }
}

function fileAt(cwd: string, path: string, name: string): string {
  const file = resolve(cwd, path);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw usage(`Input ${name}: file not found: ${file}.`);
  if (stat.size > MAX_FILE_BYTES) throw usage(`Input ${name}: ${file} exceeds 512 MiB.`);
  return file;
}

/** Prompts for missing required secrets on a terminal. */
export async function promptSecrets(
  declared: Inputs,
  inputs: InputValues,
  { canPrompt, promptSecret }: Cli['terminal'],
): Promise<InputValues> {
  const values = { ...inputs.values };
  for (const [name, input] of Object.entries(declared)) {
    if (!canPrompt || !input.secret || input.optional || Object.hasOwn(values, name)) continue;
    values[name] = await promptSecret(input.title ? `${input.title} (${name})` : name);
  }
  return { ...inputs, values };
}

/**
 * Checks inputs before anything is sent.
 * @throws CommandError with a line `--input name: fix` for each that is wrong or missing
 */
export function checkInputs(declared: Inputs, { values, files }: InputValues): void {
  const uploads = Object.fromEntries(Object.keys(files).map((name) => [name, UPLOAD_PLACEHOLDER]));
  try {
    resolveInputs({ inputs: { ...declared } }, { ...values, ...uploads });
  } catch (thrown) {
    if (!(thrown instanceof PilothouseError)) throw thrown;
    throw usage(
      'Invalid inputs.',
      (thrown.fields ?? []).map((problem) => inputLine(problem, declared)),
    );
  }
}

function inputLine({ pointer, detail }: FieldError, declared: Inputs): string {
  const [, , name = '', ...rest] = pointer.split('/');
  const input = Object.hasOwn(declared, name) ? declared[name] : undefined;
  const location = [name, ...rest].join('/');
  if (!input || !detail.startsWith('This input is required')) return `${location}: ${detail}`;
  if (input.secret)
    return `${location}: ${detail}. Use --input-from-env ${name}=VARIABLE or --input-from-secret ${name}=SECRET, or enter it when prompted.`;
  return `${location}: ${detail}. Use --input ${name}=${input.type === 'file' ? '@path' : '...'}`;
}
