import { toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { observationLevelSchema } from '@pilothouse/contract/actions/extraction.schema';
import type { EgressBlock } from '@pilothouse/contract/project/egress.schema';
import { parseHostRules } from '@pilothouse/core/egress/host-rules';
import type { ConnectFailure, EgressPolicy } from '@pilothouse/core/ports/egress.port';
import type { Context, Log } from '@pilothouse/core/ports/runtime.port';
import { observeConfig, type Environment } from '@pilothouse/infra-config';
import { startEgressProxy } from '@pilothouse/infra-egress';
import { BrowserHost, createTrustingHome } from '@pilothouse/surface-browser';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { explainNetworkError } from '../network/explain-network-error.ts';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * Observes one page in a separate browser and prints the observation as JSON: `observe <url> [--level view] [--seconds 30]`. Started by
 * `pilothouse elements list`; uses no gateway. Each element has locators. The page may reach the hosts that a run may reach, and the given
 * host.
 * @param print receives the document, one line
 * @returns the exit code; on 1 the document is `{"error": {"code", "message"}}`
 * @throws ConfigError
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
  const {
    chromiumPath,
    egressAllowPrivate: egressPrivate,
    extraCaCerts: trustedAuthorities,
    childEnvironment,
  } = observeConfig(environment);
  const folder = await mkdtemp(join(tmpdir(), 'observe-'));
  const egress = startEgressProxy();
  let host: BrowserHost | undefined;
  const cancellation = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => cancellation.abort(new Error(signal)));
  const context: Context = {
    signal: cancellation.signal,
    deadline: performance.now() + Number(values.seconds) * 1000,
    log: silent,
  };
  const blocks: EgressBlock[] = [];
  const failures: ConnectFailure[] = [];
  const policy: EgressPolicy = {
    rules: { lists: [], private: parseHostRules([...egressPrivate, ...hostPatternsOf(url)]) },
    upstream: async () => null,
    signal: cancellation.signal,
    mayAct: () => true,
    waitUntilMayAct: async () => undefined,
    onBlocked: (refusal) => blocks.push(refusal),
    onFailed: (failure) => failures.push(failure),
  };
  try {
    const trust = { authorities: trustedAuthorities, folder: join(folder, 'home'), environment: childEnvironment };
    host = new BrowserHost({
      egress,
      ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
      ...(trustedAuthorities.length > 0 && {
        environment: { ...childEnvironment, HOME: await createTrustingHome(trust) },
      }),
    });
    const surface = await host.open({ folder, egress: policy }, context);
    const services = {
      ...context,
      guard: () => {},
      reveal: async (text: string) => text,
      file: async (name: string) => name,
    };
    await surface.act({ action: 'navigate', url }, services);
    print(JSON.stringify(await surface.observe({ level, locators: true }, context)));
    return 0;
  } catch (thrown) {
    const { code, message } = toPilothouseError(explainNetworkError(thrown, { blocked: blocks, failures }));
    print(JSON.stringify({ error: { code, message } }));
    return 1;
  } finally {
    await host?.close();
    await egress.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Egress patterns of the given address, which may be private. A site may redirect from http to https. */
function hostPatternsOf(url: string): string[] {
  const { hostname, protocol, port } = URL.parse(url) ?? { hostname: '', protocol: '', port: '' };
  if (hostname === '') return [];
  const ports = port !== '' ? [port] : protocol === 'https:' ? ['443'] : ['80', '443'];
  return ports.map((number) => `${hostname}:${number}`);
}
