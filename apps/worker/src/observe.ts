import { observationLevelSchema, toPilothouseError } from '@pilothouse/contract';
import type { Context, Log } from '@pilothouse/core';
import type { Environment } from '@pilothouse/infra-config';
import { BrowserHost } from '@pilothouse/surface-browser';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * Looks at one page in a browser of its own and prints what was seen as JSON: `observe <url> [--level view] [--seconds 30]`. It is
 * what `pilothouse observe` starts; no gateway is spoken to.
 * @param print takes the document, which is one line
 * @returns the exit code; on 1 the document printed is `{"error": {"code", "message"}}`
 */
export async function observePage(
  args: readonly string[],
  environment: Environment,
  print: (line: string) => void,
): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { level: { type: 'string', default: 'view' }, seconds: { type: 'string', default: '30' } },
  });
  const [url = ''] = positionals;
  const level = observationLevelSchema.parse(values.level);
  const folder = await mkdtemp(join(tmpdir(), 'observe-'));
  const executablePath = environment.CHROMIUM_PATH;
  const host = new BrowserHost(executablePath === undefined ? {} : { executablePath });
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort(new Error(signal)));
  const context: Context = {
    signal: ended.signal,
    deadline: performance.now() + Number(values.seconds) * 1000,
    log: silent,
  };
  try {
    const surface = await host.open({ folder }, context);
    const act = {
      ...context,
      guard: () => {},
      reveal: async (text: string) => text,
      file: async (name: string) => name,
    };
    await surface.act({ action: 'navigate', url }, act);
    print(JSON.stringify(await surface.observe({ level }, context)));
    return 0;
  } catch (thrown) {
    const { code, message } = toPilothouseError(thrown);
    print(JSON.stringify({ error: { code, message } }));
    return 1;
  } finally {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  }
}
