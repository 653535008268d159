import { freePort } from '@pilothouse/infra-embedded';
import { bundleOf } from './built.ts';
import { Program } from './program.ts';
import { searchPath } from './servers.fixture.ts';

/** The console as it ships, in front of an API. */
export interface Console {
  readonly url: string;
  readonly program: Program;
}

/** @param api where the API is */
export async function startConsole(api: string): Promise<Console> {
  const port = await freePort(0);
  const url = `http://127.0.0.1:${port}`;
  const program = await Program.start({
    name: 'console',
    args: [await bundleOf('console')],
    env: { PATH: searchPath(), PILOTHOUSE_API_URL: api, PILOTHOUSE_CONSOLE_PORT: String(port) },
  });
  await program.ready('it is ready', () =>
    fetch(`${url}/healthz`).then(
      ({ status }) => status === 200 || undefined,
      () => undefined,
    ),
  );
  return { url, program };
}
