import type { Action } from '@pilothouse/contract/actions/action-sets';
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
});
