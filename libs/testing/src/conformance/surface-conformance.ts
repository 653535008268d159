import { PilothouseError, type Action, type ActionOf } from '@pilothouse/contract';
import { stateConformance } from './state-conformance.ts';
import type { SurfaceFixture } from './conformance-host.ts';
import { rejectionOf, actionServices as context } from './conformance-services.ts';

const counter =
  '<h1>Counter</h1><button onclick="n.textContent = Number(n.textContent) + 1">More</button> <b id="n">0</b> <label>Note <input></label>';
const more: ActionOf<'click'> = { action: 'click', target: { role: 'button', name: 'More' } };
const count: Action = { action: 'extract', target: { css: '#n' }, value: { type: 'integer' } };
const missing: ActionOf<'click'> = { action: 'click', target: { role: 'button', name: 'Nowhere' } };

/**
 * Conformance suite for surfaces that show pages: isolation, the guard before input, deadlines, and immediate aborts.
 * Call it at the top of a spec file.
 */
export function surfaceConformance(name: string, createWorld: () => Promise<SurfaceFixture>): void {
  describe(`a surface: ${name}`, () => {
    let world: SurfaceFixture;
    beforeAll(async () => {
      world = await createWorld();
    });
    afterAll(() => world.close());

    const openSurface = async (body: string) => {
      const surface = await world.host.open({ folder: world.folder }, context(20_000));
      await surface.act({ action: 'navigate', url: world.page(body) }, context(10_000));
      return surface;
    };

    test('reports its supported actions', () => {
      expect(world.host.capabilities.actions.size).toBeGreaterThan(0);
    });

    test('acts, reads, and reports how it located the element', async () => {
      const surface = await openSurface(counter);
      const { located } = await surface.act(more, context(5000));
      expect(located).toMatchObject({ locator: 'role=button[name="More"]', triedCount: 1 });
      expect((await surface.act(count, context(5000))).value).toBe(1);
      const { url, title } = await surface.anchors(context(5000));
      expect(url).toMatch(/^http/);
      expect(typeof title).toBe('string');
      await surface.close();
    });

    test('surfaces are isolated', async () => {
      const body =
        '<b id="n"></b><script>n.textContent = localStorage.visits ?? 0; localStorage.visits = 1; document.cookie = "a=1"</script>';
      for (const surface of [await openSurface(body), await openSurface(body)]) {
        expect((await surface.act(count, context(5000))).value).toBe(0);
        await surface.close();
      }
    });

    test('calls the guard before input, but not for reads', async () => {
      const surface = await openSurface(counter);
      let guardCalls = 0;
      const guard = () => void (guardCalls += 1);
      await surface.act(count, context(5000, { guard }));
      expect(guardCalls).toBe(0);
      await surface.act(more, context(5000, { guard }));
      expect(guardCalls).toBeGreaterThan(0);
      const no = new PilothouseError('LEASE_LOST', 'no');
      const refuse = () => {
        throw no;
      };
      expect(await rejectionOf(surface.act(more, context(5000, { guard: refuse })))).toBe(no);
      expect((await surface.act(count, context(5000))).value).toBe(1);
      await surface.close();
    });

    test('requests secrets while typing, for the origin of the field', async () => {
      const surface = await openSurface(counter);
      const revealCalls: string[][] = [];
      const reveal = async (text: string, origin: string) => {
        revealCalls.push([text, origin]);
        return 'hush';
      };
      const type: Action = { action: 'fill', target: { label: 'Note' }, text: '{{inputs.note}}' };
      await surface.act(type, context(5000, { reveal }));
      expect(revealCalls).toEqual([['{{inputs.note}}', expect.stringMatching(/^https?:\/\//)]]);
      const { value } = await surface.act({ action: 'extract', target: { label: 'Note' }, value: {} }, context(5000));
      expect(value).toBe('hush');
      await surface.close();
    });

    test.each<[string, Action]>([
      ['a target', missing],
      ['a condition', { action: 'waitFor', condition: { text: 'Never' } }],
      ['something to read', { action: 'extract', target: { css: '.none' }, list: {} }],
    ])('a wait for %s ends immediately with the reason of the signal', async (_, action) => {
      const surface = await openSurface(counter);
      const abort = new AbortController();
      const reason = new PilothouseError('RUN_CANCELLED', 'stop');
      let aborted = 0;
      setTimeout(() => {
        aborted = performance.now();
        abort.abort(reason);
      }, 300);
      expect(await rejectionOf(surface.act(action, context(20_000, { signal: abort.signal })))).toBe(reason);
      // Long before the deadline.
      expect(performance.now() - aborted).toBeLessThan(10_000);
      expect(await rejectionOf(surface.act(more, context(5000, { signal: abort.signal })))).toBe(reason);
      await surface.close();
    });

    test('a wait ends at the deadline and reports the actual state', async () => {
      const surface = await openSurface(counter);
      const before = performance.now();
      const error = await rejectionOf(surface.act(missing, context(1500)));
      expect(performance.now() - before).toBeLessThan(15_000);
      expect(error.code).toBe('TARGET_NOT_FOUND');
      expect(error.message).toContain('"More"');
      await surface.close();
    });

    test('expects a condition and reports the actual state', async () => {
      const surface = await openSurface(counter);
      await surface.expect({ text: 'counter', visible: { role: 'button' }, hidden: { css: 'h2' } }, context(5000));
      const error = await rejectionOf(surface.expect({ text: 'Invoice' }, context(1000)));
      expect(error.code).toBe('CONDITION_NOT_MET');
      expect(error.message).toContain('Counter');
      await surface.close();
    });

    test('checks a condition without waiting', async () => {
      const surface = await openSurface(counter);
      const before = performance.now();
      expect(await surface.isMet({ text: 'counter', visible: more.target, hidden: { css: 'h2' } }, context(5000))).toBe(
        true,
      );
      expect(await surface.isMet({ text: 'Invoice' }, context(20_000))).toBe(false);
      expect(await surface.isMet({ text: 'counter', visible: missing.target }, context(20_000))).toBe(false);
      expect(performance.now() - before).toBeLessThan(15_000);
      await surface.close();
    });

    test('takes a screenshot and reports its size', async () => {
      const surface = await openSurface(counter);
      const { body, contentType, width, height } = await surface.screenshot({}, context(5000));
      expect(contentType).toMatch(/^image\//);
      expect(body.length).toBeGreaterThan(1000);
      expect(width).toBeGreaterThan(100);
      expect(height).toBeGreaterThan(100);
      const outcome = await surface.act({ action: 'screenshot' }, context(5000));
      expect(outcome.screenshot).toMatchObject({ contentType, width, height });
      await surface.close();
    });

    stateConformance(() => world);

    test('closes permanently without being lost', async () => {
      const surface = await openSurface(counter);
      await Promise.all([surface.close(), surface.close()]);
      expect(surface.lost.aborted).toBe(false);
      expect((await rejectionOf(surface.act(more, context(2000)))).code).toBe('SURFACE_LOST');
    });
  });
}
