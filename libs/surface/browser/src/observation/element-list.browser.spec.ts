import { output, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => void (kit = await startKit()));
afterAll(() => kit.close());

it('observes the current page, also after a click opened another one', async () => {
  kit.serve('/second', '<title>Second</title><button>There</button>');
  const surface = await kit.showPage(`<a href="/second">Go</a><label>Find <input type="search"></label>`);
  const first = await surface.observe({ level: 'interactive' }, testContext(5000));
  expect(first.elements.map(({ index, role, name }) => `${index} ${role} ${name}`)).toEqual([
    '0 link Go',
    '1 searchbox Find',
  ]);
  await kit.act(surface, { action: 'fill', target: { label: 'Find' }, text: 'tea' });
  const secondObservation = await surface.observe({}, testContext(5000));
  expect(secondObservation.elements.find(({ index }) => index === 1)).toMatchObject({
    value: 'tea',
    tags: ['search'],
    state: { focused: true },
  });
  await kit.act(surface, { action: 'click', target: { text: 'Go' } });
  const second = await surface.observe({}, testContext(5000));
  expect(second.title).toBe('Second');
  expect(second.document).toBe(first.document + 1);
});

it('stops when the signal aborts', async () => {
  const surface = await kit.showPage('<button>One</button>');
  const controller = new AbortController();
  controller.abort(new Error('enough'));
  await expect(surface.observe({}, testContext(5000, { signal: controller.signal }))).rejects.toThrow('enough');
});

it('lists a form whose fields shadow element properties', async () => {
  const names =
    'getAttribute hasAttribute id tagName localName children firstChild parentElement parentNode nextSibling closest contains matches shadowRoot nodeType getBoundingClientRect checkVisibility dispatchEvent isConnected ownerDocument textContent';
  const fields = names.split(' ').map((name) => `<input name="${name}" aria-label="${name}" size="4">`);
  const surface = await kit.showPage(
    `<h1>Before</h1><form tabindex="0" aria-label="Order">${fields.join('')}<button type="button" onclick="out.textContent = 'sent'">Send</button></form><form>${fields[0]}<p>Inside</p></form><button>After</button><output id="out"></output>`,
  );
  const { elements } = await surface.observe({ level: 'page' }, testContext(5000));
  const listed = elements.map(({ role, name }) => `${role} ${name}`);
  expect(listed).toEqual(
    expect.arrayContaining(['focusable Order', 'paragraph Inside', 'button Send', 'button After', 'textbox nodeType']),
  );
  expect(elements.filter(({ role }) => role === 'textbox')).toHaveLength(fields.length + 1);
  const element = elements.find(({ name }) => name === 'Send')?.index ?? -1;
  const { located } = await kit.act(surface, { action: 'click', target: { elementIndex: element } });
  expect(located?.alternatives).toContainEqual({ role: 'button', name: 'Send', exact: true });
  const form = elements.find(({ name }) => name === 'Order')?.index ?? -1;
  await kit.act(surface, { action: 'hover', target: { elementIndex: form } });
  expect(await output(kit, surface)).toBe('sent');
  await surface.close();
});
