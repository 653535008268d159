import { stateConformance } from '@pilothouse/testing/conformance/state-conformance';
import { surfaceConformance } from '@pilothouse/testing/conformance/surface-conformance';
import { startKit, testContext, type SurfaceKit } from './testing/browser-test-kit.ts';

const COUNTER =
  '<h1>Counter</h1><button onclick="n.textContent = Number(n.textContent) + 1">More</button> <b id="n">0</b> <label>Note <input></label>';

let kit: SurfaceKit;
let pages = 0;

const page = (body: string): string => {
  pages += 1;
  return kit.serve(`/conformance-${pages}`, `<!doctype html><html lang="en"><title>Counter</title>${body}</html>`);
};

beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

const TRACE = `<title>Counter</title><button onclick="localStorage.trace = 'yes'">Leave</button>
  <b id="trace"></b><script>document.querySelector('#trace').textContent = localStorage.trace ?? 'none'</script>`;

surfaceConformance('browser', async () => ({
  host: kit.host,
  folder: kit.folder,
  placePattern: /^http:/,
  openCounter: async () => {
    const surface = await kit.open();
    await kit.act(surface, { action: 'navigate', url: page(COUNTER) });
    return surface;
  },
  countOf: async (surface) =>
    Number((await surface.act({ action: 'extract', target: { css: '#n' }, value: {} }, testContext(10_000))).value),
  noteOf: async (surface) =>
    String((await surface.act({ action: 'extract', target: { label: 'Note' }, value: {} }, testContext(10_000))).value),
  leaveTrace: async (surface) => {
    const { url } = await surface.anchors(testContext(10_000));
    await surface.act({ action: 'navigate', url: page(TRACE) }, testContext(10_000));
    await surface.act({ action: 'click', target: { role: 'button' } }, testContext(10_000));
    await surface.act({ action: 'navigate', url }, testContext(10_000));
  },
  hasTrace: async (surface) => {
    const { url } = await surface.anchors(testContext(10_000));
    await surface.act({ action: 'navigate', url: page(TRACE) }, testContext(10_000));
    const { value } = await surface.act(
      { action: 'extract', target: { css: '#trace' }, value: {} },
      testContext(10_000),
    );
    await surface.act({ action: 'navigate', url }, testContext(10_000));
    return value === 'yes';
  },
  close: async () => undefined,
}));

describe('state of a browser', () => stateConformance(() => ({ host: kit.host, folder: kit.folder, page })));
