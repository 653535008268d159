import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { DesktopProfile } from '@pilothouse/contract/workflow/desktop-options.schema';
import { toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import { libreOfficeProfile } from '@pilothouse/testing/libreoffice-profile';
import { until } from '@pilothouse/testing/test-helpers';
import { zipEntry } from '@pilothouse/testing/zip-entry';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ControlClient } from './testing/control-client.fixture.ts';
import { actor, startDesktopKit, type DesktopKit } from './testing/desktop.fixture.ts';
import type { DesktopSurface } from './desktop.surface.ts';

/* Manual actions become actions that do the same on a new desktop, without a model. */

const MIXED = 'Grüße: 5 € – „ok“ ёЖ 日本';

/** Size of a cell in LibreOffice Calc, in thousandths of the screen. */
const CELL = { x: (82 / 1_280) * 1_000, y: (17 / 800) * 1_000 };

let kit: DesktopKit;
let surface: DesktopSurface;
/** Folder of a test's files, at a path that stays the same for the replay. */
let folder: string;
const act = actor(() => surface);

beforeAll(async () => {
  // The folder is outside of the session, so that it is the same at the replay. Programs see it only without a view of their own.
  kit = await startDesktopKit({
    isolation: { hasOwnNetwork: false, hasOwnUser: process.getuid?.() === 0, hasOwnView: false },
  });
}, 60_000);
afterAll(async () => expect(await kit.close()).toEqual({ files: [], pids: [] }), 30_000);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recording-'));
  // Programs of a session may have a separate user.
  await chmod(folder, 0o777);
});
afterEach(async () => {
  await surface.close();
  await rm(folder, { recursive: true, force: true });
});

/** State before the recording, and again before the replay. */
interface Situation {
  /** Puts files into the folder. */
  readonly prepare?: () => Promise<void>;
  /** Files of the home folder. */
  readonly profile?: DesktopProfile;
}

/** Records a person, checks the effect, and checks it again after a replay on a new desktop. */
async function recordAndReplay(
  perform: (client: ControlClient) => Promise<void>,
  effect: () => Promise<void>,
  { prepare = () => Promise.resolve(), profile = {} }: Situation = {},
): Promise<Action[]> {
  const openSurface = () => kit.open({ desktop: { profile } });
  await prepare();
  surface = await openSurface();
  const client = new ControlClient(surface);
  await perform(client);
  await effect();
  const actions = client.actions();
  await surface.close();
  await rm(folder, { recursive: true, force: true });
  await mkdtempAt(folder);
  await prepare();
  surface = await openSurface();
  for (const action of actions) await act(action, 40);
  await effect();
  return actions;
}

const mkdtempAt = (path: string) => promisify(execFile)('mkdir', ['-m', '777', path]);

const hasText = (name: string, text: string) => async () => {
  await until(
    `${name} has the text`,
    async () => (await readFile(join(folder, name), 'utf8').catch(() => '')) === text,
  );
};

/** Targets of the actions that use a point of the screen. */
const pointTargets = (actions: readonly Action[]) =>
  actions.filter(
    (action) =>
      'target' in action && action.target && toLocatorChain(action.target).some(({ point }) => point !== undefined),
  );

test('a note in mousepad, saved by the dialog', async () => {
  const path = join(folder, 'nöte.txt');
  const actions = await recordAndReplay(
    async (client) => {
      await client.open('org.xfce.mousepad', 'Mousepad');
      await client.click({ role: 'textbox' });
      await client.type(MIXED);
      await client.press('Enter');
      await client.type('second line');
      await client.press('Control+S');
      await client.waitForWindow('Save As');
      await client.type(path);
      await client.click({ role: 'button', name: 'Save' });
      await client.waitForWindow('nöte.txt');
    },
    hasText('nöte.txt', `${MIXED}\nsecond line`),
  );
  expect(actions).toMatchObject([
    { action: 'openApp', app: 'org.xfce.mousepad' },
    { action: 'click' },
    { action: 'fill', text: MIXED },
    { action: 'press', key: 'Enter' },
    { action: 'type', text: 'second line' },
    { action: 'press', key: 'Control+S' },
    { action: 'switchWindow', app: 'mousepad', window: 'Save As' },
    { text: path },
    {
      action: 'click',
      target: [
        { role: 'button', name: 'Save', exact: true },
        { text: 'Save', exact: true },
      ],
    },
  ]);
  expect(pointTargets(actions)).toEqual([]);
}, 120_000);

