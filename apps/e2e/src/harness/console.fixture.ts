import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { startConsole, type Console } from './console-process.ts';
import { Stack, type StackOptions } from './stack.ts';
import { Viewer } from './console-page.ts';

/** The first user of a stack: an admin of its project. */
export const admin = {
  name: 'Grace Hopper',
  email: 'grace@example.com',
  password: 'nine lighthouses of Skagen',
} as const;

/** A house with a console, and somebody who looks at it. What is in it is there while tests run. */
export interface ConsoleHouse {
  readonly stack: Stack;
  pages: Console;
  /** Of this test alone: the browser of the next one is a new one. */
  readonly viewer: Viewer;
}

export interface ConsoleHouseOptions extends Omit<StackOptions, 'api'> {
  /** Variables of the API, asked for after the `beforeAll` that stand before. */
  api?: () => StackOptions['api'];
  /** How the viewer signs in before each test. `password` (default): as the first user, an admin. */
  signIn?: 'password' | 'key' | 'none';
}

/** One house for the tests of a `describe`, and a browser for each of them. A page that says an error to its console fails its test. */
export function useConsole({ api, signIn = 'password', ...options }: ConsoleHouseOptions): ConsoleHouse {
  const house: Partial<{ -readonly [Part in keyof ConsoleHouse]: ConsoleHouse[Part] }> = {};
  beforeAll(async () => {
    house.stack = await Stack.start({ ...options, ...(api && { api: api() }) });
    house.pages = await startConsole(house.stack.client.url);
    if (signIn === 'password') await house.stack.client.createFirstUser(admin);
  });
  afterAll(async () => {
    await house.pages?.program.stop();
    await house.stack?.stop();
  });
  beforeEach(async () => {
    if (!house.stack || !house.pages) throw new Error('The house was not started');
    house.viewer = await Viewer.open(house.pages.url);
    if (signIn === 'password') await house.viewer.signIn(admin);
    if (signIn === 'key') await house.viewer.signInWithKey(house.stack.secrets.adminKey);
  });
  afterEach(async () => {
    await house.viewer?.close();
    expect(house.viewer?.faults).toEqual([]);
  });
  return house as ConsoleHouse;
}
