import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { startSurfaceRuntime, type SurfaceRuntime } from '../surface/surface-host.ts';

/** A desktop host as a worker starts it, for specs. */
export interface DesktopRuntime extends Pick<SurfaceRuntime, 'host'> {
  /** Folder of the sessions. */
  readonly folder: string;
  /** Closes the host. @returns files that are left */
  close(): Promise<string[]>;
}

export async function startDesktopRuntime(): Promise<DesktopRuntime> {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-desktop-'));
  const runtime = await startSurfaceRuntime(
    {
      surface: 'desktop',
      slots: 1,
      headless: 'auto',
      display: undefined,
      browser: { maxRuns: 100, maxMegabytes: 2_000 },
      chromiumPath: undefined,
      sandbox: 'off',
      extraCaCerts: [],
      childEnvironment: {},
      temporary: folder,
    },
    memoryLog(),
    new AbortController().signal,
    { count: () => undefined },
  );
  return {
    host: runtime.host,
    folder,
    close: async () => {
      await runtime.close();
      const files = await readdir(folder);
      await rm(folder, { recursive: true, force: true });
      return files;
    },
  };
}
