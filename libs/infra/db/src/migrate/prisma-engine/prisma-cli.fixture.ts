import { execFile } from 'node:child_process';
import { join } from 'node:path';

export const repositoryRoot = join(import.meta.dirname, '../../../../../..');

/** Runs `scripts/prisma` like a developer. @param more additional environment; exit code -1: it was killed */
export function prismaCli(args: readonly string[], more: NodeJS.ProcessEnv): Promise<{ code: number; output: string }> {
  const { PRISMA_SCHEMA_ENGINE_BINARY: _binary, DATABASE_URL: _url, ...inherited } = process.env;
  const options = { cwd: repositoryRoot, env: { ...inherited, ...more, NO_COLOR: '1' }, timeout: 60_000 };
  return new Promise((resolve) => {
    execFile(join(repositoryRoot, 'scripts/prisma'), args, options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, output: stdout + stderr }),
    );
  });
}
