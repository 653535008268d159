import { startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => void (kit = await startKit()));
afterAll(() => kit.close());

it('adds the locators that match an element and no other', async () => {
  const surface = await kit.showPage(`
    <label>E-mail <input id="email" data-testid="login-email"></label>
    <main><p><button id="r-1234">Save</button><button>Save</button></p></main><div hidden><button>Send</button></div>`);
  const { elements } = await surface.observe({ locators: true }, testContext(20_000));
  const [email, save, second] = elements.filter(({ interactive }) => interactive);
  expect(email?.locators?.slice(0, 4)).toEqual([
    { role: 'textbox', name: 'E-mail', exact: true },
    { label: 'E-mail', exact: true },
    { testId: 'login-email' },
    { css: '#email' },
  ]);
  for (const element of [save, second]) {
    expect(element?.locators).not.toContainEqual({ role: 'button', name: 'Save', exact: true });
    expect(element?.locators).not.toContainEqual({ css: '#r-1234' });
  }
  for (const target of [...(save?.locators ?? []), ...(second?.locators ?? [])])
    await kit.act(surface, { action: 'hover', target });
});

it('waits until the page is settled', async () => {
  kit.serve('/late', (_request, response) => void setTimeout(() => response.end('Late'), 600));
  const surface = await kit.showPage(
    `<p>Loading</p><script>fetch('/late').then((it) => it.text()).then((it) => {
      document.body.innerHTML = '<button>' + it + '</button>';
    })</script>`,
  );
  const { elements } = await surface.observe({ locators: true }, testContext(20_000));
  expect(elements).toMatchObject([
    {
      name: 'Late',
      locators: [
        { role: 'button', name: 'Late', exact: true },
        { text: 'Late', exact: true },
      ],
    },
  ]);
});

it('observes a page that never settles as it is', async () => {
  kit.serve('/open', () => undefined);
  const surface = await kit.showPage(`<button>Here</button><script>fetch('/open')</script>`);
  const { elements } = await surface.observe({ locators: true }, testContext(20_000));
  expect(elements).toMatchObject([
    {
      name: 'Here',
      locators: [
        { role: 'button', name: 'Here', exact: true },
        { text: 'Here', exact: true },
      ],
    },
  ]);
});

it('the action lists them below each element', async () => {
  const surface = await kit.showPage('<button data-testid="save">Save</button>');
  const { value } = await kit.act(surface, { action: 'observe', locators: true });
  expect(String(value).split('\n').slice(1)).toEqual([
    '[0] button "Save"',
    '    { role: button, name: Save, exact: true }',
    '    { testId: save }',
  ]);
});

it('locates elements in frames through their frame', async () => {
  kit.serve('/inner', '<button>Inner</button>');
  const surface = await kit.showPage('<iframe id="pay" src="/inner" width="300" height="100"></iframe>');
  const { elements } = await surface.observe({ level: 'interactive', locators: true }, testContext(20_000));
  const [target] = elements.find(({ name }) => name === 'Inner')?.locators ?? [];
  expect(target).toMatchObject({ role: 'button', name: 'Inner', exact: true, within: { css: '#pay' } });
});
