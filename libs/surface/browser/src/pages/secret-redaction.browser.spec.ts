import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { ActionServices, Screenshot } from '@pilothouse/core/ports/surface-action.port';
import type { ScreencastSink } from '@pilothouse/core/ports/surface-recorders.port';
import { poll } from '@pilothouse/core/time/deadlines';
import { pixelsOf } from '@pilothouse/testing/decode-pixels';
import type { BrowserSurface } from '../browser.surface.ts';
import { startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => void (kit = await startKit()));
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});
afterAll(() => kit.close());

// A secret of full blocks. If it is visible, a line through the upper part of the field is red; dots are lower.
const secret = '\u2588'.repeat(6);
const style = (top: number) =>
  `position:absolute;left:100px;top:${top}px;width:600px;height:80px;margin:0;border:0;padding:0;font:60px/80px monospace;color:#f00;background:#fff;caret-color:#fff`;
const field = (attributes = '', top = 100) => `<input aria-label="Code" ${attributes} style="${style(top)}">`;

type Image = Pick<Screenshot, 'body'>;
const isRed = ({ body }: Image, y: number) => {
  const { at: pixelAt } = pixelsOf(body);
  return Array.from({ length: 150 }, (_, x) => pixelAt(100 + x, y)).some(
    ([red, green, blue]) => red > 200 && green < 100 && blue < 100,
  );
};
/** True if the field shows its content, and if it has any. */
const isReadable = (image: Image, top = 100) => isRed(image, top + 18);
const isFilled = (image: Image, top = 100) => [36, 40, 44, 48].some((down) => isRed(image, top + down));

const context = (services: Partial<ActionServices> = {}) =>
  testContext(10_000, { reveal: async (text) => text.replace('{{inputs.code}}', secret), ...services });
const act = (surface: BrowserSurface, action: Action, services: Partial<ActionServices> = {}) =>
  surface.act(action, context(services));
const fillSecret: Action = { action: 'fill', target: { label: 'Code' }, text: '{{inputs.code}}' };
const shot = (surface: BrowserSurface) => surface.screenshot({}, testContext(10_000));

test('shows typed text unless it contains a secret', async () => {
  const surface = await kit.showPage(`<body style="margin:0">${field()}`);
  await act(surface, { ...fillSecret, text: secret });
  expect(isReadable(await shot(surface))).toBe(true);
  await act(surface, fillSecret);
  const image = await shot(surface);
  expect([isReadable(image), isFilled(image)]).toEqual([false, true]);
  // Also in the screenshot before the next step, and with more text behind it.
  const images: Image[] = [];
  await act(
    surface,
    { ...fillSecret, text: 'more', append: true },
    { onPreActionScreenshot: (image) => void images.push(image) },
  );
  expect(images.map((image) => isReadable(image))).toEqual([false]);
  expect(isReadable(await shot(surface))).toBe(false);
  await surface.close();
});

test.each(['<textarea', '<div contenteditable'])('in %s> too, key by key', async (tag) => {
  const surface = await kit.showPage(`<body style="margin:0">${field().replace('<input', tag)}`);
  await act(surface, { ...fillSecret, action: 'type' });
  const image = await shot(surface);
  expect([isReadable(image), isFilled(image)]).toEqual([false, true]);
  await surface.close();
});

test('covers a replacement field before a screenshot', async () => {
  const surface = await kit.showPage(`<body style="margin:0">${field('type="password"')}
    <button style="position:absolute;top:300px" onclick="const one = document.querySelector('input');
      one.outerHTML = one.outerHTML.replace('password', 'text').replace(/-webkit-text-security: disc ?!important;?/, '').replace('>', ' value=' + one.value + '>');">Show</button>
    <x-more></x-more><button style="position:absolute;top:330px" onclick="document.querySelector('x-more').attachShadow({ mode: 'open' }).innerHTML =
      '${field('', 400).replaceAll('"', '&quot;')}'; document.querySelector('x-more').shadowRoot.firstChild.value = document.querySelector('input').value">Copy</button>`);
  await act(surface, fillSecret);
  for (const [name, top] of [
    ['Show', 100],
    ['Copy', 400],
  ] as const) {
    await act(surface, { action: 'click', target: { role: 'button', name } });
    const image = await shot(surface);
    expect([name, isReadable(image, top), isFilled(image, top)]).toEqual([name, false, true]);
  }
  await surface.close();
});

