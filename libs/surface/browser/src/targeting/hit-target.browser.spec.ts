import type { Action, ActionOf } from '@pilothouse/contract/actions/action-sets';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { expectFailure, output, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

const out = '<output id="out">-</output>';
const pressed = `onclick="out.textContent = this.textContent"`;
type Surface = Awaited<ReturnType<SurfaceKit['open']>>;

const numberOf = async (surface: Surface, name: string) => {
  const { elements } = await surface.observe({ level: 'interactive' }, testContext(5000));
  return elements.find((element) => element.name === name)?.index ?? -1;
};

const click = (surface: Surface, target: Locator, ms = 3000, services = {}) =>
  kit.act(surface, { action: 'click', target }, testContext(ms, services));

describe('a button that is renamed between check and press', () => {
  const become = `onmouseenter="this.textContent = 'Delete'"`;

  test('is not pressed if it was addressed by index', async () => {
    const surface = await kit.showPage(`${out}<button ${become} ${pressed}>Open</button>`);
    const element = await numberOf(surface, 'Open');
    const error = await expectFailure(click(surface, { elementIndex: element }));
    expect(error).toMatchObject({
      code: 'TARGET_NOT_FOUND',
      message: expect.stringContaining('it is now button "Delete"'),
    });
    expect(await output(kit, surface)).toBe('-');
    await surface.close();
  });

  test.each([
    ['its label', '<b>Open</b>', `this.setAttribute('aria-label', 'Delete')`],
    ['its title, which is all it has,', '<b style="padding:9px"></b>', `this.title = 'Delete'`],
    ['a text inside of it', '<b>Open</b>', `this.firstElementChild.firstChild.data = 'Delete'`],
  ])('is not pressed when %s changes', async (_, content, change) => {
    const surface = await kit.showPage(
      `${out}<button title="Open" onmouseenter="${change}" onclick="out.textContent = 'pressed'">${content}</button>`,
    );
    const element = await numberOf(surface, 'Open');
    expect((await expectFailure(click(surface, { elementIndex: element }, 1500))).code).toMatch(
      /^TARGET_NOT_(FOUND|READY)$/,
    );
    expect(await output(kit, surface)).toBe('-');
    await surface.close();
  });

  test('is not pressed if its name was reviewed, whatever the locator', async () => {
    const surface = await kit.showPage(`${out}<button ${become} ${pressed}>Open</button>`);
    const error = await expectFailure(click(surface, { css: 'button' }, 3000, { checksName: true }));
    expect(error).toMatchObject({
      code: 'TARGET_NOT_ACTIONABLE',
      message: expect.stringContaining('its name changed'),
    });
    expect(await output(kit, surface)).toBe('-');
    await surface.close();
  });
});

describe('a stopped press', () => {
  const covered = `${out}<div style="position:relative;width:200px" onmouseenter="over.hidden = false">
    <button ${pressed}>Open</button><button id="over" hidden style="position:absolute;inset:0" ${pressed}>Delete</button></div>`;

  test('counts as not sent and keeps the safe point', async () => {
    const surface = await kit.showPage(covered);
    expect(await surface.save(testContext(5000))).not.toBeNull();
    const [guard, notSent] = [jest.fn(), jest.fn()];
    const error = await expectFailure(
      click(surface, { role: 'button', name: 'Open' }, 2000, { guard, onNotSent: notSent }),
    );
    expect(error).toMatchObject({ code: 'TARGET_NOT_ACTIONABLE', message: expect.stringContaining('is covered by') });
    expect(guard.mock.calls.length).toBeGreaterThan(0);
    expect(notSent.mock.calls.length).toBe(guard.mock.calls.length);
    expect(await output(kit, surface)).toBe('-');
    expect(await surface.save(testContext(5000))).not.toBeNull();
    await surface.close();
  });

  test('unlike a press that reached its element', async () => {
    const surface = await kit.showPage(`${out}<button ${pressed}>Open</button>`);
    const [guard, notSent] = [jest.fn(), jest.fn()];
    await click(surface, { role: 'button', name: 'Open' }, 3000, { guard, onNotSent: notSent });
    expect([guard.mock.calls.length, notSent.mock.calls.length]).toEqual([1, 0]);
    expect(await output(kit, surface)).toBe('Open');
    expect(await surface.save(testContext(5000))).toBeNull();
    await surface.close();
  });

  test('does not stop later input of a person in the page or its frames', async () => {
    const pressing = (name: string) => `onclick="parent.document.getElementById('out').textContent = '${name}'"`;
    kit.serve(
      '/beside',
      `<body style="margin:0"><button style="width:100%;height:100%" ${pressing('framed')}>In</button>`,
    );
    const surface = await kit.showPage(
      `${covered}<iframe src="/beside" style="position:fixed;left:50vw;top:50vh;width:20vw;height:20vh"></iframe>`,
    );
    const { code } = await expectFailure(click(surface, { role: 'button', name: 'Open' }, 2000));
    expect(code).toBe('TARGET_NOT_ACTIONABLE');
    const pointer = { x: 600, y: 600, button: 'left', count: 1 } as const;
    await surface.sendControlInput({ kind: 'down', ...pointer }, testContext(5000));
    await surface.sendControlInput({ kind: 'up', ...pointer }, testContext(5000));
    expect(await output(kit, surface)).toBe('framed');
    await surface.close();
  });
});

describe('a press without an interceptor report', () => {
  test('does not count as done', async () => {
    // `document.open` removes the listeners of the document.
    const surface = await kit.showPage(
      `<button style="width:200px;height:60px" onmouseenter="document.open(); document.write('<title>Another</title><p>Another'); document.close()">Open</button>`,
    );
    const { code } = await expectFailure(click(surface, { role: 'button', name: 'Open' }, 2000));
    expect(code).toBe('TARGET_NOT_FOUND');
    expect(await kit.title(surface)).toBe('Another');
    await surface.close();
  });

  test('is not one that replaced its document', async () => {
    kit.serve('/next', '<title>Next</title>Next');
    const surface = await kit.showPage(`<button onpointerdown="location.href = '/next'">Open</button>`);
    await click(surface, { role: 'button', name: 'Open' });
    await surface.expect({ title: 'Next' }, testContext(5000));
    await surface.close();
  });
});

describe('a press whose click gets lost', () => {
  const note = `<script>const note = (text) => { out.textContent = out.textContent === '-' ? text : out.textContent + ' ' + text; };</script>`;
  /** The field shrinks when it loses the focus, and the button moves away from the pointer. */
  const jumping = (go: string) =>
    `<style>textarea { display: block; height: 40px } textarea:focus { height: 300px } button { display: block; height: 40px }</style>
    <textarea id="field"></textarea>${go}${`<button onclick="note('deleted')">Delete</button>`.repeat(7)}<div style="height:600px"></div>`;
  const leaving = (blur: string) =>
    `<input id="field" onblur="${blur}"><button id="go" onclick="note('go')">Go</button>`;

  const clickAfterFill = async (body: string, overrides: Partial<ActionOf<'click'>> = {}) => {
    const surface = await kit.showPage(out + note + body);
    if (body.includes('"field"')) await kit.act(surface, { action: 'fill', target: { css: '#field' }, text: 'Text' });
    const action: Action = { action: 'click', target: { css: '#go' }, ...overrides };
    const result = await kit.act(surface, action, testContext(3000)).then(
      ({ effect }) => effect ?? 'none',
      ({ code }: { code: string }) => code,
    );
    const notes = await output(kit, surface);
    await surface.close();
    return { result, notes };
  };

  test.each<[string, string, Partial<ActionOf<'click'>>, string]>([
    ['a button that moves', jumping(`<button id="go" onclick="note('go')">Go</button>`), {}, 'go'],
    ['twice', jumping(`<button id="go" ondblclick="note('twice')">Go</button>`), { count: 2 }, 'twice'],
    [
      'with the other button',
      jumping(`<button id="go" onauxclick="note('menu')">Go</button>`),
      { button: 'right' },
      'menu',
    ],
    ['a button that is rendered again', leaving('go.outerHTML = go.outerHTML'), {}, 'go'],
    [
      'a button below a root with all listeners',
      jumping(`<button id="go" onclick="note('go')">Go</button>`) +
        `<script>for (let number = 0; number < 20; number++) document.body.addEventListener('event-' + number, () => {}); document.body.addEventListener('mousedown', () => {});</script>`,
      {},
      'go',
    ],
  ])('clicks %s', async (_, body, overrides, notes) => {
    expect(await clickAfterFill(body, overrides)).toEqual({ result: 'confirmed', notes });
  });

  test.each([
    ['is disabled by the field', leaving('go.disabled = true')],
    [
      'always moves away',
      `<button id="go" style="position:absolute;top:90px" onfocus="this.style.top = this.offsetTop + 60 + 'px'; this.blur()" onclick="note('go')">Go</button>`,
    ],
  ])('fails if the element %s', async (_, body) => {
    expect(await clickAfterFill(body)).toEqual({ result: 'TARGET_NOT_ACTIONABLE', notes: '-' });
  });

  test.each([
    ['a listener', jumping(`<button id="go" onmousedown="note('down')">Go</button>`), 'down'],
    [
      'a property of a framework',
      `${jumping('<button id="go">Go</button>')}<script>go.$$mousedown = () => {}; </script>`,
      '-',
    ],
    [
      'a container that captures the pointer',
      `<div onpointerdown="note('down'); this.setPointerCapture(event.pointerId)"><button id="go" onclick="note('go')">Go</button></div>`,
      'down',
    ],
  ])('is unverifiable and not repeated if the page may handle the press with %s', async (_, body, notes) => {
    expect(await clickAfterFill(body)).toEqual({ result: 'unverifiable', notes });
  });

  test.each([
    ['removes the button', 'mousedown', 'this.remove()'],
    ['hides it', 'pointerdown', `this.style.display = 'none'`],
    ['removes it at the end of the press', 'mouseup', 'this.remove()'],
    ['disables it', 'mousedown', 'this.disabled = true'],
    ['covers it by a menu', 'mousedown', 'cover.hidden = false'],
    ['opens a dialog', 'mousedown', 'alert(1)'],
  ])('is not one that the page handles: it %s', async (_, type, change) => {
    const body = `<button id="go" on${type}="note('done'); ${change}">Go</button><div id="cover" hidden style="position:fixed;inset:0"></div>`;
    expect(await clickAfterFill(body)).toMatchObject({ notes: 'done' });
    expect((await clickAfterFill(body)).result).toMatch(/^(confirmed|unverifiable)$/);
  });

  test('is not a double click whose first click replaced the element', async () => {
    const body = `<div id="go" onclick="note('edit'); this.outerHTML = '<input>'">Go</div>`;
    expect(await clickAfterFill(body, { count: 2 })).toEqual({ result: 'confirmed', notes: 'edit' });
  });
});
