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
