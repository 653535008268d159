import type { Action, ActionOf } from '@pilothouse/contract/actions/action-sets';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { expectFailure, output, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

const out = '<output id="out">-</output>';
const count = `<script>let n = 0; const told = document.getElementById('out'); document.addEventListener('pointerdown', () => { told.textContent = String(++n); })</script>`;
const box = (role: string, state = 'false') =>
  `<div role="${role}" aria-checked="${state}" tabindex="0" onclick="this.setAttribute('aria-checked', String(this.getAttribute('aria-checked') !== 'true'))">Agree</div>`;

const hiddenBox = (style: string) =>
  `<input type="checkbox" id="i" style="${style}"><label for="i" style="position: relative; display: inline-block; background: #fff; padding: 20px">Agree</label>`;

describe('check', () => {
  test.each<[string, string, Action['action'] & ('check' | 'uncheck'), string]>([
    ['a native box', '<label><input type="checkbox"> Agree</label>', 'check', '1'],
    ['one that is checked already', '<label><input type="checkbox" checked> Agree</label>', 'check', '-'],
    ['a box off', '<label><input type="checkbox" checked> Agree</label>', 'uncheck', '1'],
    [
      'one that is neither',
      '<label><input type="checkbox" id="i"> Agree</label><script>i.indeterminate = true</script>',
      'check',
      '1',
    ],
    ['a radio button', '<label><input type="radio" name="r"> Agree</label>', 'check', '1'],
    ['a box of ARIA', box('checkbox'), 'check', '1'],
    ['a switch', box('switch'), 'check', '1'],
    ['a switch off', box('switch', 'true'), 'uncheck', '1'],
    ['a switch that is on', box('switch', 'true'), 'check', '-'],
    ['a radio button of ARIA', box('radio'), 'check', '1'],
    ['an empty box behind its label', hiddenBox('width: 0; height: 0; appearance: none; margin: 0'), 'check', '1'],
    ['a transparent box that its label covers', hiddenBox('position: absolute; opacity: 0'), 'check', '1'],
    [
      'a clipped box of one pixel',
      hiddenBox('position: absolute; width: 1px; height: 1px; clip: rect(0 0 0 0)'),
      'check',
      '1',
    ],
    ['a box moved out of the page', hiddenBox('position: absolute; left: -9999px'), 'check', '1'],
    [
      'a box that hides behind its label',
      '<style>#i { display: none } #i:checked + label { color: red }</style><input type="checkbox" id="i"><label for="i">Agree</label>',
      'check',
      '1',
    ],
  ])('%s', async (_, body, action, clicks) => {
    const surface = await kit.showPage(out + body + count);
    const target = body.includes('role=') ? { text: 'Agree' } : { label: 'Agree' };
    await kit.act(surface, { action, target });
    await kit.act(surface, { action, target });
    expect(await output(kit, surface)).toBe(clicks);
    await surface.close();
  });

  test.each([
    'width: 0; height: 0; appearance: none',
    'position: absolute; opacity: 0',
    'position: absolute; left: -9999px',
  ])('by role, a box with %s', async (style) => {
    const surface = await kit.showPage(hiddenBox(style));
    await kit.act(surface, { action: 'check', target: { role: 'checkbox', name: 'Agree' } });
    expect(
      (await kit.act(surface, { action: 'extract', target: { css: '#i:checked + label' }, value: {} })).value,
    ).toBe('Agree');
    await surface.close();
  });

  test('does not click a disabled box behind its label', async () => {
    const surface = await kit.showPage(
      hiddenBox('position: absolute; left: -9999px').replace('<input', '<input disabled'),
    );
    expect(
      await expectFailure(kit.act(surface, { action: 'check', target: { label: 'Agree' } }, testContext(3000))),
    ).toMatchObject({
      code: 'TARGET_NOT_ACTIONABLE',
      message: expect.stringContaining('it is disabled'),
    });
    await surface.close();
  });

  test.each<[string, string, 'check' | 'uncheck', string, string]>([
    ['a button', '<button>Agree</button>', 'check', 'ACTION_UNSUPPORTED', 'is not a checkbox'],
    [
      'a radio button off',
      '<label><input type="radio" checked> Agree</label>',
      'uncheck',
      'ACTION_UNSUPPORTED',
      'check another',
    ],
    [
      'one that does not take it',
      '<label><input type="checkbox" onclick="event.preventDefault()"> Agree</label>',
      'check',
      'TARGET_NOT_ACTIONABLE',
      'did not become checked',
    ],
  ])('refuses %s', async (_, body, action, code, message) => {
    const surface = await kit.showPage(body);
    const target = body.includes('label') ? { label: 'Agree' } : { text: 'Agree' };
    expect(await expectFailure(kit.act(surface, { action, target }, testContext(4000)))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    await surface.close();
  });
});

describe('a box or a list that another locator or its name contradicts', () => {
  const hidden = 'style="position: absolute; left: -9999px"';
  const terms: Locator[] = [{ label: 'Terms', exact: true }, { testId: 'box-1' }];
  const size: Locator[] = [{ label: 'Size', exact: true }, { testId: 'list-1' }];
  const listOf = (label: string, attributes: string) =>
    `<select aria-label="${label}" ${attributes}><option>Red<option>Blue</select>`;
  const check: Action = { action: 'check', target: terms };
  const uncheck: Action = { action: 'uncheck', target: terms };
  const choose: Action = { action: 'selectOption', target: size, option: 'Blue' };

  test.each<[string, string, Action, string]>([
    [
      'two boxes',
      '<label><input type="checkbox"> Terms</label><label><input type="checkbox" data-testid="box-1"> Spam</label>',
      check,
      'TARGET_AMBIGUOUS',
    ],
    [
      'two boxes, off',
      '<label><input type="checkbox" checked> Terms</label><label><input type="checkbox" checked data-testid="box-1"> Spam</label>',
      uncheck,
      'TARGET_AMBIGUOUS',
    ],
    [
      'two hidden boxes',
      `<input id="a" type="checkbox" ${hidden}><label for="a">Terms</label><input id="b" type="checkbox" data-testid="box-1" ${hidden}><label for="b">Spam</label>`,
      { ...check, target: terms.toReversed() },
      'TARGET_AMBIGUOUS',
    ],
    ['a box', '<label><input type="checkbox" data-testid="box-1"> No Terms</label>', check, 'TARGET_NOT_FOUND'],
    [
      'a hidden box',
      `<input id="a" type="checkbox" data-testid="box-1" ${hidden}><label for="a">All Terms</label>`,
      check,
      'TARGET_NOT_FOUND',
    ],
    ['two lists', listOf('Size', '') + listOf('Color', 'data-testid="list-1"'), choose, 'TARGET_AMBIGUOUS'],
    ['a list', listOf('All sizes', 'data-testid="list-1"'), choose, 'TARGET_NOT_FOUND'],
    [
      'a list below a styled list',
      `<div>${listOf('All sizes', 'data-testid="list-1" style="opacity: 0; width: 1px; height: 1px"')}</div>`,
      choose,
      'TARGET_NOT_FOUND',
    ],
  ])('is not used: %s', async (_, body, action, code) => {
    const surface = await kit.showPage(
      `${out}${body}<script>addEventListener('change', (e) => { out.textContent = e.target.dataset.testid ?? 'x'; })</script>`,
    );
    expect(await expectFailure(kit.act(surface, action, testContext(3000)))).toMatchObject({ code });
    expect(await output(kit, surface)).toBe('-');
    await surface.close();
  });

  test.each<[string, string, Action]>([
    ['a box', '<label><input type="checkbox" data-testid="box-1"> Conditions</label>', check],
    [
      'a hidden box',
      `<input id="a" type="checkbox" data-testid="box-1" ${hidden}><label for="a">Conditions</label>`,
      check,
    ],
    ['a list', listOf('Format', 'data-testid="list-1"'), choose],
    [
      'a list below a styled list',
      `<div><select data-testid="list-1" aria-label="Format" style="opacity: 0; width: 1px; height: 1px"><option>Red<option>Blue</select><div role="combobox" aria-label="Size" tabindex="0">Red</div></div>`,
      { ...choose, target: [{ testId: 'list-1' }, { label: 'Size', exact: true }] },
    ],
  ])('is used with a warning if its test id has another name: %s', async (_, body, action) => {
    const surface = await kit.showPage(
      `${out}${body}<script>addEventListener('change', (e) => { out.textContent = e.target.dataset.testid ?? 'x'; })</script>`,
    );
    const warnings: string[] = [];
    await kit.act(surface, action, testContext(10_000, { onWarning: (text) => void warnings.push(text) }));
    expect(await output(kit, surface)).toMatch(/^(?:box|list)-1$/);
    expect(warnings).toHaveLength(1);
    await surface.close();
  });
});

test('clear empties a field and dispatches its events', async () => {
  const surface = await kit.showPage(
    `${out}<input id="f" value="old" oninput="out.textContent = '[' + this.value + ']'">`,
  );
  await kit.act(surface, { action: 'clear', target: { css: '#f' } });
  expect(await output(kit, surface)).toBe('[]');
  await surface.close();
});

test('press accepts a cross-platform chord several times', async () => {
  const surface = await kit.showPage(
    `<input id="f" value="some words"><output id="out">0</output><script>f.onkeydown = (e) => { if (e.key === 'ArrowLeft') out.textContent = Number(out.textContent) + 1; }</script>`,
  );
  await kit.act(surface, { action: 'press', key: 'ArrowLeft', times: 3, target: { css: '#f' } });
  expect(await output(kit, surface)).toBe('3');
  await kit.act(surface, { action: 'press', key: 'ControlOrMeta+A' });
  await kit.act(surface, { action: 'press', key: 'Backspace' });
  const { value } = await kit.act(surface, { action: 'extract', target: { css: '#f' }, value: {} });
  expect(value).toBe('');
  await surface.close();
});

test.each<[string, string]>([
  ['covered by a styled list', 'position: absolute; inset: 0'],
  ['transparent below a styled list', 'position: absolute; inset: 0; opacity: 0'],
  ['clipped beside a styled list', 'position: absolute; width: 1px; height: 1px; clip: rect(0 0 0 0)'],
  ['hidden beside a styled list', 'display: none'],
])('select takes a native select that is %s', async (_, style) => {
  const surface = await kit.showPage(
    `${out}<div style="position: relative; width: 200px; height: 30px"><select aria-label="Drink" style="${style}" onchange="out.textContent = value"><option>Tea<option>Coffee</select><span style="position: absolute; inset: 0; background: #eee">Tea</span></div>`,
  );
  await kit.act(surface, { action: 'selectOption', target: { label: 'Drink' }, option: 'Coffee' });
  expect(await output(kit, surface)).toBe('Coffee');
  await surface.close();
});

describe('select, if the page changes the choice', () => {
  const list = (attributes: string, options = '<option>Tea<option>Coffee') =>
    `${out}<label id="l">Drink <select ${attributes}>${options}</select></label>`;
  const choose = async (body: string, option = 'Coffee', overrides: Partial<ActionOf<'selectOption'>> = {}) => {
    const surface = await kit.showPage(body);
    const action: Action = { action: 'selectOption', target: { label: 'Drink' }, option, ...overrides };
    return { surface, outcome: kit.act(surface, action, testContext(3000)) };
  };

  test.each([
    ['in its handler', list('onchange="this.selectedIndex = 0"')],
    ['of its input event', list(`oninput="this.value = 'Tea'"`)],
    ['to nothing', list('onchange="this.selectedIndex = -1"')],
    ['in a list of several', list('multiple size="3" onchange="this.options[0].selected = true"')],
    ['below a styled list', list('style="display: none" onchange="this.selectedIndex = 0"')],
  ])('fails %s', async (_, body) => {
    const { surface, outcome } = await choose(body);
    expect(await expectFailure(outcome)).toMatchObject({
      code: 'TARGET_NOT_ACTIONABLE',
      message: expect.stringContaining('"Coffee" was selected, but the page selected'),
    });
    await surface.close();
  });

  test.each([
    [
      'the options again',
      list('onchange="const { value } = this; this.innerHTML = this.innerHTML; this.value = value"'),
    ],
    ['the list by another', list('onchange="this.outerHTML = \'<select><option>Tea</select>\'"')],
  ])('accepts a page that renders %s', async (_, body) => {
    const { surface, outcome } = await choose(body);
    expect((await outcome).effect).toBeUndefined();
    await surface.close();
  });

  test('accepts a menu of commands without verification', async () => {
    const commands = '<option value="">Choose a command<option>Archive';
    const { surface, outcome } = await choose(
      list('onchange="out.textContent = this.value; this.selectedIndex = 0"', commands),
      'Archive',
    );
    expect(await outcome).toMatchObject({ effect: 'unverifiable' });
    expect(await output(kit, surface)).toBe('Archive');
    await surface.close();
  });

  const places = '<option value="1">Springfield<option value="2">Springfield<option disabled>Tea<option>Tea';

  test('refuses a label of two options and names the alternatives', async () => {
    const { surface, outcome } = await choose(list('', places), 'Springfield');
    expect(await expectFailure(outcome)).toMatchObject({
      code: 'TARGET_AMBIGUOUS',
      message: expect.stringContaining('index 0, value "1"; index 1, value "2"'),
    });
    await surface.close();
  });

  test.each<[string, string, Partial<ActionOf<'selectOption'>>, string]>([
    ['a value', '2', { by: 'value' }, '2'],
    ['an index', '1', { by: 'index' }, '2'],
    ['the enabled option of two', 'Tea', {}, 'Tea'],
    ['its label as target', 'Tea', { target: { css: '#l' } }, 'Tea'],
  ])('takes %s', async (_, option, overrides, expected) => {
    const { surface, outcome } = await choose(
      list('onchange="out.textContent = this.value"', places),
      option,
      overrides,
    );
    await outcome;
    expect(await output(kit, surface)).toBe(expected);
    await surface.close();
  });

  test('refuses a label of two options of an ARIA list', async () => {
    const { surface, outcome } = await choose(
      '<ul role="listbox" aria-label="Drink"><li role="option">Coffee<li role="option">Coffee</ul>',
    );
    expect((await expectFailure(outcome)).code).toBe('TARGET_AMBIGUOUS');
    await surface.close();
  });
});

test('select takes a native select in a part of a styled list without size', async () => {
  const surface = await kit.showPage(
    `${out}<div style="position: relative"><div style="position: relative; overflow: hidden; width: 0; height: 0"><select aria-label="Drink" style="position: absolute; left: -100%" onchange="out.textContent = value"><option>Tea<option>Coffee</select></div><span>Tea</span></div>`,
  );
  await kit.act(surface, { action: 'selectOption', target: { label: 'Drink' }, option: 'Coffee' });
  expect(await output(kit, surface)).toBe('Coffee');
  await surface.close();
});

test('select does not reach below a dialog', async () => {
  const surface = await kit.showPage(
    `<select aria-label="Drink"><option>Tea<option>Coffee</select><div style="position: fixed; inset: 0; background: #fff">Cookies?</div>`,
  );
  const action: Action = { action: 'selectOption', target: { label: 'Drink' }, option: 'Coffee' };
  expect(await expectFailure(kit.act(surface, action, testContext(3000)))).toMatchObject({
    code: 'TARGET_NOT_ACTIONABLE',
    message: expect.stringContaining('covered by'),
  });
  await surface.close();
});

describe('select in ARIA lists', () => {
  const options = ['Tea', 'Coffee', 'Milk']
    .map((name) => `<li role="option" data-value="${name[0]}" aria-selected="false">${name}</li>`)
    .join('');
  const single = `<ul role="listbox" aria-label="Drink">${options}</ul><script>document.querySelector('ul').onclick = ({ target }) => { for (const one of document.querySelectorAll('li')) one.setAttribute('aria-selected', String(one === target)); }</script>`;
  const several = `<ul role="listbox" aria-multiselectable="true" aria-label="Drink">${options}</ul><script>document.querySelector('ul').onclick = ({ target }) => target.setAttribute('aria-selected', String(target.getAttribute('aria-selected') !== 'true'))</script>`;
  const combobox = `<button role="combobox" aria-label="Drink" aria-expanded="false" aria-controls="l" id="c">None</button><ul role="listbox" id="l" hidden>${options}</ul><script>
    const c = document.getElementById('c'), l = document.getElementById('l');
    const open = (is) => { l.hidden = !is; c.setAttribute('aria-expanded', String(is)); };
    c.onclick = () => setTimeout(open, 100, l.hidden); l.onclick = ({ target }) => { c.textContent = target.textContent; open(false); }</script>`;
  const selectedOptions = (surface: Awaited<ReturnType<SurfaceKit['open']>>) =>
    kit.act(surface, { action: 'extract', target: { css: '[aria-selected=true]' }, list: {} });

  test.each<[string, string, string | string[], 'label' | 'value' | 'index' | undefined, string[]]>([
    ['one', single, 'Coffee', undefined, ['Coffee']],
    ['by value', single, 'M', 'value', ['Milk']],
    ['by index', single, '0', 'index', ['Tea']],
    ['several', several, ['Tea', 'Milk'], undefined, ['Tea', 'Milk']],
  ])('a listbox: %s', async (_, body, option, kind, expected) => {
    const surface = await kit.showPage(body);
    await kit.act(surface, { action: 'selectOption', target: { role: 'listbox' }, option, ...(kind && { by: kind }) });
    expect((await selectedOptions(surface)).value).toEqual(expected);
    await surface.close();
  });

  test('deselects other options of a multiple list', async () => {
    const surface = await kit.showPage(several);
    await kit.act(surface, { action: 'selectOption', target: { role: 'listbox' }, option: ['Tea', 'Milk'] });
    await kit.act(surface, { action: 'selectOption', target: { role: 'listbox' }, option: ['Coffee'] });
    expect((await selectedOptions(surface)).value).toEqual(['Coffee']);
    await surface.close();
  });

  test('opens a combobox first', async () => {
    const surface = await kit.showPage(combobox);
    await kit.act(surface, { action: 'selectOption', target: { role: 'combobox' }, option: 'Milk' });
    const { value } = await kit.act(surface, { action: 'extract', target: { role: 'combobox' }, value: {} });
    expect(value).toBe('Milk');
    await surface.close();
  });

  test.each([
    ['shows it', combobox, undefined],
    [
      'shows it beside the control',
      `<div>${combobox.replace('c.textContent =', 'shown.textContent =')}<b id="shown"></b></div>`,
      undefined,
    ],
    [
      'puts it back',
      combobox
        .replace('open(false)', `open(false); setTimeout(() => { c.textContent = 'None'; }, 30)`)
        .replace('c.textContent = target.textContent;', ''),
      'unverifiable',
    ],
  ])('verifies the choice of a combobox that %s', async (_, body, status) => {
    const surface = await kit.showPage(body);
    const action: Action = { action: 'selectOption', target: { role: 'combobox' }, option: 'Coffee' };
    expect((await kit.act(surface, action)).effect).toBe(status);
    await surface.close();
  });

  test('a missing option is reported with the existing ones', async () => {
    const surface = await kit.showPage(combobox);
    const action: Action = { action: 'selectOption', target: { role: 'combobox' }, option: 'Water' };
    expect(await expectFailure(kit.act(surface, action, testContext(5000)))).toMatchObject({
      code: 'TARGET_NOT_FOUND',
      message: expect.stringContaining('there is "Tea", "Coffee", "Milk"'),
    });
    await surface.close();
  });

  test('selects a native option by index', async () => {
    const surface = await kit.showPage('<select id="f"><option>A<option>B<option>C</select>');
    await kit.act(surface, { action: 'selectOption', target: { css: '#f' }, option: '2', by: 'index' });
    expect((await kit.act(surface, { action: 'extract', target: { css: '#f' }, value: {} })).value).toBe('C');
    await surface.close();
  });
});
