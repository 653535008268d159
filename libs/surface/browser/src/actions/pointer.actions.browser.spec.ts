import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Effect } from '@pilothouse/contract/run/outcome';
import type { BrowserSurface } from '../browser.surface.ts';
import { expectFailure, output, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

const out = '<output id="out" style="display:block;height:3em">-</output>';
const note = `<script>const out = document.getElementById('out'); const note = (what) => { out.textContent = out.textContent === '-' ? what : out.textContent + ' ' + what; };</script>`;

const outputAfter = async (body: string, action: Action) => {
  const surface = await kit.showPage(out + note + body);
  await kit.act(surface, action);
  const text = await output(kit, surface);
  await surface.close();
  return text;
};

describe('click', () => {
  const listening = `<button>Go</button><script>const b = document.querySelector('button');
    for (const type of ['click', 'dblclick', 'contextmenu', 'auxclick']) b.addEventListener(type, (e) => { note([type, e.button, e.detail, e.shiftKey && 'S', e.ctrlKey && 'C', e.altKey && 'A'].filter((x) => x !== false).join('/')); e.preventDefault(); })</script>`;
  const target = { text: 'Go' };

  test.each<[Action & { action: 'click' }, string]>([
    [{ action: 'click', target }, 'click/0/1'],
    [{ action: 'click', target, count: 2 }, 'click/0/1 click/0/2 dblclick/0/2'],
    [{ action: 'click', target, button: 'right' }, 'contextmenu/2/0 auxclick/2/1'],
    [{ action: 'click', target, button: 'middle' }, 'auxclick/1/1'],
    [{ action: 'click', target, modifiers: ['Shift', 'Control'] }, 'click/0/1/S/C'],
  ])('%j', async (action, expected) => expect(await outputAfter(listening, action)).toBe(expected));

  test('releases modifier keys', async () => {
    const surface = await kit.showPage(out + note + listening);
    await kit.act(surface, { action: 'click', target, modifiers: ['Shift', 'Alt'] });
    await kit.act(surface, { action: 'click', target });
    expect(await output(kit, surface)).toBe('click/0/1/S/A click/0/1');
    await surface.close();
  });

  test('with ControlOrMeta opens a link in another window', async () => {
    kit.serve('/there', '<title>There</title>');
    const surface = await kit.showPage('<a href="/there">Go</a>');
    await kit.act(surface, { action: 'click', target, modifiers: ['ControlOrMeta'] });
    await surface.expect({ title: 'There' }, testContext(10_000));
    await surface.close();
  });
});

test('hover opens a menu that stays open', async () => {
  const surface = await kit.showPage(
    `${out}${note}<style>ul { display: none } nav:hover ul { display: block }</style><nav>Menu<ul><li onclick="note('chosen')">Entry</li></ul></nav>`,
  );
  await kit.act(surface, { action: 'hover', target: { css: 'nav' } });
  await kit.act(surface, { action: 'click', target: { text: 'Entry' } });
  expect(await output(kit, surface)).toBe('chosen');
  await surface.close();
});

describe('drag', () => {
  const html5 = `<style>div { width: 90px; height: 60px; border: 1px solid }</style><div id="card" draggable="true">Card</div><div style="border:0"></div><div id="done">Done</div><script>
    card.ondragstart = (e) => { e.dataTransfer.setData('text/plain', 'the card'); note('start'); };
    done.ondragover = (e) => e.preventDefault();
    done.ondrop = (e) => { e.preventDefault(); note('drop:' + e.dataTransfer.getData('text/plain')); };
    card.ondragend = () => note('end');</script>`;
  const byMouse = `<style>div { position: absolute; width: 60px; height: 60px; background: #ddd }</style><div id="card" style="left:0;top:100px">Card</div><div id="done" style="left:400px;top:300px">Done</div><script>
    let held = false; card.onpointerdown = () => { held = true; };
    onpointermove = (e) => { if (held) { card.style.left = e.clientX + 5 + 'px'; card.style.top = e.clientY + 5 + 'px'; } };
    onpointerup = (e) => { if (held) note('up on ' + (document.elementFromPoint(e.clientX, e.clientY)?.id || 'nothing')); held = false; };</script>`;
  const dropTarget = { css: '#done' };

  test.each<[string, string, Action, string]>([
    ['of HTML', html5, { action: 'drag', target: { css: '#card' }, to: dropTarget }, 'start drop:the card end'],
    ['by the mouse', byMouse, { action: 'drag', target: { css: '#card' }, to: dropTarget }, 'up on done'],
    [
      'to what is far below',
      html5.replace('border:0', 'border:0;height:400px'),
      { action: 'drag', target: { css: '#card' }, to: dropTarget },
      'start drop:the card end',
    ],
    [
      'by pixels, a slider',
      `<input id="r" type="range" value="0" style="width:200px;margin:0" onchange="note(this.value > 40 ? 'far' : 'near')">`,
      { action: 'drag', target: { css: '#r' }, by: { x: 60 } },
      'far',
    ],
  ])('%s', async (_, body, action, expected) => expect(await outputAfter(body, action)).toBe(expected));

  test('calls the guard again before the drop and drops nothing if it refuses', async () => {
    const surface = await kit.showPage(out + note + html5);
    let guardCalls = 0;
    const guard = () => {
      guardCalls += 1;
      if (guardCalls > 1) throw new Error('LEASE');
    };
    const action: Action = { action: 'drag', target: { css: '#card' }, to: dropTarget };
    expect((await expectFailure(kit.act(surface, action, testContext(4000, { guard })))).message).toContain('LEASE');
    expect(await output(kit, surface)).toBe('start');
    await surface.close();
  });

  test.each<[string, () => ReturnType<typeof testContext>, string]>([
    ['its deadline', () => testContext(1500), 'STEP_TIMED_OUT'],
    ['its signal', () => testContext(10_000, { signal: AbortSignal.timeout(1500) }), ''],
  ])('of a page that is busy presses nothing after %s', async (_, contextOf, code) => {
    const busy = `<script>card.onpointermove = () => { card.onpointermove = null; note('busy'); for (const end = Date.now() + 3000; Date.now() < end;); }; addEventListener('pointerdown', () => note('pressed'), true)</script>`;
    const surface = await kit.showPage(out + note + html5 + busy);
    const action: Action = { action: 'drag', target: { css: '#card' }, to: dropTarget };
    const failure = await kit.act(surface, action, contextOf()).then(
      () => ({ code: 'none' }),
      (error: unknown) => error,
    );
    if (code === '') expect(failure).not.toMatchObject({ code: 'none' });
    else expect(failure).toMatchObject({ code });
    // The next step waits until the page answers.
    await surface.expect({ visible: { css: '#out', hasText: 'busy' } }, testContext(10_000));
    await kit.act(surface, { action: 'hover', target: dropTarget }, testContext(10_000));
    expect(await output(kit, surface)).toBe('busy');
    await surface.close();
  });
});

describe('scroll', () => {
  const tall = '<div style="height:3000px"></div>';
  const scrollReport = `<script>const tell = () => { out.textContent = [scrollY, typeof box === 'undefined' ? '' : box.scrollTop].join('/'); }; addEventListener('scroll', tell, true);</script>`;
  const box = `<div id="box" style="height:200px;overflow:auto"><p>First</p>${tall}<p>Last</p></div>`;

  test.each<[string, string, Action, RegExp]>([
    [
      'to an element',
      `${tall}<b>Here</b>${tall}`,
      { action: 'scroll', target: { text: 'Here' } },
      /^2[5-9]\d\d\/|^26\d\d/,
    ],
    ['the page by pixels', tall, { action: 'scroll', by: { y: 500 } }, /^500\//],
    ['the page to its end', tall, { action: 'scroll', to: 'bottom' }, /^2\d\d\d\//],
    ['inside an element', box, { action: 'scroll', target: { css: '#box' }, by: { y: 300 } }, /\/300$/],
    [
      'what is around an element',
      box,
      { action: 'scroll', target: { text: 'First' }, to: 'bottom' },
      /^0\/2[89]\d\d|^0\/3\d\d\d/,
    ],
    [
      'the part of a page that scrolls instead of it',
      `<style>body { margin: 0; height: 100vh; overflow: hidden }</style><div id="box" style="height:90vh;overflow-y:scroll">${tall}</div>`,
      { action: 'scroll', by: { y: 250 } },
      /\/250$/,
    ],
  ])('%s', async (_, body, action, expected) => {
    const surface = await kit.showPage(
      `${out.replace('<output', '<output style="position:fixed"')}${note}${body}${scrollReport}`,
    );
    await kit.act(surface, action);
    await surface.expect({ visible: { css: '#out', hasText: '/' } }, testContext(10_000));
    expect(await output(kit, surface)).toMatch(expected);
    await surface.close();
  });

  test('turns the mouse wheel over elements without a scroll container', async () => {
    const body = `<canvas style="background:#eee" onwheel="event.preventDefault(); note('wheel ' + event.deltaY)"></canvas>`;
    const surface = await kit.showPage(`<style>body { overflow: hidden }</style>${out}${note}${body}`);
    await kit.act(surface, { action: 'scroll', target: { css: 'canvas' }, by: { y: 120 } });
    await surface.expect({ text: 'wheel 120' }, testContext(10_000));
    await surface.close();
  });

  const unstyled = `<style>body { margin: 0 } #note { position: fixed; top: 0 }</style><button id="note" onclick="this.textContent = (document.title + ' ' + scrollY).replace(/^Page \\d+ /, '')">Note</button>`;
  const positionAfter = async (surface: BrowserSurface) => {
    await kit.act(surface, { action: 'click', target: { css: '#note' } });
    return String((await kit.act(surface, { action: 'extract', target: { css: '#note' }, value: {} })).value);
  };
  const wheelNote = `<script>addEventListener('wheel', (event) => { document.title = 'wheel ' + event.deltaX + ' ' + event.deltaY; }, { passive: true });</script>`;

  test.each<[string, string, Action, RegExp]>([
    ['of the page', tall, { action: 'scroll', by: { y: 100 } }, /^wheel 0 100 100$/],
    [
      'of the page around a list at its center',
      `${tall.replace('3000', '100')}<div style="height:400px;overflow:auto">${tall}</div>${tall}`,
      { action: 'scroll', by: { y: 100 } },
      /^wheel 0 100 100$/,
    ],
    [
      'in a list below the view',
      `${tall}<div id="list" style="height:200px;overflow:auto" onscroll="list.onscroll = null; document.title += ' list ' + list.scrollTop">${tall}</div>${tall}`,
      { action: 'scroll', target: { css: '#list' }, by: { y: 100 } },
      /^wheel 0 100/,
    ],
    ['sideways', `<div style="width:4000px;height:10px"></div>`, { action: 'scroll', by: { x: 90 } }, /^wheel 90 0/],
  ])('by a distance sends a wheel event: %s', async (_, body, action, expected) => {
    const surface = await kit.showPage(unstyled + body + wheelNote);
    expect(await kit.act(surface, action)).not.toHaveProperty('effect');
    expect(await positionAfter(surface)).toMatch(expected);
    await surface.close();
  });

  const cancel = `<script>addEventListener('wheel', (event) => event.preventDefault(), { passive: false });</script>`;
  test.each<[string, string, Effect, string]>([
    ['of a page at its end', '', 'none', 'can scroll'],
    ['of a page that handles the wheel', tall + cancel, 'unverifiable', 'handled the mouse wheel'],
  ])('by a distance sends a wheel event that moves nothing: %s', async (_, body, effect, reason) => {
    const surface = await kit.showPage(unstyled + body + wheelNote);
    const outcome = await kit.act(surface, { action: 'scroll', by: { y: 100 } });
    expect(outcome).toMatchObject({ effect, effectReason: expect.stringContaining(reason) });
    expect(await positionAfter(surface)).toBe('wheel 0 100 0');
    await surface.close();
  });

  test('by a distance turns the wheel in a frame below the view', async () => {
    const wheel = `<output id="out">-</output><script>addEventListener('wheel', () => { out.textContent = 'wheel'; }); addEventListener('scroll', () => { out.textContent += ' ' + scrollY; });</script>`;
    kit.serve('/inner', `<body style="margin:0">${wheel}<p>First</p>${tall}`);
    const surface = await kit.showPage(`${tall}<iframe src="/inner"></iframe>${tall}`);
    const frame = { css: 'iframe' };
    await kit.act(surface, { action: 'scroll', target: { text: 'First', within: frame }, by: { y: 70 } });
    const { value } = await kit.act(surface, { action: 'extract', target: { css: '#out', within: frame }, value: {} });
    expect(value).toMatch(/^wheel.* 70$/);
    await surface.close();
  });

  test.each<[string, string]>([
    ['without a box', '<button style="display:contents">Here</button>'],
    ['in a container', `<div style="height:90px;overflow:auto">${tall}<i style="display:contents">Here</i></div>`],
  ])('brings an element into view: %s', async (_, element) => {
    const surface = await kit.showPage(unstyled + tall + element + tall);
    const outcome = await kit.act(surface, { action: 'scroll', target: { text: 'Here' } });
    expect(outcome).not.toHaveProperty('effect');
    expect(Number(await positionAfter(surface))).toBeGreaterThan(2000);
    await surface.close();
  });

  test('clicks an element without a box below the view', async () => {
    const button = `<button style="display:contents" onclick="note('clicked')">Here</button>`;
    expect(await outputAfter(`${tall}<p>${button}</p>${tall}`, { action: 'click', target: { text: 'Here' } })).toBe(
      'clicked',
    );
  });

  test('is unverifiable if the element stays out of view', async () => {
    const hidden = await kit.showPage('<p style="position:fixed;left:-900px">Here</p>');
    const outcome = await kit.act(hidden, { action: 'scroll', target: { text: 'Here' } });
    expect(outcome).toMatchObject({ effect: 'unverifiable' });
    await hidden.close();
  });
});

test('a key that is held repeats, and is released with its modifiers', async () => {
  const surface = await kit.showPage(
    `${out}${note}<script>const keys = { down: 0, repeat: 0, shift: 0 };
    addEventListener('keydown', (e) => { if (e.key === 'ArrowRight') { keys[e.repeat ? 'repeat' : 'down'] += 1; keys.shift += e.shiftKey; } });
    addEventListener('keyup', (e) => { if (e.key === 'Shift') note([keys.down, keys.repeat > 1, keys.shift === keys.down + keys.repeat].join('/')); });</script>`,
  );
  await kit.act(surface, { action: 'press', key: 'Shift+ArrowRight', holdSeconds: 0.5 });
  expect(await output(kit, surface)).toBe('1/true/true');
  await surface.close();
});
