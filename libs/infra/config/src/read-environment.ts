import { z } from 'zod';

/** Where settings come from: `process.env`, or what a spec gives. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings are wrong: one sentence for each, saying what to set. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** The environment of this process. The only place of the house that reads it. */
export const processEnvironment = (): Environment => process.env;

/**
 * Reads settings by a schema whose keys are the names of variables. An empty variable counts as not set.
 * @throws ConfigError with a sentence for each variable that is wrong; values are never quoted, because some are secret
 */
export function readEnvironment<Settings>(schema: z.ZodType<Settings>, environment: Environment): Settings {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map((issue) => sentence(issue, given)));
}

function sentence(issue: z.core.$ZodIssue, given: Environment): string {
  const name = String(issue.path[0] ?? '');
  if (name === '') return issue.message;
  if (given[name] === undefined && issue.code !== 'custom') return `${name} is not set.`;
  const inside = issue.path.slice(1).join('.');
  return `${name}${inside ? ` (${inside})` : ''}: ${issue.message}.`;
}

/** Makes a folder the place of all temporary files of this process, also of those that libraries make (`os.tmpdir()`). */
export function useTemporaryFolder(folder: string): void {
  process.env['TMPDIR'] = folder;
}
