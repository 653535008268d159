import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Loads the cores with endless loops. @returns a function that stops them */
export function saturateCores(loopsPerCore: number): () => void {
  const loops = Array.from({ length: loopsPerCore * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  return () => loops.forEach((loop) => loop.kill('SIGKILL'));
}
