import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startKit, within, type Kit } from '../testing/kit.ts';

let kit: Kit;
beforeAll(async () => void (kit = await startKit()));
afterAll(() => kit.close());

it('observes the current page of a surface: after a click that opened another one, that one', async () => {
  kit.serve('/second', '<title>Second</title><button>There</button>');
  const surface = await kit.show(`<a href="/second">Go</a><label>Find <input type="search"></label>`);
  const first = await surface.observe({ level: 'interactive' }, within(5000));
  expect(first.elements.map(({ index, role, name }) => `${index} ${role} ${name}`)).toEqual([
    '0 link Go',
    '1 searchbox Find',
  ]);
  await kit.act(surface, { action: 'type', target: { label: 'Find' }, text: 'tea' });
  const typed = await surface.observe({}, within(5000));
  expect(typed.elements.find(({ index }) => index === 1)).toMatchObject({
    value: 'tea',
    marks: ['search'],
    state: { focused: true },
  });
  await kit.act(surface, { action: 'click', target: { text: 'Go' } });
  const second = await surface.observe({}, within(5000));
  expect(second.title).toBe('Second');
  expect(second.document).toBe(first.document + 1);
});

it('ends with the signal', async () => {
  const surface = await kit.show('<button>One</button>');
  const stopped = new AbortController();
  stopped.abort(new Error('enough'));
  await expect(surface.observe({}, within(5000, { signal: stopped.signal }))).rejects.toThrow('enough');
});
