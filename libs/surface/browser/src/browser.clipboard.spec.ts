import { startKit, within, type Kit } from './kit.ts';

let kit: Kit;
beforeAll(async () => {
  kit = await startKit();
}, 30_000);
afterAll(() => kit.close());

const page = (name: string, value: string) =>
  kit.serve(`/${name}`, `<label>From <input value="${value}"></label><label>To <textarea></textarea></label>`);

const from = { label: 'From' };
const to = { label: 'To' };

test('what is copied by keys is pasted by keys, on the next page, too', async () => {
  const surface = await kit.host.open({ folder: kit.folder }, within(10_000));
  await kit.act(surface, { action: 'navigate', url: page('one', 'Größe 42 €') });
  await kit.act(surface, { action: 'press', key: 'ControlOrMeta+A', target: from });
  await kit.act(surface, { action: 'press', key: 'ControlOrMeta+C', target: from });
  await kit.act(surface, { action: 'navigate', url: page('two', 'other') });
  await kit.act(surface, { action: 'press', key: 'ControlOrMeta+V', target: to });
  expect(await kit.act(surface, { action: 'extract', target: to, value: {} })).toMatchObject({ value: 'Größe 42 €' });
  await surface.close();
});
