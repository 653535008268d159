import { findFreePort } from '@pilothouse/infra-embedded';
import { bundleOf } from './bundles.ts';
import { Program } from './child-program.ts';
import { baseEnvironment } from './servers.fixture.ts';

/** Token that authenticates the console at the APIs of these tests. */
export const CONSOLE_TOKEN = 'console-token-of-the-end-to-end-tests';

/** The shipped console for an API. */
export interface Console {
  readonly url: string;
  readonly program: Program;
}

/** @param apiUrl URL of the API @param fixedPort port to listen on (default: a free one) */
export async function startConsole(apiUrl: string, fixedPort?: number): Promise<Console> {
  const port = fixedPort ?? (await findFreePort(0));
  const url = `http://127.0.0.1:${port}`;
  const program = await Program.start({
    name: 'console',
    args: [await bundleOf('console')],
    env: {
      ...baseEnvironment(),
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
