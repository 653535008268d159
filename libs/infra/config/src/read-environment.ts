import { z } from 'zod';

/** Environment variables: `process.env`, or the values of a spec. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reports invalid settings: one sentence for each, with the value to set. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** The environment of this process. No other code reads it. */
export const processEnvironment = (): Environment => process.env;

/**
 * Parses settings with a schema whose keys are variable names. An empty variable counts as unset.
 * @throws ConfigError with a sentence for each invalid variable; values are never quoted, because some are secret
 */
export function readEnvironment<Settings>(schema: z.ZodType<Settings>, environment: Environment): Settings {
  const values = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map((issue) => formatIssue(issue, values)));
}

function formatIssue(issue: z.core.$ZodIssue, values: Environment): string {
  const name = String(issue.path[0] ?? '');
  if (name === '') return issue.message;
  if (values[name] === undefined && issue.code !== 'custom') return `${name} is not set.`;
  const path = issue.path.slice(1).join('.');
  return `${name}${path ? ` (${path})` : ''}: ${issue.message}.`;
}

/** Sets the folder for all temporary files of this process, including those of libraries (`os.tmpdir()`). */
export function useTemporaryFolder(folder: string): void {
  process.env['TMPDIR'] = folder;
}
