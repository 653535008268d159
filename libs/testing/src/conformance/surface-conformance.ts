import type { Action, ActionOf } from '@pilothouse/contract/actions/action-sets';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Surface } from '@pilothouse/core/ports/surface.port';
import { poll } from '@pilothouse/core/time/deadlines';
import type { SurfaceFixture } from './conformance-host.ts';
import { rejectionOf, actionServices as context } from './conformance-services.ts';

const clickMore: ActionOf<'click'> = { action: 'click', target: { role: 'button', name: 'More' } };
const missing: ActionOf<'click'> = { action: 'click', target: { role: 'button', name: 'Nowhere' } };
const absent = { role: 'checkbox' };

/** Milliseconds for input to show its effect. */
const EFFECT_TIMEOUT_MS = 5_000;

/**
 * Conformance suite that every surface passes: isolation, the guard before input, secrets, deadlines, and immediate aborts.
 * Call it at the top of a spec file.
 */
export function surfaceConformance(name: string, createFixture: () => Promise<SurfaceFixture>): void {
  describe(`a surface: ${name}`, () => {
    let fixture: SurfaceFixture;
    beforeAll(async () => {
      fixture = await createFixture();
    }, 60_000);
    afterAll(() => fixture.close(), 30_000);

    const untilCount = (surface: Surface, expected: number) =>
      poll(
        async () => ((await fixture.countOf(surface)) === expected ? expected : undefined),
        context(EFFECT_TIMEOUT_MS),
      );

    test('reports its supported actions', () => {
      expect(fixture.host.capabilities.actions.size).toBeGreaterThan(0);
    });

    test('acts, and reports how it located the element', async () => {
      const surface = await fixture.openCounter();
      const { located } = await surface.act(clickMore, context(5000));
      expect(located).toMatchObject({ locator: 'role=button[name="More"]', triedCount: 1 });
      expect(await untilCount(surface, 1)).toBe(1);
      const { url, title } = await surface.anchors(context(5000));
      expect(url).toMatch(fixture.placePattern);
      expect(title).toBe('Counter');
      await surface.close();
    });

    test('lists its elements', async () => {
      const surface = await fixture.openCounter();
      const { elements } = await surface.observe({}, context(5000));
      const names = elements.map(({ role, name, fallbackName = '' }) => [role, name || fallbackName]);
      expect(names).toEqual(
        expect.arrayContaining([
          ['button', 'More'],
          ['textbox', 'Note'],
        ]),
      );
      expect(new Set(elements.map(({ index }) => index)).size).toBe(elements.length);
      const button = elements.find(({ role }) => role === 'button');
      await surface.act({ action: 'click', target: { elementIndex: button?.index } }, context(5000));
      expect(await untilCount(surface, 1)).toBe(1);
      await surface.close();
    });

    test('surfaces are isolated', async () => {
      const first = await fixture.openCounter();
      await fixture.leaveTrace(first);
      expect(await fixture.hasTrace(first)).toBe(true);
      const second = await fixture.openCounter();
      expect(await fixture.hasTrace(second)).toBe(false);
      await first.act(clickMore, context(5000));
      expect(await untilCount(first, 1)).toBe(1);
      expect(await fixture.countOf(second)).toBe(0);
      await first.close();
      await second.close();
    });

    test('calls the guard before input, but not for reads', async () => {
      const surface = await fixture.openCounter();
      let guardCalls = 0;
      const guard = () => void (guardCalls += 1);
      await surface.observe({}, context(5000, { guard }));
      await surface.act({ action: 'assert', condition: { visible: clickMore.target } }, context(5000, { guard }));
      expect(guardCalls).toBe(0);
      await surface.act(clickMore, context(5000, { guard }));
      expect(guardCalls).toBeGreaterThan(0);
      expect(await untilCount(surface, 1)).toBe(1);
      const no = new PilothouseError('LEASE_LOST', 'no');
      const refuse = () => {
        throw no;
      };
      expect(await rejectionOf(surface.act(clickMore, context(5000, { guard: refuse })))).toBe(no);
      await surface.act(clickMore, context(5000));
      expect(await untilCount(surface, 2)).toBe(2);
      await surface.close();
    });

    test('requests secrets while typing, for the place of the field', async () => {
      const surface = await fixture.openCounter();
      const revealCalls: string[][] = [];
      const reveal = async (text: string, place: string) => {
        revealCalls.push([text, place]);
        return 'hush';
      };
      const type: Action = { action: 'fill', target: { label: 'Note' }, text: '{{inputs.note}}' };
      await surface.act(type, context(5000, { reveal }));
      expect(revealCalls.map(([text]) => text)).toContain('{{inputs.note}}');
      for (const [, place] of revealCalls) expect(place).toMatch(fixture.placePattern);
      expect(await fixture.noteOf(surface)).toBe('hush');
      await surface.close();
    });

    test.each<[string, Action]>([
      ['a target', missing],
      ['a condition', { action: 'waitFor', condition: { text: 'Never' } }],
      ['something to read', { action: 'extract', target: absent, value: {} }],
    ])('a wait for %s ends immediately with the reason of the signal', async (_, action) => {
      const surface = await fixture.openCounter();
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
      expect(await rejectionOf(surface.act(clickMore, context(5000, { signal: abort.signal })))).toBe(reason);
      await surface.close();
    });

    test('a wait ends at the deadline and names its locator', async () => {
      const surface = await fixture.openCounter();
      const startedAt = performance.now();
      const error = await rejectionOf(surface.act(missing, context(1500)));
      expect(performance.now() - startedAt).toBeLessThan(15_000);
      expect(error.code).toBe('TARGET_NOT_FOUND');
      // A busy machine may have no time to add the elements that exist instead.
      expect(error.message).toContain('"Nowhere"');
      await surface.close();
    });

    test('expects a condition and reports the actual state', async () => {
      const surface = await fixture.openCounter();
      await surface.expect({ text: 'counter', visible: { role: 'button' }, hidden: absent }, context(5000));
      const error = await rejectionOf(surface.expect({ text: 'Invoice' }, context(1000)));
      expect(error.code).toBe('CONDITION_NOT_MET');
      expect(error.message).toContain('Counter');
      await surface.close();
    });

    test('checks a condition without waiting', async () => {
      const surface = await fixture.openCounter();
      const startedAt = performance.now();
      expect(await surface.isMet({ text: 'counter', visible: clickMore.target, hidden: absent }, context(5000))).toBe(
        true,
      );
      expect(await surface.isMet({ text: 'Invoice' }, context(20_000))).toBe(false);
      expect(await surface.isMet({ text: 'counter', visible: missing.target }, context(20_000))).toBe(false);
      expect(performance.now() - startedAt).toBeLessThan(15_000);
      await surface.close();
    });

    test('takes a screenshot and reports its size', async () => {
      const surface = await fixture.openCounter();
      const { body, contentType, width, height } = await surface.screenshot({}, context(5000));
      expect(contentType).toMatch(/^image\//);
      expect(body.length).toBeGreaterThan(1000);
      expect(width).toBeGreaterThan(100);
      expect(height).toBeGreaterThan(100);
      const outcome = await surface.act({ action: 'screenshot' }, context(5000));
      expect(outcome.screenshot).toMatchObject({ contentType, width, height });
      await surface.close();
    });

    test('closes permanently without being lost', async () => {
      const surface = await fixture.openCounter();
      await Promise.all([surface.close(), surface.close()]);
      expect(surface.lossSignal.aborted).toBe(false);
      expect((await rejectionOf(surface.act(clickMore, context(2000)))).code).toBe('SURFACE_LOST');
    });
  });
}
