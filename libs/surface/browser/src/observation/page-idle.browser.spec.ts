import { startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => void (kit = await startKit()));
afterAll(() => kit.close());

const openPage = async (body: string) => {
  const surface = await kit.showPage(body);
  await surface.expect({ text: 'ready' }, testContext(10_000));
  await surface.observe({}, testContext(10_000));
  return surface;
};

describe('a page is idle', () => {
  it('when it has nothing to do, also after activity', async () => {
    kit.serve('/said', 'said');
    const surface = await openPage(`<p id=a></p><script>fetch('/said').then(() => a.textContent = 'ready')</script>`);
    expect(await surface.waitUntilIdle(1, testContext(20_000))).toBe(true);
  });

  it('not before its last timer', async () => {
    const surface = await openPage(`<button>Go</button><p id=a>ready</p><script>
      document.querySelector('button').onclick = () => {
        let left = 8;
        const next = () => { left -= 1; if (left > 0) { a.innerHTML += '<b>more</b>'.repeat(1000); setTimeout(next, 40); } else a.textContent = 'over'; };
        next();
      }</script>`);
    await kit.act(surface, { action: 'click', target: { role: 'button' } });
    await surface.observe({}, testContext(10_000));
    expect(await surface.waitUntilIdle(1, testContext(20_000))).toBe(true);
    expect((await surface.observe({}, testContext(10_000))).elements.map(({ name }) => name)).toContain('over');
  });

  it('not during activity', async () => {
    kit.serve('/never', () => undefined);
    kit.serve('/stream', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
    });
    kit.serve(
      '/frame',
      `<title>Frame</title><style>@keyframes turn { to { rotate: 360deg } } b { animation: turn 2s infinite }</style><b>x</b>`,
    );
    for (const body of [
      `<p>ready</p><script>fetch('/never')</script>`,
      `<p id=a></p><script>new EventSource('/stream').onmessage = () => a.textContent = 'ready'</script>`,
      `<p>ready</p><script>new WebSocket(location.origin.replace('http', 'ws') + '/never')</script>`,
      `<p id=a></p><script>new Worker(URL.createObjectURL(new Blob(['postMessage(1)']))).onmessage = () => a.textContent = 'ready'</script>`,
      `<p>ready</p><iframe src="/frame"></iframe>`,
    ]) {
      const surface = await openPage(body);
      expect([body, await surface.waitUntilIdle(1, testContext(250))]).toEqual([body, false]);
      await surface.close();
    }
  });

  it('stops when the signal aborts', async () => {
    const surface = await openPage('<p>ready</p>');
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    await expect(surface.waitUntilIdle(1, testContext(5000, { signal: controller.signal }))).rejects.toThrow('enough');
  });
});
