import { access } from 'node:fs/promises';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Surface, SurfaceFile } from '@pilothouse/core/ports/surface.port';
import { startKit, testContext, type SurfaceKit } from './testing/browser-test-kit.ts';

const button = (name: string): Action => ({ action: 'click', target: { role: 'button', name } });
const readText = (css: string): Action => ({ action: 'extract', target: { css }, value: {} });

describe('sibling surfaces', () => {
  let kit: SurfaceKit;
  beforeAll(async () => {
    kit = await startKit();
    kit.serve('/first', '<title>First</title><button onclick="n.textContent = 1">More</button><b id="n">0</b>');
    kit.serve(
      '/shop',
      `<title>Shop</title><button onclick="n.textContent = Number(n.textContent) + 1">More</button><b id="n">0</b>
      <button onclick="window.open('/window')">Open</button>
      <button onclick="window.open('/window', '', 'noopener')">Apart</button>
      <a href="data:text/plain,hello" download="note.txt">Save</a>
      <i id="c"></i><script>c.textContent = document.cookie; document.cookie = 'seen=yes'</script>`,
    );
    kit.serve('/window', '<title>Window</title><h1>Window</h1>');
  });
  afterAll(() => kit.close());

  const act = (surface: Surface, action: Action) => surface.act(action, testContext(10_000));
  const valueOf = async (surface: Surface, action: Action) => (await act(surface, action)).value;
  const open = (surface: Surface, path: string) => act(surface, { action: 'navigate', url: kit.origin + path });
  const titleOf = async (surface: Surface) => (await surface.anchors(testContext(10_000))).title;

  test('share cookies and act concurrently on their own pages', async () => {
    const first = await kit.open();
    await open(first, '/shop');
    const sides = await Promise.all([first.openPage(testContext(10_000)), first.openPage(testContext(10_000))]);
    await Promise.all(sides.map((side) => open(side, '/shop')));
    await Promise.all(
      sides.map(async (side, index) => {
        for (let clicks = 0; clicks < 3 + index; clicks += 1) await act(side, button('More'));
      }),
    );
    await act(first, button('More'));
    expect(await Promise.all([first, ...sides].map((surface) => valueOf(surface, readText('#n'))))).toEqual([
      '1',
      '3',
      '4',
    ]);
    expect(await valueOf(sides[0] as Surface, readText('#c'))).toBe('seen=yes');
    for (const side of sides) await side.close();
    expect(await titleOf(first)).toBe('Shop');
    expect(first.lossSignal.aborted).toBe(false);
    await first.close();
  });

  test.each(['Open', 'Apart'])('a window belongs to the surface of its opener: %s', async (name) => {
    const first = await kit.open();
    await open(first, '/first');
    const side = await first.openPage(testContext(10_000));
    await open(side, '/shop');
    await act(side, button(name));
    expect(await titleOf(side)).toBe('Window');
    expect(await titleOf(first)).toBe('First');
    // It is still at a safe point.
    expect(await first.save(testContext(10_000))).not.toBeNull();
    await side.close();
    await act(first, button('More'));
    expect([await titleOf(first), await valueOf(first, readText('#n'))]).toEqual(['First', '1']);
    await first.close();
  });

  test('keep their own files and outlive each other', async () => {
    const files: SurfaceFile[] = [];
    const first = await kit.open({ onFile: (file) => void files.push(file) });
    const sides = await Promise.all([first.openPage(testContext(10_000)), first.openPage(testContext(10_000))]);
    await Promise.all(sides.map((side) => open(side, '/shop')));
    const save: Action = { action: 'download', target: { text: 'Save' } };
    const values = await Promise.all(sides.map((side) => valueOf(side, save)));
    expect(values).toMatchObject([{ name: 'note.txt' }, { name: 'note.txt' }]);
    for (const side of sides) await side.close();
    expect(new Set(files.map(({ path }) => path)).size).toBe(2);
    await Promise.all(files.map(({ path }) => access(path)));
    await first.close();
  });

  test.each<[string, (surface: Surface) => Promise<unknown>]>([
    ['closed', () => Promise.resolve()],
    ['led to another site', (side) => open(side, '/shop')],
    ['led there by a click', (side) => act(side, { action: 'click', target: { css: 'a' } })],
  ])(
    'leave to safe points of the first what their sites stored, but for the session of their window: %s',
    async (_, on) => {
      const otherUrl = kit.serve('/other', '<title>Other</title><b id="s"></b>').replace('127.0.0.1', 'localhost');
      const first = await kit.open();
      await open(first, '/first');
      const side = await first.openPage(testContext(10_000));
      kit.serve(
        '/keep',
        `<script>localStorage.basket = "5"; sessionStorage.tab = "o"</script><a href="${kit.origin}/shop">Shop</a>`,
      );
      await act(side, { action: 'navigate', url: otherUrl.replace('/other', '/keep') });
      await on(side);
      await side.close();
      const state = (await first.save(testContext(5000))) ?? '';
      await first.close();
      const next = await kit.open();
      await next.restore(state, testContext(10_000));
      kit.serve('/other', '<b id="s"></b><script>s.textContent = [localStorage.basket, sessionStorage.tab]</script>');
      await act(next, { action: 'navigate', url: otherUrl });
      expect(await valueOf(next, readText('#s'))).toBe('5,');
      await next.close();
    },
  );

  test('end with the first surface', async () => {
    const first = await kit.open();
    const side = await first.openPage(testContext(10_000));
    await open(side, '/shop');
    await first.close();
    await expect(side.anchors(testContext(1000))).rejects.toMatchObject({ code: 'SURFACE_LOST' });
    await expect(first.openPage(testContext(1000))).rejects.toMatchObject({ code: 'SURFACE_LOST' });
  });
});
