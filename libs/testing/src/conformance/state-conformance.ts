import type { Action } from '@pilothouse/contract/actions/action-sets';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { PageSurface } from '@pilothouse/core/ports/surface.port';
import type { PageFixture } from './conformance-host.ts';
import { rejectionOf, actionServices } from './conformance-services.ts';

const body = '<h1>Form</h1><label>Note <input></label>';
const type: Action = { action: 'fill', target: { label: 'Note' }, text: 'something' };
const readActions: Action[] = [
  { action: 'waitFor', condition: { url: '/' } },
  { action: 'assert', condition: { url: '/' } },
  { action: 'extract', target: { role: 'heading' }, value: {} },
  { action: 'screenshot' },
];

/**
 * Conformance suite for surfaces with recoverable state: a saved state restores another surface to the same anchor, and
 * a state that could not is not saved. Call it in a `describe`, or at the top of a spec file.
 */
export function stateConformance(worldOf: () => PageFixture): void {
  const blank = () => worldOf().host.open({ folder: worldOf().folder }, actionServices(20_000));
  const openSurface = async () => {
    const surface = await blank();
    await surface.act({ action: 'navigate', url: worldOf().page(body) }, actionServices(10_000));
    return surface;
  };
  const saveState = async (surface: PageSurface) => {
    const state = await surface.save(actionServices(5000));
    if (state === null) throw new Error('The surface is not at a safe point');
    return state;
  };

  test('restores a saved state in another surface, repeatedly', async () => {
    const surface = await openSurface();
    for (const action of readActions) await surface.act(action, actionServices(5000));
    const anchors = await surface.anchors(actionServices(5000));
    let state = await saveState(surface);
    await surface.close();
    for (let round = 0; round < 2; round += 1) {
      const next = await blank();
      let guardCalls = 0;
      await next.restore(state, actionServices(10_000, { guard: () => void (guardCalls += 1) }));
      expect(guardCalls).toBeGreaterThan(0);
      expect(await next.anchors(actionServices(5000))).toEqual(anchors);
      state = await saveState(next);
      await next.close();
    }
  });

  test('saves and restores a surface without actions', async () => {
    const [surface, next] = [await blank(), await blank()];
    await next.restore(await saveState(surface), actionServices(10_000));
    expect(await next.anchors(actionServices(5000))).toEqual(await surface.anchors(actionServices(5000)));
    await surface.close();
    await next.close();
  });

  test('has no safe point after input until the next navigation', async () => {
    const surface = await openSurface();
    await surface.act(type, actionServices(5000));
    expect(await surface.save(actionServices(5000))).toBeNull();
    for (const action of readActions) await surface.act(action, actionServices(5000));
    expect(await surface.save(actionServices(5000))).toBeNull();
    await surface.act({ action: 'navigate', url: worldOf().page(body) }, actionServices(10_000));
    expect(await saveState(surface)).toEqual(expect.any(String));
    await surface.close();
  });

  test('input that the guard rejects changes nothing', async () => {
    const surface = await openSurface();
    const no = new PilothouseError('LEASE_LOST', 'no');
    const guard = () => {
      throw no;
    };
    expect(await rejectionOf(surface.act(type, actionServices(5000, { guard })))).toBe(no);
    expect(await saveState(surface)).toEqual(expect.any(String));
    const [state, next] = [await saveState(surface), await blank()];
    expect(await rejectionOf(next.restore(state, actionServices(5000, { guard })))).toBe(no);
    expect((await next.anchors(actionServices(5000))).url).not.toBe((await surface.anchors(actionServices(5000))).url);
    await surface.close();
    await next.close();
  });

  test('saves the state at the time of the call', async () => {
    const surface = await openSurface();
    const { url } = await surface.anchors(actionServices(5000));
    const saving = surface.save(actionServices(5000));
    await surface.act(type, actionServices(5000));
    const state = await saving;
    expect(await surface.save(actionServices(5000))).toBeNull();
    const next = await blank();
    await next.restore(state ?? '', actionServices(10_000));
    expect((await next.anchors(actionServices(5000))).url).toBe(url);
    expect(await next.save(actionServices(5000))).not.toBeNull();
    await surface.close();
    await next.close();
  });

  test.each([
    ['of another version', (state: string) => state.replace(/"v":\d+/, '"v":999')],
    ['that is none', () => 'nonsense'],
    ['that says nothing', () => '{"v":1}'],
  ])('rejects a text %s', async (_, spoil) => {
    const surface = await openSurface();
    const text = spoil(await saveState(surface));
    const next = await blank();
    expect((await rejectionOf(next.restore(text, actionServices(5000)))).code).toBe('PROTOCOL_INVALID');
    await surface.close();
    await next.close();
  });

  test('saves nothing after it was lost', async () => {
    const surface = await openSurface();
    const state = await saveState(surface);
    await surface.close();
    expect(state).toContain('"v":');
    expect(await surface.save(actionServices(5000))).toBeNull();
  });
}
