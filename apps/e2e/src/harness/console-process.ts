import { findFreePort } from '@pilothouse/infra-embedded';
import { bundleOf } from './bundles.ts';
import { Program } from './child-program.ts';
import { searchPath } from './servers.fixture.ts';

/** Secret by which the APIs of these tests know the console: links lead to its address. */
export const CONSOLE_TOKEN = 'console-token-of-the-end-to-end-tests';

/** The console as it ships, in front of an API. */
export interface Console {
  readonly url: string;
  readonly program: Program;
}

/** @param apiUrl where the API is @param fixedPort port that it listens on (default: a free one) */
export async function startConsole(apiUrl: string, fixedPort?: number): Promise<Console> {
  const port = fixedPort ?? (await findFreePort(0));
  const url = `http://127.0.0.1:${port}`;
  const program = await Program.start({
    name: 'console',
    args: [await bundleOf('console')],
    env: {
      PATH: searchPath(),
      PILOTHOUSE_API_URL: apiUrl,
      PILOTHOUSE_CONSOLE_PORT: String(port),
      PILOTHOUSE_CONSOLE_TOKEN: CONSOLE_TOKEN,
    },
  });
  await program.ready('it is ready', () =>
    fetch(`${url}/healthz`).then(
      ({ status }) => status === 200 || undefined,
      () => undefined,
    ),
  );
  return { url, program };
}
