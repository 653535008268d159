import { type FieldError, type Json, PilothouseError, type WorkflowInput } from '@pilothouse/contract';
import { readYaml, resolveInputs } from '@pilothouse/core';
import type { Environment } from '@pilothouse/infra-config';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Cli } from '../api/cli-context.ts';
import { usage } from '../output/exit-codes.ts';

/** How inputs are given on the command line. */
export interface InputOptions {
  /** `name=value`, `name=@path`. */
  readonly input?: readonly string[];
  /** `name=VARIABLE`. */
  readonly inputEnv?: readonly string[];
  /** A file of values, in JSON or YAML. */
  readonly inputs?: string;
}

type Inputs = Readonly<Record<string, WorkflowInput>>;

/** Inputs as they were given: values, and the files that have to be uploaded to become values. */
export interface GivenInputs {
  readonly values: Record<string, Json>;
  /** Absolute path by name of the input. */
  readonly files: Record<string, string>;
}

/** Stands for an upload while the rest is checked. */
export const SOME_UPLOAD = '00000000-0000-7000-8000-000000000000';
const MAX_FILE = 512 * 1024 * 1024;

const split = (given: string, option: string): [string, string] => {
  const at = given.indexOf('=');
  if (at < 1) throw usage(`--${option} ${at < 0 ? given : 'without a name'}: write it as name=value.`);
  return [given.slice(0, at), given.slice(at + 1)];
};

/**
 * The inputs that options give, read by their declared types. `--input` and `--input-env` go before `--inputs`.
 * @throws CommandError that names the input and how to give it; it never repeats a secret
 */
export function readInputs(
  declared: Inputs,
  options: InputOptions,
  place: Pick<Cli, 'cwd' | 'environment'>,
): GivenInputs {
  const values: Record<string, Json> = options.inputs ? valuesFrom(resolve(place.cwd, options.inputs)) : {};
  const files: Record<string, string> = {};
  const once = new Set<string>();
  const named = (given: string, option: string) => {
    const [name, value] = split(given, option);
    if (once.has(name)) throw usage(`Input ${name} is given twice.`);
    once.add(name);
    return [name, value, inputOf(declared, name)] as const;
  };
  for (const given of options.input ?? []) {
    const [name, value, input] = named(given, 'input');
    if (input.type === 'file' && value.startsWith('@')) files[name] = fileAt(place.cwd, value.slice(1), name);
    else values[name] = fromCommandLine(name, value, input, place.cwd);
    if (
      input.type === 'file' &&
      !value.startsWith('@') &&
      statSync(resolve(place.cwd, value), { throwIfNoEntry: false })
    )
      throw usage(`Input ${name} is a file: write --input ${name}=@${value} to upload it.`);
  }
  for (const given of options.inputEnv ?? []) {
    const [name, variable, input] = named(given, 'input-env');
    values[name] = fromVariable(name, variable, input, place.environment);
  }
  for (const name of Object.keys(files)) delete values[name];
  return { values, files };
}

function inputOf(declared: Inputs, name: string): WorkflowInput {
  const input = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (input) return input;
  const names = Object.keys(declared);
  throw usage(
    `There is no input "${name}"; ${names.length === 0 ? 'the workflow has none' : `there are: ${names.join(', ')}`}.`,
  );
}

function fromCommandLine(name: string, value: string, input: WorkflowInput, cwd: string): Json {
  if (value.startsWith('@@')) return typed(name, value.slice(1), input);
  if (value.startsWith('@')) {
    const text = textOf(fileAt(cwd, value.slice(1), name));
    // an editor ends a file with a line break; nobody means it as part of a password or a query
    return typed(name, text.replace(/\r?\n$/, ''), input);
  }
  if (input.secret) {
    throw usage(
      `Input ${name} is a secret: on the command line it stands in the shell's history and in the list of processes.`,
      [`Leave it out and type it when asked, or give --input-env ${name}=VARIABLE, or --input ${name}=@file.`],
    );
  }
  return typed(name, value, input);
}