test('keeps a password field covered when the page changes its type', async () => {
  const surface = await kit.showPage(`<body style="margin:0">${field(`type="password" value="${secret}"`)}
    <button style="position:absolute;top:300px" onclick="document.querySelector('input').type = 'text'">Show</button>`);
  await shot(surface);
  await act(surface, { action: 'click', target: { role: 'button' } });
  const image = await shot(surface);
  expect([isReadable(image), isFilled(image)]).toEqual([false, true]);
  await surface.close();
});

test.each(['another site', 'another origin of the site'])(
  'searches frames of %s only if they received a secret',
  async (origin) => {
    const pay = `<!doctype html><body style="margin:0">${field().replace('left:100px;top:100px', 'left:0;top:0')}<script>
      document.querySelector('input').oninput = ({ target }) => {
        const { value } = target;
        target.outerHTML = target.outerHTML.replace(/style=".*?"/, (all) => all.replace(/-webkit-text-security: disc ?!important;?/, ''));
        document.querySelector('input').value = value;
        document.title = 'Again';
      };
    </script>`;
    server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(pay));
    await once(server.listen(0), 'listening');
    const { port } = server.address() as AddressInfo;
    const far = `http://${origin === 'another site' ? 'localhost' : '127.0.0.1'}:${port}/pay`;
    const surface = await kit.showPage(
      `<body style="margin:0"><iframe src="${far}" style="position:absolute;left:100px;top:100px;width:700px;height:100px;border:0"></iframe>${field('', 300)}`,
    );
    await act(surface, { ...fillSecret, target: { label: 'Code', within: { css: 'iframe' } } });
    await act(surface, { ...fillSecret, text: secret, target: { css: 'body > input' } });
    const image = await shot(surface);
    expect([isReadable(image), isFilled(image)]).toEqual([false, true]);
    // The parent page did not receive the secret, so it is not searched there.
    expect(isReadable(image, 300)).toBe(true);
    await surface.close();
  },
);

test('no screencast frame shows a secret, although the page reveals it each time', async () => {
  const frames: Buffer[] = [];
  const sink: ScreencastSink = {
    maxFramesPerSecond: 5,
    maxWidth: null,
    maxHeight: null,
    onFrame: async (jpeg) => void frames.push(jpeg),
  };
  const url = kit.serve(
    '/screencast',
    `<!doctype html><title>Screencast</title><body style="margin:0">${field()}<script>
      const swap = (left) => {
        const one = document.querySelector('input');
        const { value } = one;
        one.outerHTML = one.outerHTML.replace(/-webkit-text-security: disc ?!important;?/, '');
        document.querySelector('input').value = value;
        document.body.style.borderTop = left + 'px solid #0f0';
        if (left > 0) setTimeout(() => swap(left - 1), 70);
        else document.title = 'Swapped';
      };
      document.querySelector('input').oninput = () => setTimeout(() => swap(40), 500);
    </script>`,
  );
  const surface = await kit.open({ recorders: { screencast: sink } });
  await act(surface, { action: 'navigate', url });
  await act(surface, fillSecret);
  await surface.expect({ title: 'Swapped' }, testContext(60_000));
  const frameCount = frames.length;
  const isFrameFilled = async () => (frames.slice(frameCount).some((body) => isFilled({ body })) ? true : undefined);
  expect(await poll(isFrameFilled, testContext(60_000))).toBe(true);
  expect(frames.map((body) => isReadable({ body }))).toEqual(frames.map(() => false));
  await surface.close();
});
