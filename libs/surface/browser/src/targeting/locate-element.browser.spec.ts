import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { LocatedElement } from '@pilothouse/core/ports/surface-action.port';
import { nearestIndex, type ElementBox } from './resolve-locator.ts';
import { expectFailure, output, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

const out = '<output id="out">-</output>';
const reportClicks = `<script>addEventListener('click', (e) => { document.getElementById('out').textContent = e.composedPath()[0].dataset?.id ?? e.composedPath()[0].tagName; }, true)</script>`;
type Surface = Awaited<ReturnType<SurfaceKit['open']>>;

const click = (surface: Surface, target: Locator | Locator[], ms = 5000) =>
  kit.act(surface, { action: 'click', target }, testContext(ms));

describe('a pattern', () => {
  const rows = `${out}${reportClicks}<button data-id="a" aria-label="Order 7">x</button><button data-id="b">Order 12</button><button data-id="c">Orders</button>
    <ul><li data-id="d">3 items</li><li data-id="e">12
 items</li></ul><label>Zip code <input data-id="f"></label>`;

  test.each<[Locator, string]>([
    [{ role: 'button', pattern: '^Order \\d$' }, 'a'],
    [{ role: 'button', pattern: '^Order \\d{2}$' }, 'b'],
    [{ css: 'li', pattern: '^\\d\\d items$' }, 'e'],
    [{ css: 'li', pattern: 'items', nth: -1 }, 'e'],
    [{ role: 'textbox', pattern: '^Zip' }, 'f'],
    [{ css: 'li', pattern: '^3', within: { css: 'ul' } }, 'd'],
  ])('%j', async (target, id) => {
    const surface = await kit.showPage(rows);
    await click(surface, target);
    expect(await output(kit, surface)).toBe(id);
    await surface.close();
  });

  test('supports nth, ambiguity and no match, and never backtracks', async () => {
    const surface = await kit.showPage(`${rows}<p>${'a'.repeat(900)}!</p>`);
    await surface.expect(
      { count: { target: { role: 'button', pattern: '^Order \\d' }, equals: 2 } },
      testContext(3000),
    );
    expect((await expectFailure(click(surface, { css: 'li', pattern: 'items' }, 2000))).code).toBe('TARGET_AMBIGUOUS');
    expect((await expectFailure(click(surface, { css: 'p', pattern: '^(a+)+$' }, 1500))).code).toBe('TARGET_NOT_FOUND');
    expect(await expectFailure(click(surface, { css: 'li', pattern: '(?=a)' }, 2000))).toMatchObject({
      code: 'ACTION_UNSUPPORTED',
      message: expect.stringContaining('Look-ahead'),
    });
    await surface.close();
  });
});

describe('a text that looks the same', () => {
  const names = `${out}${reportClicks}<button data-id="a">Cafe\u0301 order</button><button data-id="b">\u202aPay now\u202c</button><button data-id="c">\ue001 Send</button><button data-id="d">Log\u200bout</button><button data-id="e">Plain</button><button data-id="f">\u200ePlain</button><label>Zu\u0308rich <input data-id="g"></label><p>Na\u00efve \u200bwords</p>`;

  test.each<[Locator, string]>([
    [{ role: 'button', name: 'Caf\u00e9 order' }, 'a'],
    [{ role: 'button', name: 'Caf\u00e9 order', exact: true }, 'a'],
    [{ text: 'caf\u00e9' }, 'a'],
    [{ role: 'button', name: 'Pay now', exact: true }, 'b'],
    [{ text: 'Pay now', exact: true }, 'b'],
    [{ role: 'button', name: 'Send', exact: true }, 'c'],
    [{ css: 'button', hasText: 'Logout' }, 'd'],
    [{ role: 'button', name: 'Plain', exact: true }, 'e'],
    [{ label: 'Z\u00fcrich', exact: true }, 'g'],
  ])('%j', async (target, id) => {
    const surface = await kit.showPage(names);
    await click(surface, target);
    expect(await output(kit, surface)).toBe(id);
    await surface.close();
  });

  test('fulfills a condition, and is read without invisible characters', async () => {
    const surface = await kit.showPage(`${names}<script>document.title = 'Cafe\u0301 \u200bmenu';</script>`);
    await surface.expect(
      { text: ['nai\u0308ve words', 'caf\u00e9 order'], title: 'Caf\u00e9 menu' },
      testContext(3000),
    );
    for (const [id, text] of Object.entries({ a: 'Caf\u00e9 order', b: 'Pay now', c: 'Send', d: 'Logout' })) {
      const { value } = await kit.act(surface, { action: 'extract', target: { css: `[data-id=${id}]` }, value: {} });
      expect(value).toBe(text);
    }
    await surface.close();
  });
});

describe('an element by index', () => {
  test('is the listed element until it is replaced', async () => {
    const surface = await kit.showPage(
      `${out}${reportClicks}<button data-id="a">A</button><button data-id="b">B</button><input aria-label="Name">`,
    );
    const { elements } = await surface.observe({ level: 'interactive' }, testContext(5000));
    const b = elements.find(({ name }) => name === 'B')?.index ?? -1;
    const field = elements.find(({ name }) => name === 'Name')?.index ?? -1;
    const { located } = await click(surface, { elementIndex: b });
    expect(located).toMatchObject({
      locator: `element=${b}`,
      alternatives: [
        { role: 'button', name: 'B', exact: true },
        { text: 'B', exact: true },
      ],
    });
    expect(await output(kit, surface)).toBe('b');
    await kit.act(surface, { action: 'fill', target: { elementIndex: field }, text: 'Robin' });
    const { value } = await kit.act(surface, { action: 'extract', target: { elementIndex: field }, value: {} });
    expect(value).toBe('Robin');
    await surface.close();
  });

  test('fails without an observation, after removal and after replacement; the chain continues', async () => {
    const surface = await kit.showPage(
      `${out}${reportClicks}<button data-id="a" onclick="this.nextElementSibling.textContent = 'Delete'">A</button><button data-id="b">B</button><i onclick="document.querySelector('[data-id=b]').remove()">x</i>`,
    );
    const unseen = await expectFailure(click(surface, { elementIndex: 1 }, 2000));
    expect(unseen).toMatchObject({ code: 'TARGET_NOT_FOUND', message: expect.stringContaining('observe it first') });
    await surface.observe({ level: 'interactive' }, testContext(5000));
    await click(surface, { elementIndex: 0 });
    // Fails at once: the deadline is later than the time limit of a test.
    const changedError = await expectFailure(click(surface, { elementIndex: 1 }, 600_000));
    expect(changedError).toMatchObject({
      code: 'TARGET_NOT_FOUND',
      message: expect.stringContaining('it is now button "Delete"'),
    });
    await click(surface, [{ elementIndex: 1 }, { css: '[data-id=b]' }]);
    expect(await output(kit, surface)).toBe('b');
    await click(surface, { text: 'x' });
    const removedError = await expectFailure(click(surface, { elementIndex: 1 }, 20_000));
    expect(removedError.message).toContain('was removed');
    await surface.close();
  });

  test('in a frame of another site, and in a closed shadow root', async () => {
    kit.serve('/inner', `<button onclick="document.title = 'hit'; this.textContent = 'Hit'">Inner</button>`);
    const otherOrigin = kit.origin.replace('127.0.0.1', 'localhost');
    const surface = await kit.showPage(
      `${out}<iframe src="${otherOrigin}/inner"></iframe><x-box></x-box><script>customElements.define('x-box', class extends HTMLElement { connectedCallback() { const root = this.attachShadow({mode: 'closed'}); root.innerHTML = '<button>Closed</button>'; root.querySelector('button').onclick = () => { out.textContent = 'closed'; }; } })</script>`,
    );
    await surface.expect({ visible: { text: 'Inner', within: { css: 'iframe' } } }, testContext(5000));
    const numbers = async (name: string) => {
      const { elements } = await surface.observe({ level: 'interactive' }, testContext(5000));
      return elements.find((element) => element.name === name)?.index ?? -1;
    };
    await click(surface, { elementIndex: await numbers('Closed') });
    expect(await output(kit, surface)).toBe('closed');
    await click(surface, { elementIndex: await numbers('Inner') });
    await surface.expect({ visible: { text: 'Hit', within: { css: 'iframe' } } }, testContext(10_000));
    const typeError = await expectFailure(
      kit.act(
        surface,
        { action: 'fill', target: { elementIndex: await numbers('Closed') }, text: 'x' },
        testContext(1500),
      ),
    );
    expect(typeError.message).toContain('closed shadow root');
    await surface.close();
  });
});

describe('near', () => {
  const shop = ['Rope', 'Lamp', 'Net']
    .map(
      (name, row) =>
        `<div style="display:flex;height:60px"><b style="width:200px">${name}</b><button data-id="${row}">Buy</button><button data-id="${row}x">Drop</button></div>`,
    )
    .join('');

  test.each<[string, Locator, string]>([
    ['the nearest', { role: 'button', name: 'Buy', near: { text: 'Lamp' } }, '1'],
    ['to the right', { css: 'button', near: { text: 'Net' }, side: 'right' }, '2'],
    ['below', { text: 'Drop', near: { css: '[data-id="0x"]' }, side: 'below' }, '1x'],
    ['above', { text: 'Drop', near: { css: '[data-id="2x"]' }, side: 'above' }, '1x'],
    ['to the left', { css: 'button', near: { css: '[data-id="1x"]' }, side: 'left' }, '1'],
  ])('%s', async (_, target, id) => {
    const surface = await kit.showPage(out + reportClicks + shop);
    await click(surface, target);
    expect(await output(kit, surface)).toBe(id);
    await surface.close();
  });

  test('reports no match on that side, a missing anchor and an ambiguous anchor', async () => {
    const surface = await kit.showPage(shop);
    const fails = (near: Locator, side: 'left' | 'right') =>
      expectFailure(click(surface, { css: 'button', near, side }, 2500));
    expect((await fails({ text: 'Lamp' }, 'left')).message).toContain('nothing near text="Lamp"');
    expect((await fails({ text: 'Anchor' }, 'right')).message).toContain('nothing near text="Anchor"');
    expect(await fails({ text: 'Buy' }, 'right')).toMatchObject({
      code: 'TARGET_AMBIGUOUS',
      message: expect.stringContaining('matches 3 elements, but `near` needs one'),
    });
    await surface.close();
  });

  const box = (left: number, top: number, width = 10, height = 10): ElementBox => ({
    left,
    top,
    right: left + width,
    bottom: top + height,
  });
  test.each<[Locator['side'], ElementBox[], number]>([
    [undefined, [box(100, 100), box(30, 0)], 1],
    [undefined, [], -1],
    ['right', [box(-30, 0), box(300, 2), box(60, 120)], 1],
    ['left', [box(30, 0)], -1],
    ['below', [box(0, 300), box(200, 20)], 0],
    [undefined, [box(0, 0), box(50, 0)], 1],
  ])('%s of %j is %i', (side, boxes, index) => expect(nearestIndex(boxes, box(0, 0), side)).toBe(index));
});

describe('at', () => {
  test('a point is clicked, dragged from and typed into', async () => {
    const surface = await kit.showPage(
      `<style>body { margin: 0 }</style>${reportClicks}<div style="position:absolute;left:50vw;top:50vh;width:40px;height:40px" data-id="mid"></div><input id="f" style="position:absolute;left:80vw;top:80vh;width:100px;height:30px">${out}`,
    );
    const { located } = await click(surface, { point: { x: 505, y: 505 } });
    expect(located?.locator).toBe('at=505,505');
    expect(await output(kit, surface)).toBe('mid');
    await kit.act(surface, { action: 'fill', target: { point: { x: 810, y: 810 } }, text: 'typed' });
    expect((await kit.act(surface, { action: 'extract', target: { css: '#f' }, value: {} })).value).toBe('typed');
    await surface.close();
  });

  test('in a frame, and on a canvas', async () => {
    kit.serve(
      '/square',
      `<style>body { margin: 0 }</style><div style="position:absolute;left:50px;top:50px;width:20px;height:20px" onclick="this.textContent = 'hit'"></div>`,
    );
    const surface = await kit.showPage(
      `<style>body { margin: 0 }</style><iframe src="/square" style="position:absolute;left:100px;top:100px;border:3px solid"></iframe><canvas width="400" height="200" style="position:absolute;left:600px;top:400px;background:#eee"></canvas>${out}<script>let from; const c = document.querySelector('canvas'); c.onpointerdown = (e) => { from = e.offsetX; }; c.onpointerup = (e) => { out.textContent = from + '>' + e.offsetX; };</script>`,
    );
    await surface
      .expect({ visible: { css: 'div', within: { css: 'iframe' } } }, testContext(3000))
      .catch(() => undefined);
    await click(surface, { point: { x: (163 / 1280) * 1000, y: (163 / 800) * 1000 } });
    await surface.expect({ visible: { text: 'hit', within: { css: 'iframe' } } }, testContext(10_000));
    const start: Locator = { point: { x: (650 / 1280) * 1000, y: 600 } };
    await kit.act(surface, { action: 'drag', target: start, by: { x: 120 } });
    expect(await output(kit, surface)).toBe('50>170');
    await surface.close();
  });
});

test('describes identical matches by the text around them', async () => {
  const surface = await kit.showPage(`<ul><li>Rope <button>Edit</button></li><li>Lamp <button>Edit</button></li></ul>`);
  const error = await expectFailure(click(surface, { role: 'button', name: 'Edit' }, 2000));
  expect(error).toMatchObject({
    code: 'TARGET_AMBIGUOUS',
    message: expect.stringContaining('<button>Edit</button> in “Rope Edit”, <button>Edit</button> in “Lamp Edit”'),
  });
  await surface.close();
});

describe('frames in frames', () => {
  test('of other sites are reached by a chain', async () => {
    const otherOrigin = kit.origin.replace('127.0.0.1', 'localhost');
    kit.serve(
      '/deep',
      `<x-box></x-box><script>customElements.define('x-box', class extends HTMLElement { connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<button>Deep</button>'; this.shadowRoot.querySelector('button').onclick = (e) => { e.target.textContent = 'Reached'; } } })</script>`,
    );
    kit.serve('/middle', `<iframe id="in" src="${kit.origin}/deep"></iframe>`);
    const surface = await kit.showPage(`<iframe id="out" src="${otherOrigin}/middle"></iframe>`);
    const scope: Locator = { css: '#in', within: { css: '#out' } };
    const { located } = await click(surface, { css: 'button', within: scope });
    await surface.expect({ visible: { text: 'Reached', within: scope } }, testContext(10_000));
    expect(located?.alternatives).toContainEqual({ role: 'button', name: 'Deep', exact: true, within: scope });
    await surface.close();
  });
});

test('frames of the same source are told apart by their number, hidden ones included', async () => {
  kit.serve(
    '/pick',
    `<button onclick="parent.document.getElementById('out').textContent = frameElement.id">Pick</button>`,
  );
  const frames = ['A', 'B', 'C'].map((id) => `<iframe id="${id}" src="/pick" width="200" height="80"></iframe>`);
  const surface = await kit.showPage(`${out}<iframe id="hidden" src="/pick" hidden></iframe>${frames.join('')}`);
  for (const [index, id] of ['A', 'B', 'C'].entries()) {
    await click(surface, { css: 'button', within: { css: `:nth-match(iframe, frame, ${index + 2})` } });
    expect(await output(kit, surface)).toBe(id);
  }
  await surface.close();
});

describe('alternative locators', () => {
  const page = `<h1>Order</h1><form id="order"><label>Your name <input id="name" name="who" placeholder="First and last"></label>
    <label for="q">Quantity</label><input id="q" type="number"><select aria-label="Size"><option>S<option>M</select>
    <label><input type="checkbox" data-testid="terms"> I agree</label>
    <button type="submit" id="go-8812345">Send order</button><button type="button">Send</button><a href="/help">Help</a>
    <ul><li>Rope <button type="button">Edit</button></li><li>Lamp <button type="button">Edit</button></li></ul></form>
    <x-box></x-box><script>customElements.define('x-box', class extends HTMLElement { connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<p><b>In the shadow</b></p><button>Deep</button>'; } });
    const all = [document, document.querySelector('x-box').shadowRoot].flatMap((root) => [...root.querySelectorAll('*')]);
    for (const [n, one] of all.entries()) one.dataset.n = n;</script>`;

  test.each<[Locator, Locator[]]>([
    [
      { css: '#name' },
      [
        { role: 'textbox', name: 'Your name', exact: true },
        { label: 'Your name', exact: true },
        { placeholder: 'First and last', exact: true },
      ],
    ],
    [
      { css: '#q' },
      [
        { role: 'spinbutton', name: 'Quantity', exact: true },
        { label: 'Quantity', exact: true },
      ],
    ],
    [
      { css: 'select' },
      [
        { role: 'combobox', name: 'Size', exact: true },
        { label: 'Size', exact: true },
      ],
    ],
    [
      { label: 'I agree' },
      [{ role: 'checkbox', name: 'I agree', exact: true }, { testId: 'terms' }, { css: '[type=checkbox]' }],
    ],
    [
      { css: '[type=submit]' },
      [
        { role: 'button', name: 'Send order', exact: true },
        { text: 'Send order', exact: true },
      ],
    ],
    [{ text: 'Send', exact: true }, [{ role: 'button', name: 'Send', exact: true }]],
    [{ text: 'Help' }, [{ role: 'link', name: 'Help', exact: true }]],
    [{ role: 'button', name: 'Edit', nth: 1 }, []],
    [
      { css: 'x-box button' },
      [
        { role: 'button', name: 'Deep', exact: true },
        { text: 'Deep', exact: true },
      ],
    ],
    [{ role: 'heading' }, [{ text: 'Order', exact: true }].slice(1)],
  ])('for %j there is %j, and each finds it alone', async (target, expected) => {
    const surface = await kit.showPage(page);
    const readNumber = async (locator: Locator) => {
      const action: Action = { action: 'extract', target: locator, value: { attribute: 'data-n' } };
      return (await kit.act(surface, action)).value;
    };
    const { located } = await kit.act(surface, { action: 'hover', target });
    const { alternatives = [] } = located as LocatedElement;
    for (const locator of expected.filter(({ css }) => css === undefined)) expect(alternatives).toContainEqual(locator);
    expect(alternatives.length).toBeLessThanOrEqual(7);
    const number = await readNumber(target);
    for (const alternative of alternatives)
      expect([alternative, await readNumber(alternative)]).toEqual([alternative, number]);
    await surface.close();
  });
});

test('suggests the only element with a synonym in its name', async () => {
  const surface = await kit.showPage('<button>Submit renewal</button><button>Cancel renewal</button>');
  const error = await expectFailure(click(surface, { role: 'button', name: 'Request renewal' }, 4000));
  expect(error).toMatchObject({
    message: expect.stringContaining(
      'If button "Submit renewal" is the element, set the target to { role: button, name: "Submit renewal", exact: true }',
    ),
    details: { suggestion: { role: 'button', name: 'Submit renewal', exact: true } },
  });
  await surface.close();
});

describe('a name in recorded locators', () => {
  const recordedLocators = async (html: string, target: Locator) => {
    const surface = await kit.showPage(html);
    const { located } = await kit.act(surface, { action: 'hover', target });
    const { alternatives = [] } = located as LocatedElement;
    for (const alternative of alternatives) await kit.act(surface, { action: 'hover', target: alternative });
    await surface.close();
    return alternatives;
  };

  test('is exact, so that the opposite that contains it is not found later', async () => {
    const locators = await recordedLocators('<button>Approve</button><button>Reject</button>', { text: 'Approve' });
    const surface = await kit.showPage('<button>Disapprove</button><button>Approve all</button>');
    expect(await expectFailure(click(surface, locators.slice(0, 2), 1500))).toMatchObject({ code: 'TARGET_NOT_FOUND' });
    await surface.close();
  });

  test.each<[string, string, string, Locator]>([
    [
      'a counter',
      'Inbox (3)',
      'Inbox (12)',
      { role: 'link', pattern: String.raw`^Inbox(?:\s?[(\[]\d[\d.,]*\+?[)\]])?$` },
    ],
    ['a price', 'Pay $12.00', 'Pay $9', { role: 'link', pattern: String.raw`^Pay [$€£¥]\s?\d[\d.,]*$` }],
    [
      'a date',
      'Report 2026-11-29',
      'Report 2026-12-01',
      { role: 'link', pattern: String.raw`^Report \d{4}-\d{2}-\d{2}$` },
    ],
  ])('with %s is also found with other digits', async (_, name, later, pattern) => {
    const locators = await recordedLocators(`<a href="#i">${name}</a><a href="#o">Outbox</a>`, { css: '[href="#i"]' });
    expect(locators).toContainEqual(pattern);
    const surface = await kit.showPage(`<a href="#i">${later}</a><a href="#o">Outbox</a>`);
    const { located } = await click(surface, pattern);
    expect(located).toMatchObject({ triedCount: 1 });
    await surface.close();
  });

  test('is compared without the icon that the style adds', async () => {
    const html = '<style>.i::before{content:"\\f00c"}</style><button class="i">Save</button><button>Save all</button>';
    expect(await recordedLocators(html, { css: '.i' })).toContainEqual({ role: 'button', pattern: '^Save$' });
  });
});

describe('locators of a chain that find different elements', () => {
  const save: Locator[] = [{ role: 'button', name: 'Save', exact: true }, { testId: 'act-1' }];

  test.each<[string, string, Locator[]]>([
    ['a name and a test id', '<button>Save</button><button data-testid="act-1">Delete</button>', save],
    [
      'a test id before the name',
      '<button>Save</button><button data-testid="act-1">Delete</button>',
      save.toReversed(),
    ],
    [
      'a label and an id',
      '<label>City <input></label><label>Country <input id="city"></label>',
      [{ label: 'City', exact: true }, { css: '#city' }],
    ],
    [
      'in a shadow root',
      `<x-bar></x-bar><script>document.querySelector('x-bar').attachShadow({ mode: 'open' }).innerHTML = '<button>Save</button><a href="#" data-testid="act-1">Delete</a>'</script>`,
      save,
    ],
  ])('stop the step: %s', async (_, html, target) => {
    const surface = await kit.showPage(`${out}${reportClicks}${html}`);
    expect(await expectFailure(click(surface, target, 3000))).toMatchObject({
      code: 'TARGET_AMBIGUOUS',
      message: expect.stringMatching(
        /^The locators of the step find different elements: .* finds <.*, and .* finds <.*Remove the locator that is wrong/,
      ),
    });
    expect(await output(kit, surface)).toBe('-');
    await surface.close();
  });

  test.each<[string, string, Locator[], string]>([
    ['the rest of them is missing', '<button data-id="a">Save</button>', save, 'a'],
    ['the test id is around the button', '<div data-testid="act-1"><button data-id="a">Save</button></div>', save, 'a'],
    [
      'the id belongs to a field',
      '<button data-id="a">Search</button><input id="q">',
      [{ role: 'button', name: 'Search' }, { css: '#q' }],
      'a',
    ],
    [
      'only its counter changed',
      '<button data-id="a" data-testid="act-1">Save (2)</button>',
      [{ role: 'button', name: 'Save (1)', exact: true }, { testId: 'act-1' }],
      'a',
    ],
    ['its name is an icon now', '<button data-id="a" data-testid="act-1">💾</button>', save, 'a'],
    [
      'its name gets ready',
      `<button data-id="a" data-testid="act-1">Please wait</button><script>setTimeout(() => { document.querySelector('button').textContent = 'Save'; }, 700)</script>`,
      save,
      'a',
    ],
  ])('use the element if %s', async (_, html, target, id) => {
    const surface = await kit.showPage(`${out}${reportClicks}${html}`);
    await click(surface, target);
    expect(await output(kit, surface)).toBe(id);
    await surface.close();
  });

  const day: Locator[] = [{ role: 'button', name: 'Mon, May 4', exact: true }, { testId: 'act-1' }];

  test.each<[string, string, Locator[], string, number]>([
    ['a date', '<button data-testid="act-1">Tue, Jun 9</button>', day, 'Tue, Jun 9', 1],
    ['a user', '<button id="menu">Bob</button>', [{ text: 'Alice', exact: true }, { css: '#menu' }], 'Bob', 1],
    ['another language', '<button data-testid="act-1">Speichern</button>', save, 'Speichern', 1],
    [
      'in a shadow root',
      `<x-bar></x-bar><script>document.querySelector('x-bar').attachShadow({ mode: 'open' }).innerHTML = '<button data-testid="act-1">Bob</button>'</script>`,
      save.toReversed(),
      'Bob',
      1,
    ],
    ['no change', '<button data-testid="act-1">Save</button>', save, '', 0],
    [
      'one of two with that name',
      '<button>Save</button><button data-testid="act-1">Save</button>',
      save.toReversed(),
      '',
      0,
    ],
  ])('use an element with a test id and another name, with a warning: %s', async (_, html, target, name, count) => {
    const surface = await kit.showPage(
      `${out}${html}<script>addEventListener('click', () => { out.textContent = 'clicked'; }, true)</script>`,
    );
    const warnings: string[] = [];
    const startedAt = performance.now();
    const context = testContext(20_000, {
      onWarning: (text) => void warnings.push(text),
      onPreActionScreenshot: () => {},
    });
    await kit.act(surface, { action: 'click', target }, context);
    // Not the whole step.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(await output(kit, surface)).toBe('clicked');
    expect(warnings).toHaveLength(count);
    if (count > 0)
      expect(warnings[0]).toMatch(
        new RegExp(`with the name "${name}", but the step has the name "(?:Mon, May 4|Alice|Save)"`),
      );
    await surface.close();
  });

  test('fail before the end of the step if the name stays the opposite', async () => {
    const surface = await kit.showPage(`${out}${reportClicks}<button data-testid="act-1">Delete</button>`);
    const startedAt = performance.now();
    expect(await expectFailure(click(surface, save, 20_000))).toMatchObject({ code: 'TARGET_NOT_FOUND' });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(await output(kit, surface)).toBe('-');
    await surface.close();
  });

  test.each<[string, string, Locator[]]>([
    ['another one', 'Reject', save],
    [
      'another one, although a class matches',
      'Help',
      [{ role: 'button', name: 'Save', exact: true }, { css: 'button' }],
    ],
    ['the same for all', 'Save all', save],
    ['the opposite that contains a part of it', 'Disapprove', [{ role: 'button', name: 'Approve' }]],
    [
      'the opposite, although only a part of the name is written',
      'Reject',
      [{ role: 'button', name: 'Approve' }, { testId: 'act-1' }],
    ],
  ])('do not use an element whose name is %s', async (_, name, target) => {
    const surface = await kit.showPage(`${out}${reportClicks}<button data-testid="act-1">${name}</button>`);
    expect(await expectFailure(click(surface, target, 1500))).toMatchObject({
      code: 'TARGET_NOT_FOUND',
      message: expect.stringContaining(`finds <button data-testid="act-1">${name}</button>, whose name`),
    });
    expect(await output(kit, surface)).toBe('-');
    await surface.close();
  });
});

test('on a large page that was scrolled, a button keeps its stable locators', async () => {
  const rows = `Array.from({ length: 40_000 }, (_, n) => '<p>Part ' + n + ' <b>of</b> the page</p>').join('')`;
  const surface = await kit.showPage(
    `<div id="rows"></div><div><button>Cancel</button><button>Order now</button></div><script>rows.innerHTML = ${rows}</script>`,
  );
  await kit.act(surface, { action: 'scroll', to: 'bottom' });
  const { elements } = await surface.observe({ level: 'interactive' }, testContext(10_000));
  const elementIndex = elements.find(({ name }) => name === 'Order now')?.index ?? -1;
  const { located } = await click(surface, { elementIndex });
  expect(located?.alternatives?.[0]).toEqual({ role: 'button', name: 'Order now', exact: true });
  await surface.close();
});

describe('a checkbox without size behind its label', () => {
  const body = `<style>#box{appearance:none;width:0;height:0;margin:0;position:absolute}</style><input type=checkbox id=box><label for=box style="display:inline-block;padding:9px">Milk</label>`;
  const is = async (surface: Awaited<ReturnType<typeof kit.showPage>>) => {
    const { elements } = await surface.observe({ level: 'interactive' }, testContext(5000));
    return elements.find(({ role }) => role === 'checkbox');
  };
  test.each<[string, (index: number) => Parameters<typeof kit.act>[1]]>([
    ['check', (element) => ({ action: 'check', target: { elementIndex: element } })],
    ['click', (element) => ({ action: 'click', target: { elementIndex: element } })],
    ['Space', (element) => ({ action: 'press', key: 'Space', target: { elementIndex: element } })],
  ])('is checked by its number: %s', async (_, action) => {
    const surface = await kit.showPage(body);
    const checkbox = await is(surface);
    expect(checkbox).toMatchObject({ name: 'Milk', state: { checked: false } });
    await kit.act(surface, action(checkbox?.index ?? -1), testContext(5000));
    expect((await is(surface))?.state.checked).toBe(true);
    await surface.close();
  });
});

test('locates a field named by `aria-placeholder` by role and name', async () => {
  const surface = await kit.showPage(
    `${out}<div role=textbox contenteditable aria-placeholder="Write a note" data-id=note>x</div><div role=textbox contenteditable aria-label="Other" aria-placeholder="Write a note">y</div>`,
  );
  await kit.act(
    surface,
    { action: 'fill', target: { role: 'textbox', name: 'write a NOTE' }, text: 'Hello' },
    testContext(5000),
  );
  await surface.expect({ visible: { css: '[data-id=note]', hasText: 'Hello' } }, testContext(5000));
  await surface.close();
});

describe('elements in list items', () => {
  const table = `<table><thead><tr><th><input type="checkbox" id="all"></th><th>Name</th><th>State</th></tr></thead><tbody>${[
    ['web-1', 'up'],
    ['web-10', 'up'],
    ['web-2', 'down'],
    ['mail-1', 'up'],
  ]
    .map(([name, state]) => `<tr><td><input type="checkbox"></td><td>${name}</td><td>${state}</td></tr>`)
    .join('')}</tbody></table>`;
  const cards = `<div class="grid"><div class="card"><h3>Alpha</h3><button>Delete</button></div><div class="card"><h3>Beta</h3><button>Delete</button></div></div>`;
  const todo = `<ul><li>Buy rope <button>Done</button></li><li>Buy lamp <button>Done</button></li></ul>`;
  const keyed = `<ul><li data-id="a7"><button>x</button></li><li data-id="b8"><button>x</button></li></ul>`;
  const bare = `<ul id="list"><li><button>x</button></li><li><button>x</button></li></ul>`;
  const links = `<ul><li><a href="#1">Rope</a></li><li><a href="#2">Rope, tarred</a></li></ul>`;

  test.each<[string, string, Locator, Locator[]]>([
    [
      'the box of a table row by the text that is another one in each row',
      table,
      { css: 'tbody tr:nth-child(1) input' },
      [{ role: 'checkbox', within: { css: 'tr', has: { text: 'web-1', exact: true } } }],
    ],
    [
      'the button of one of few cards by all its texts',
      cards,
      { css: '.card + .card button' },
      [
        {
          role: 'button',
          name: 'Delete',
          exact: true,
          within: { css: 'div.card', has: { text: 'Beta', exact: true } },
        },
      ],
    ],
    [
      'the button of an item with its own text by the whole of it',
      todo,
      { css: 'li + li button' },
      [{ role: 'button', name: 'Done', exact: true, within: { text: 'Buy lamp Done', exact: true } }],
    ],
    [
      'an item without a text by its key',
      keyed,
      { css: 'li + li button' },
      [{ role: 'button', name: 'x', exact: true, within: { css: 'li[data-id="b8"]' } }],
    ],
    [
      'an item that nothing identifies by its position alone',
      bare,
      { css: 'li + li button' },
      [{ role: 'button', name: 'x', exact: true, within: { css: '#list li', nth: 1 } }],
    ],
    [
      'a link with the text of its item by the whole text',
      links,
      { css: '[href="#1"]' },
      [{ role: 'link', name: 'Rope', exact: true }],
    ],
    [
      'the box of all rows by the head of the table',
      table,
      { css: '#all' },
      [{ role: 'checkbox', within: { css: 'thead' } }],
    ],
  ])('%s', async (_, page, target, expected) => {
    const markScript = `<script>document.querySelectorAll('*').forEach((one, n) => { one.dataset.mark = n; })</script>`;
    const surface = await kit.showPage(`${page}${markScript}`);
    const { located } = await kit.act(surface, { action: 'hover', target });
    const { alternatives = [] } = located as LocatedElement;
    for (const locator of expected) expect(alternatives).toContainEqual(locator);
    const readMark = async (locator: Locator) =>
      (await kit.act(surface, { action: 'extract', target: locator, value: { attribute: 'data-mark' } })).value;
    const number = await readMark(target);
    for (const alternative of alternatives)
      expect([alternative, await readMark(alternative)]).toEqual([alternative, number]);
    await surface.close();
  });

  test('an element in a frame addressed by index gets locators through the frame', async () => {
    kit.serve('/login-form', '<label>E-mail <input></label>');
    const surface = await kit.showPage('<p>Log in</p><iframe id="login" src="/login-form"></iframe>');
    await surface.expect({ visible: { label: 'E-mail', within: { css: '#login' } } }, testContext(10_000));
    const { elements } = await surface.observe({ level: 'interactive' }, testContext(5000));
    const number = elements.find(({ name }) => name === 'E-mail')?.index ?? -1;
    const { located } = await kit.act(surface, {
      action: 'fill',
      target: { elementIndex: number },
      text: 'ada@x.test',
    });
    expect(located?.alternatives?.[0]).toEqual({
      role: 'textbox',
      name: 'E-mail',
      exact: true,
      within: { css: '#login' },
    });
    await surface.close();
  });

  test('the drop target of a drag gets locators as well', async () => {
    const surface = await kit.showPage(
      '<button id="card" draggable="true">Card</button><div id="lane" style="height:100px">Lane</div>',
    );
    const { located } = await kit.act(surface, { action: 'drag', target: { css: '#card' }, to: { text: 'Lane' } });
    expect(located?.ends).toContainEqual({ css: '#lane' });
    await surface.close();
  });
});