function fromVariable(name: string, variable: string, input: WorkflowInput, environment: Environment): Json {
  const value = environment[variable];
  if (value === undefined) throw usage(`--input-env ${name}=${variable}: the variable ${variable} is not set.`);
  return typed(name, value, input);
}

const wants: Readonly<Record<string, string>> = {
  number: 'a number, e.g. 4.5',
  integer: 'a whole number, e.g. 3',
  boolean: 'true or false',
  array: 'a JSON array, e.g. \'["a","b"]\'',
  object: 'a JSON object, e.g. \'{"a":1}\'',
};

/** A text as the type that the input declares. */
function typed(name: string, text: string, { type }: WorkflowInput): Json {
  if (type === 'string' || type === 'file') return text;
  const value = parsed(text);
  const fits =
    type === 'number' || type === 'integer'
      ? typeof value === 'number'
      : type === 'boolean'
        ? typeof value === 'boolean'
        : type === 'array'
          ? Array.isArray(value)
          : typeof value === 'object' && value !== null && !Array.isArray(value);
  if (value === undefined || !fits) throw usage(`Input ${name} takes ${wants[type] ?? type}.`);
  return value;
}

function parsed(text: string): Json | undefined {
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
    // JSON of any size is read as it is.
    values = parsed(text) ?? readYaml(text)?.value;
  } catch (thrown) {
    throw usage(`--inputs: ${file} is neither JSON nor YAML.`, [(thrown as Error).message]);
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw usage(`--inputs: ${file} has to hold an object: the values by the names of the inputs.`);
  }
  return { ...(values as Record<string, Json>) };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw usage(`${file} cannot be read.`);
  }
}

function fileAt(cwd: string, path: string, name: string): string {
  const file = resolve(cwd, path);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw usage(`Input ${name}: there is no file ${file}.`);
  if (stat.size > MAX_FILE) throw usage(`Input ${name}: ${file} has more than 512 MiB.`);
  return file;
}

/** Asks for the secrets that are required and missing, where somebody sits there. */
export async function askSecrets(
  declared: Inputs,
  given: GivenInputs,
  { canAsk, askSecret }: Cli['terminal'],
): Promise<GivenInputs> {
  const values = { ...given.values };
  for (const [name, input] of Object.entries(declared)) {
    if (!canAsk || !input.secret || input.optional || Object.hasOwn(values, name)) continue;
    values[name] = await askSecret(input.title ? `${input.title} (${name})` : name);
  }
  return { ...given, values };
}

/**
 * Checks inputs before anything is sent.
 * @throws CommandError with a line `--input name: fix` for each that is wrong or missing
 */
export function checkInputs(declared: Inputs, { values, files }: GivenInputs): void {
  const uploads = Object.fromEntries(Object.keys(files).map((name) => [name, SOME_UPLOAD]));
  try {
    resolveInputs({ inputs: { ...declared } }, { ...values, ...uploads });
  } catch (thrown) {
    if (!(thrown instanceof PilothouseError)) throw thrown;
    throw usage(
      'The inputs are not valid.',
      (thrown.fields ?? []).map((problem) => inputLine(problem, declared)),
    );
  }
}

function inputLine({ pointer, detail }: FieldError, declared: Inputs): string {
  const [, , name = '', ...deeper] = pointer.split('/');
  const input = Object.hasOwn(declared, name) ? declared[name] : undefined;
  const where = [name, ...deeper].join('/');
  if (!input || !detail.startsWith('This input is missing')) return `${where}: ${detail}`;
  if (input.secret)
    return `${where}: ${detail}. Give --input-env ${name}=VARIABLE, or type it when asked on a terminal`;
  return `${where}: ${detail}. Give --input ${name}=${input.type === 'file' ? '@path' : '...'}`;
}
