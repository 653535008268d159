import { type SandboxFacts, canUseSandbox, launchChromium, sandboxFacts } from './launch-browser.ts';
import { expectFailure, testContext } from '../testing/browser-test-kit.ts';
import { argumentsOf, browsers, processesOf } from '../testing/test-processes.ts';

const free: SandboxFacts = { isRoot: false, isLinux: true, namespaces: true, canGainPrivileges: true };

test.each<[string, Partial<SandboxFacts>, boolean | null]>([
  ['there are user namespaces', {}, true],
  ['there are user namespaces in a container', { canGainPrivileges: false }, true],
  ['a container forbids them', { namespaces: false, canGainPrivileges: false }, false],
  ['there are none, but a setuid helper may do', { namespaces: false }, null],
  ['unknown namespaces', { namespaces: null, canGainPrivileges: false }, null],
  ['it is no Linux', { isLinux: false, namespaces: null }, null],
  ['root starts it', { isRoot: true }, false],
])('where %s', (_, facts, works) => expect(canUseSandbox({ ...free, ...facts })).toBe(works));

test('collects the facts of this machine', async () =>
  expect(await sandboxFacts()).toMatchObject({ isRoot: process.getuid?.() === 0, isLinux: true }));

test('starts once without a sandbox and returns its processes', async () => {
  const browser = await launchChromium({ sandbox: 'off' }, testContext(60_000));
  expect(browsers().map(argumentsOf)).toEqual([expect.arrayContaining(['--no-sandbox'])]);
  await browser.close();
});

/* Chromium refuses root. */
(process.getuid?.() === 0 ? test : test.skip)('with one or not at all: nothing else is tried', async () => {
  const error = await expectFailure(launchChromium({ sandbox: 'on' }, testContext(60_000)));
  expect(error).toMatchObject({ code: 'SURFACE_UNAVAILABLE', message: expect.stringContaining('did not start') });
  expect(browsers()).toEqual([]);
});

test.each([
  ['--disable-features=', 5, 'SpareRendererForSitePerProcess'],
  ['--enable-features=', 1, 'NetworkServiceInProcess2'],
])('keeps the %s of Playwright and appends ours', async (name, least, ours) => {
  const browser = await launchChromium({}, testContext(60_000));
  const [its, last, ...others] = (browsers().map(argumentsOf)[0] ?? [])
    .filter((argument) => argument.startsWith(name))
    .map((argument) => argument.split('=')[1]?.split(',') ?? []);
  await browser.close();
  expect(others).toEqual([]);
  expect(its?.length).toBeGreaterThan(least);
  expect(last).toEqual(expect.arrayContaining([...(its ?? []), ours]));
});

test('runs the network service in the browser process', async () => {
  const browser = await launchChromium({}, testContext(60_000));
  await (await browser.newPage()).goto('data:text/html,here');
  const kinds = browsers().flatMap(processesOf).flatMap(argumentsOf);
  await browser.close();
  expect(kinds).toContain('--type=renderer');
  expect(kinds.filter((kind) => kind.includes('NetworkService') && kind.startsWith('--utility'))).toEqual([]);
});
