import { startConsole, type Console } from './console-process.ts';
import { connectToBrowser, launchBrowser, Viewer, type StoredSession } from './console-page.ts';
import { openSharedProject, type SharedProject, type SignInUser } from './shared-stack.ts';
import type { Client } from './stack-client.ts';
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
  useViewer(fixture, () => {
    const { stack, consoleServer, browser } = fixture;
    if (!stack || !consoleServer || !browser) throw new Error('The stack was not started');
    const credentials = { password: admin, key: stack.secrets.adminKey, none: undefined }[signIn];
    return { browser, consoleUrl: consoleServer.url, credentials };
  });
  return fixture as ConsoleFixture;
}

/** A project on the shared stack, and a signed-in user. Its properties may be read only while tests run. */
export interface SharedConsoleFixture {
  readonly stack: {
    /** The API with an admin key of the project. */
    readonly client: Client;
    /** The demo site. Other spec files use it too, so its ledger has their requests. */
    readonly site: { readonly url: string };
  };
  readonly consoleServer: { readonly url: string };
  readonly browser: ConsoleFixture['browser'];
  /** An admin of the project. */
  readonly user: SignInUser;
  /** A new one for each test. */
  readonly viewer: Viewer;
}

/**
 * Opens a project on the stack that the spec files of a jest worker share: two workers of the fleet `browsers`, a
 * console and a browser, with default settings. A spec that stops a program, changes a fleet, or reads what belongs to
 * the installation uses `useConsole`. A page that logs an error fails its test.
 */
export function useSharedConsole({ signIn = 'password' }: { signIn?: 'password' | 'key' } = {}): SharedConsoleFixture {
  const fixture: Partial<{ -readonly [Key in keyof SharedConsoleFixture]: SharedConsoleFixture[Key] }> = {};
  let project: SharedProject | undefined;
  beforeAll(async () => {
    project = await openSharedProject();
    const { servers, client, user } = project;
    fixture.stack = { client, site: { url: servers.siteUrl } };
    fixture.consoleServer = { url: servers.consoleUrl };
    fixture.user = user;
    fixture.browser = await connectToBrowser(servers.browserUrl);
  });
  afterAll(async () => {
    await fixture.browser?.close();
    await project?.release();
  });
  useViewer(fixture, () => {
    const { consoleServer, browser } = fixture;
    if (!project || !consoleServer || !browser) throw new Error('The shared stack was not opened');
    const credentials = { password: project.user, key: project.client.key }[signIn];
    return { browser, consoleUrl: consoleServer.url, credentials };
  });
  return fixture as SharedConsoleFixture;
}

interface ViewerSource {
  readonly browser: ConsoleFixture['browser'];
  readonly consoleUrl: string;
  /** A user, or an API key; none: the viewer is not signed in. */
  readonly credentials: SignInUser | string | undefined;
}

/** Opens a viewer for each test. The session of the first is used again while it is valid. */
function useViewer(fixture: { viewer?: Viewer }, source: () => ViewerSource): void {
  let session: StoredSession | undefined;
  beforeEach(async () => {
    const { browser, consoleUrl, credentials } = source();
    const viewer = await Viewer.open(browser, consoleUrl, { session });
    fixture.viewer = viewer;
    if (credentials === undefined || (session && (await viewer.openHome()))) return;
    if (typeof credentials === 'string') await viewer.signInWithKey(credentials);
    else await viewer.signIn(credentials);
    session = await viewer.session();
  });
  afterEach(async () => {
    await fixture.viewer?.close();
    expect(fixture.viewer?.pageErrors).toEqual([]);
  });
}
