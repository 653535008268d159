import { poll } from '@pilothouse/core/time/deadlines';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

/** Latin, Greek, Cyrillic, Han, Hangul, combining marks and signs; no quotes, which AutoCorrect curls. */
const MIXED = 'Zażółć Grüße – 5 € Ωμέγα Жёлтый 漢字仮名 한글 e\u0301a\u0308 {}[]|~\\@#%^&*()_+=<>?;:/.,';

/** Astral letters, a family joined by ZWJ, a flag and a skin tone. */
const ASTRAL = '𝔸 😀 👩‍👩‍👧 🇩🇪 👍🏽';

let kit: DesktopKit;
let surface: DesktopSurface;
let folder: string;
const act = actor(() => surface);

beforeAll(async () => {
  kit = await startDesktopKit();
  await kit.host.warm();
}, 60_000);
afterAll(async () => expect(await kit.close()).toEqual({ files: [], pids: [] }), 30_000);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-attempt-'));
  surface = await kit.host.open({ folder }, contextWithin(60));
}, 60_000);
afterEach(async () => {
  await surface.close();
  await rm(folder, { recursive: true });
});

/** The text of an application, through its own copy shortcut. A busy application copies late. */
const copyAll = async (): Promise<string> => {
  for (const key of ['Control+A', 'Control+C']) await act({ action: 'press', key });
  const copied = await poll(async () => (await act({ action: 'readClipboard' })).value || undefined, contextWithin(15));
  return String(copied);
};

test.each<[string, readonly Action[]]>([
  ['org.xfce.mousepad', []],
  ['org.gnome.TextEditor', []],
  ['featherpad', []],
  // Its first window shows a welcome page.
  ['org.kde.kate', [{ action: 'press', key: 'Control+N' }]],
])(
  '%s: mixed scripts, emoji and a long text arrive as they are',
  async (app, steps) => {
    await act({ action: 'openApp', app }, 60);
    for (const step of steps) await act(step, 30);
    await act({ action: 'waitFor', condition: { visible: { role: 'textbox' } } }, 30);
    const long = `${MIXED}\n`.repeat(20);
    await act({ action: 'type', text: MIXED }, 30);
    await act({ action: 'type', text: ` ${ASTRAL}\n` }, 30);
    await act({ action: 'type', text: long }, 30);
    const text = await copyAll();
    expect(text.endsWith('\n\n') ? text.slice(0, -1) : text).toBe(`${MIXED} ${ASTRAL}\n${long}`);
  },
  180_000,
);
