import { startConsole, type Console } from './console-process.ts';
import { launchBrowser, Viewer, type StoredSession } from './console-page.ts';
import { Stack, type StackOptions } from './stack.ts';

/** The first user of a stack: an admin of its project. */
export const admin = {
  name: 'Grace Hopper',
  email: 'grace@example.com',
  password: 'nine lighthouses of Skagen',
} as const;

/** A stack with a console and a signed-in user. Its properties may be read only while tests run. */
export interface ConsoleFixture {
  readonly stack: Stack;
  consoleServer: Console;
  /** One for the `describe`; contexts of it share nothing. */
  readonly browser: Awaited<ReturnType<typeof launchBrowser>>;
  /** A new one for each test. */
  readonly viewer: Viewer;
}

export interface ConsoleFixtureOptions extends Omit<StackOptions, 'api'> {
  /** Variables of the API; read after the `beforeAll` hooks that are declared earlier. */
  api?: () => StackOptions['api'];
  /** Sign-in of the viewer before each test. `password` (default): as the first user, an admin. */
  signIn?: 'password' | 'key' | 'none';
}

/** Starts one stack with a console for the tests of a `describe`. A page that logs an error fails its test. */
export function useConsole({ api, signIn = 'password', ...options }: ConsoleFixtureOptions): ConsoleFixture {
  const fixture: Partial<{ -readonly [Key in keyof ConsoleFixture]: ConsoleFixture[Key] }> = {};
  let session: StoredSession | undefined;
  beforeAll(async () => {
    [fixture.stack, fixture.browser] = await Promise.all([
      Stack.start({ ...options, ...(api && { api: api() }) }),
      launchBrowser(),
    ]);
    fixture.consoleServer = await startConsole(fixture.stack.client.url);
    if (signIn === 'password') await fixture.stack.client.createFirstUser(admin);
  });
  afterAll(async () => {
    await fixture.browser?.close();
    await fixture.consoleServer?.program.stop();
    await fixture.stack?.stop();
  });
  beforeEach(async () => {
    const { stack, consoleServer, browser } = fixture;
    if (!stack || !consoleServer || !browser) throw new Error('The stack was not started');
    const viewer = await Viewer.open(browser, consoleServer.url, { session });
    fixture.viewer = viewer;
    if (signIn === 'none' || (session && (await viewer.openHome()))) return;
    if (signIn === 'password') await viewer.signIn(admin);
    else await viewer.signInWithKey(stack.secrets.adminKey);
    session = await viewer.session();
  });
  afterEach(async () => {
    await fixture.viewer?.close();
    expect(fixture.viewer?.pageErrors).toEqual([]);
  });
  return fixture as ConsoleFixture;
}