test('a file renamed in thunar', async () => {
  const actions = await recordAndReplay(
    async (client) => {
      await client.open('thunar', 'Thunar');
      await client.press('Control+L', 'Control+A');
      await client.type(folder);
      await client.press('Enter');
      await client.waitForWindow('recording-');
      // As a list with details.
      await client.press('Control+2');
      await client.click({ role: 'gridcell', name: 'draft.txt' });
      await client.press('F2');
      await client.waitForWindow('Rename');
      await client.type('final');
      await client.press('Enter');
    },
    async () => {
      await until('the file has its new name', async () => (await readdir(folder)).includes('final.txt'));
    },
    { prepare: () => writeFile(join(folder, 'draft.txt'), 'x') },
  );
  expect(pointTargets(actions)).toEqual([]);
}, 120_000);

test('a command in xterm', async () => {
  const command = `echo "$((40 + 2)) €" > ${folder}/answer.txt`;
  const actions = await recordAndReplay(
    async (client) => {
      await client.open('debian-xterm', 'xterm');
      await client.type(command);
      await client.press('Enter');
    },
    hasText('answer.txt', '42 €\n'),
  );
  expect(actions).toEqual([
    { action: 'openApp', app: 'debian-xterm' },
    { action: 'type', text: command },
    { action: 'press', key: 'Enter' },
  ]);
}, 120_000);

test('a note in FeatherPad (Qt), saved by its dialog', async () => {
  const path = join(folder, 'nöte.txt');
  const actions = await recordAndReplay(
    async (client) => {
      await client.open('featherpad', 'Untitled');
      await client.type(MIXED);
      await client.press('Control+S');
      await client.waitForWindow('Save as');
      await client.press('Control+A');
      await client.type(path);
      await client.click({ role: 'button', name: 'Save' });
      await client.waitForWindow('nöte.txt');
    },
    hasText('nöte.txt', `${MIXED}\n`),
  );
  expect(actions).toContainEqual(expect.objectContaining({ action: 'switchWindow', app: 'featherpad' }));
  expect(actions.at(-1)).toMatchObject({
    action: 'click',
    target: [{ role: 'button', name: 'Save', exact: true }, {}],
  });
  expect(pointTargets(actions)).toEqual([]);
}, 120_000);

/** The cell of the sum in a document. */
const SUM = 'table:formula="of:=[.B2]+[.B3]" office:value-type="float" office:value="42"';

test('a sum in LibreOffice Calc, whose cells are clicked', async () => {
  const path = join(folder, 'sum.ods');
  const actions = await recordAndReplay(
    async (client) => {
      await client.open('libreoffice-calc', 'LibreOffice Calc');
      // Empty cells are not listed: their points are counted from the first one, which has the focus.
      const first = await client.pointOf({ role: 'gridcell', name: 'A1' });
      const clickCell = (column: number, row: number) =>
        client.clickPoint({ x: first.x + column * CELL.x, y: first.y + row * CELL.y });
      await clickCell(1, 1);
      await client.type('40');
      await client.press('Enter');
      await client.type('2');
      await client.press('Enter');
      await clickCell(2, 3);
      await client.type('=B2+B3');
      await client.press('Enter', 'Control+S');
      await client.waitForWindow('Save');
      await client.press('Control+A');
      await client.type(path);
      await client.press('Enter');
      await client.waitForWindow('sum.ods');
    },
    async () => {
      await until('the sheet has the sum', async () => {
        const archive = await readFile(path).catch(() => Buffer.alloc(0));
        // The end of an archive is written last.
        if (!archive.includes('PK\x05\x06', 0, 'latin1')) return false;
        return zipEntry(archive, 'content.xml').includes(SUM);
      });
    },
    { profile: { files: Object.entries(libreOfficeProfile).map(([path, text]) => ({ path, text })) } },
  );
  expect(actions.filter(({ action }) => action === 'click')).toMatchObject(
    ['B2', 'C4'].map((name) => ({
      target: [
        { role: 'gridcell', name, exact: true },
        { text: name, exact: true },
      ],
    })),
  );
  expect(pointTargets(actions)).toEqual([]);
}, 180_000);
