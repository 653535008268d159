import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { evalSuiteSchema, type EvalSuite } from '@pilothouse/contract/evaluation/eval-suite.schema';
import { readWebArenaTasks } from '@pilothouse/core/evaluation/webarena-verified';
import { readYaml, YamlProblem } from '@pilothouse/core/workflow/parse-yaml';
import { readFileSync, statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { z } from 'zod';
import { usage } from '../output/exit-codes.ts';
import { clean } from '../output/sanitize-text.ts';

/** Maximum size of a suite or dataset file, in bytes. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Tasks of a suite, and tasks that cannot be run. */
export interface EvalSource {
  readonly suite: EvalSuite;
  readonly skipped: readonly { readonly task: string; readonly problem: string }[];
}

function readText(path: string, cwd: string): string {
  const absolute = resolve(cwd, path);
  const stats = statSync(absolute, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw usage(`File not found: ${path}.`);
  if (stats.size > MAX_FILE_BYTES) throw usage(`${path} has more than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`);
  return readFileSync(absolute, 'utf8');
}

function readJsonFile(path: string, cwd: string): unknown {
  try {
    return JSON.parse(readText(path, cwd));
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw usage(`${path} is not valid JSON: ${clean(thrown.message)}.`);
  }
}

/** Reads and validates a suite file. @throws CommandError with one line per problem */
export function readSuite(path: string, cwd: string): EvalSource {
  let value: unknown;
  try {
    value = readYaml(readText(path, cwd))?.value;
  } catch (thrown) {
    if (!(thrown instanceof YamlProblem)) throw thrown;
    throw usage(`${path} is not valid YAML: ${clean(thrown.message)}.`);
  }
  const parsed = evalSuiteSchema.safeParse(value);
  if (parsed.success) return { suite: parsed.data, skipped: [] };
  const lines = fieldErrors(parsed.error).map(({ pointer, detail }) => clean(`${pointer || '(document)'}: ${detail}`));
  throw usage(`${path} is not a valid suite.`, lines);
}

/** The used fields of the configuration file of WebArena-Verified. */
const configSchema = z.object({
  environments: z.record(z.string(), z.object({ urls: z.array(z.url({ protocol: /^https?$/ })).min(1) })),
});

/** Reads a dataset of WebArena-Verified. @param configPath configuration file with the URLs of the sites */
export function readWebArenaSuite(path: string, configPath: string | undefined, cwd: string): EvalSource {
  if (configPath === undefined) throw usage('--format webarena-verified requires --sites.');
  const config = configSchema.safeParse(readJsonFile(configPath, cwd));
  if (!config.success) {
    const lines = fieldErrors(config.error).map(({ pointer, detail }) => `${pointer || '(document)'}: ${detail}`);
    throw usage(`${configPath} is not a configuration of WebArena-Verified.`, lines);
  }
  const sites = Object.fromEntries(
    Object.entries(config.data.environments).map(([name, { urls }]) => [name, urls[0] ?? '']),
  );
  const dataSet = readJsonFile(path, cwd);
  if (!Array.isArray(dataSet)) throw usage(`${path} is not a list of WebArena-Verified tasks.`);
  const results = readWebArenaTasks(dataSet, sites);
  const tasks = results.flatMap((result) => ('task' in result ? [result.task] : []));
  const skipped = results.flatMap((result) =>
    'problem' in result ? [{ task: result.id, problem: result.problem }] : [],
  );
  return { suite: { name: suiteName(path), repeat: 1, tasks }, skipped };
}

const suiteName = (path: string): string =>
  basename(path, extname(path))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '') || 'suite';
