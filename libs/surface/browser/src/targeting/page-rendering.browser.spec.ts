import type { Action } from '@pilothouse/contract/actions/action-sets';
import { expectFailure, output, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
  // Responses are delayed by the query.
  kit.serve('/late', (request, response) => {
    const ms = Number(new URL(request.url ?? '', kit.origin).searchParams.get('ms'));
    setTimeout(() => response.end('late'), ms);
  });
  kit.serve('/never', () => undefined);
});
afterAll(() => kit.close());

const out = '<output id="out">-</output>';
const save = (id: string) => `<button id="${id}" onclick="out.textContent += this.id">Save</button>`;
const click: Action = { action: 'click', target: { role: 'button', name: 'Save' } };
const append = (html: string) => `document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(html)})`;

describe('a page that renders a second match later', () => {
  test.each([
    ['by an answer after 100 ms', `fetch('/late?ms=100').then(() => ${append(save('b'))})`],
    ['by an answer after 300 ms', `fetch('/late?ms=300').then(() => ${append(save('b'))})`],
    ['by a timer beside a request', `fetch('/late?ms=350'); setTimeout(() => ${append(save('b'))}, 300)`],
    ['by an answer, in a later task', `fetch('/late?ms=100').then(() => setTimeout(() => ${append(save('b'))}, 30))`],
  ])('is as ambiguous as the rendered page: %s', async (_, script) => {
    const surface = await kit.showPage(`${out}${save('a')}<script>${script}</script>`);
    expect((await expectFailure(kit.act(surface, click, testContext(5000)))).code).toBe('TARGET_AMBIGUOUS');
    expect(await output(kit, surface)).toBe('-');
    await surface.close();
  });

  test.each<[string, string, Action]>([
    [
      'check',
      '<label><input type="checkbox" onclick="out.textContent += 1">Save</label>',
      { action: 'check', target: { label: 'Save' } },
    ],
    [
      'select',
      '<select aria-label="Size" onchange="out.textContent += 1"><option>S<option>M</select>',
      { action: 'selectOption', target: { label: 'Size' }, option: 'M' },
    ],
    [
      'type',
      '<input aria-label="Name" oninput="out.textContent += 1">',
      { action: 'fill', target: { label: 'Name' }, text: 'x' },
    ],
  ])('is as ambiguous for %s', async (_, field, action) => {
    const surface = await kit.showPage(
      `${out}${field}<script>fetch('/late?ms=200').then(() => ${append(field)})</script>`,
    );
    expect((await expectFailure(kit.act(surface, action, testContext(5000)))).code).toBe('TARGET_AMBIGUOUS');
    expect(await output(kit, surface)).toBe('-');
    await surface.close();
  });
});

test.each([
  ['soon', `setTimeout(() => b.remove(), 100)`],
  ['with an answer', `fetch('/late?ms=300').then(() => b.remove())`],
])('a page that removes one of two matches %s has one match', async (_, script) => {
  const surface = await kit.showPage(`${out}${save('a')}${save('b')}<script>${script}</script>`);
  await kit.act(surface, click, testContext(5000));
  expect(await output(kit, surface)).toBe('-a');
  await surface.close();
});

describe('a page that never settles', () => {
  const ticking = `<p id="clock"></p><script>
    const ask = () => fetch('/late?ms=40').then(ask);
    ask();
    setInterval(() => { clock.textContent = performance.now(); }, 20);
  </script>`;

  test('is used after a time limit', async () => {
    const surface = await kit.showPage(`${out}${save('a')}${ticking}`);
    await kit.act(surface, click, testContext(10_000));
    expect(await output(kit, surface)).toBe('-a');
    await surface.close();
  });

  test('reports an ambiguous match after a time limit', async () => {
    const surface = await kit.showPage(`${save('a')}${save('b')}${ticking}`);
    expect((await expectFailure(kit.act(surface, click, testContext(10_000)))).code).toBe('TARGET_AMBIGUOUS');
    await surface.close();
  });

  test('leaves time to act before a near deadline', async () => {
    const surface = await kit.showPage(`${out}${save('a')}<script>fetch('/never')</script>`);
    await kit.act(surface, click, testContext(600));
    expect(await output(kit, surface)).toBe('-a');
    await surface.close();
  });
});

test('does not wait for a page with a clock and a socket but no pending response', async () => {
  const surface = await kit.showPage(
    `${out}${save('a')}<p id="clock"></p><script>
      new WebSocket(location.origin.replace('http', 'ws') + '/never');
      setInterval(() => { clock.textContent = performance.now(); }, 20);
    </script>`,
  );
  await kit.act(surface, click, testContext(10_000));
  const times: number[] = [];
  for (let time = 0; time < 7; time += 1) {
    const startedAt = performance.now();
    await kit.act(surface, click, testContext(10_000));
    times.push(performance.now() - startedAt);
  }
  expect(Math.min(...times)).toBeLessThan(400);
  await surface.close();
});
