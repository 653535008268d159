import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { startDesktopRuntime } from '../testing/desktop-runtime.fixture.ts';

const modeOf = async (path: string) => (await stat(path)).mode & 0o7777;

test('a desktop host changes the mode of no folder that others already pass through', async () => {
  const shared = [tmpdir(), dirname(tmpdir())];
  const initialModes = await Promise.all(shared.map(modeOf));
  const desktop = await startDesktopRuntime();
  try {
    expect(await Promise.all(shared.map(modeOf))).toEqual(initialModes);
    if (process.getuid?.() === 0) expect(await modeOf(desktop.folder)).toBe(0o701);
  } finally {
    expect(await desktop.close()).toEqual([]);
  }
}, 60_000);
