import { elementNamed, startElementKit, type ElementKit } from '../testing/browser-test-kit.ts';

// Destinations of input in a real Chromium.

const THIEF = 'https://thief.test';

let kit: ElementKit;
beforeAll(async () => {
  kit = await startElementKit();
}, 60_000);
afterAll(() => kit.close());

describe('destination of an element', () => {
  const rows: [string, string, string | undefined][] = [
    ['a link', `<a id=x href="${THIEF}/a">One</a>`, `${THIEF}/a`],
    ['a link with a base', `<base href="${THIEF}/b/"><a id=x href="c">One</a>`, `${THIEF}/b/c`],
    ['a link that opens a tab', `<a id=x target=_blank href="//thief.test/t">One</a>`, 'http://thief.test/t'],
    ['what stands in a link', `<a href="${THIEF}/a"><span tabindex=0 id=x>One</span></a>`, `${THIEF}/a`],
    [
      'a link of a drawing',
      `<svg width=90 height=30><a xlink:href="${THIEF}/s"><rect id=x tabindex=0 width=80 height=20></rect></a></svg>`,
      `${THIEF}/s`,
    ],
    [
      'a link in a shadow root around it',
      `<div id=host><button type=button id=x>One</button></div><script>host.attachShadow({mode:'open'}).innerHTML='<a href="${THIEF}/h"><slot></slot></a>'</script>`,
      `${THIEF}/h`,
    ],
    ['a script for an address', `<a id=x href="javascript:location.href='${THIEF}/j'">One</a>`, `${THIEF}/j`],
    ['the same, encoded', `<a id=x href="javascript:location=%22https:%2F%2Fthief.test%2Fj%22">One</a>`, `${THIEF}/j`],
    ['a script that opens nothing', `<a id=x href="javascript:track('${THIEF}/j')">One</a>`, undefined],
    ['a script of a click', `<button id=x type=button onclick="window.open('${THIEF}/o')">One</button>`, `${THIEF}/o`],
    ['a comment in a script', `<button id=x type=button onclick="location.reload() // again">One</button>`, undefined],
    ['a button of a form', `<form action="${THIEF}/f"><button id=x>One</button></form>`, `${THIEF}/f`],
    [
      'a button with an address of its own',
      `<form action="/own"><button id=x formaction="${THIEF}/g">One</button></form>`,
      `${THIEF}/g`,
    ],
    [
      'a button outside of its form',
      `<form id=f action="${THIEF}/f"></form><button id=x form=f>One</button>`,
      `${THIEF}/f`,
    ],
    [
      'what stands in a button',
      `<form action="${THIEF}/f"><button><b id=x tabindex=0>One</b></button></form>`,
      `${THIEF}/f`,
    ],
    [
      'a label of a button',
      `<form action="${THIEF}/f"><input type=submit id=s><label for=s id=x tabindex=0>One</label></form>`,
      `${THIEF}/f`,
    ],
    [
      'fields that are called as properties are',
      `<form action="${THIEF}/f"><input type=hidden name=action><input type=hidden name=parentNode><button id=x>One</button></form>`,
      `${THIEF}/f`,
    ],
    [
      'a form that closes its dialog',
      `<dialog open><form method=dialog><button id=x>One</button></form></dialog>`,
      undefined,
    ],
    [
      'a list that sends its form',
      `<form action="${THIEF}/f"><select id=x onchange="this.form.submit()"><option>One</select></form>`,
      `${THIEF}/f`,
    ],
    ['a list that does not', `<form action="${THIEF}/f"><select id=x><option>One</select></form>`, undefined],
  ];
  test.each(rows)('%s', async (_, body, leads) => {
    await kit.showPage(body);
    const observed = await kit.observe();
    const id = await kit.page.evaluate(() => document.querySelector('#x')?.localName ?? '');
    expect(id).not.toBe('');
    const interactiveElements = observed.elements.filter((element) => element.interactive);
    const target =
      interactiveElements.find(({ name, fallbackName }) => name === 'One' || fallbackName === 'x') ??
      interactiveElements[0];
    expect(target?.linkUrl).toBe(leads);
  });

  test('an image map leads to the area that leaves the site', async () => {
    await kit.showPage(
      `<img usemap="#m" alt="Map" width=90 height=40 src="data:,"><map name=m><area href="/here" coords="0,0,9,9"><area href="${THIEF}/m" coords="9,9,90,40"></map>`,
    );
    expect(elementNamed(await kit.observe(), 'Map').linkUrl).toBe(`${THIEF}/m`);
  });
});

describe('destinations of a form', () => {
  test('lists Enter first, then other buttons and the form itself', async () => {
    await kit.showPage(
      `<form action="/own"><input aria-label="Name"><textarea aria-label="Notes"></textarea><button formaction="${THIEF}/1">Go</button><button formaction="${THIEF}/2">Or</button></form><input aria-label="Free">`,
    );
    const observed = await kit.observe();
    const urls = [`${THIEF}/1`, `${THIEF}/2`, kit.url('/own')];
    expect(elementNamed(observed, 'Name')).toMatchObject({ formDestinations: { urls }, submitButton: 'Go' });
    expect(elementNamed(observed, 'Notes').formDestinations).toEqual({ urls });
    expect(elementNamed(observed, 'Free').formDestinations).toBeUndefined();
    expect(observed.text()).not.toContain('thief');
  });

  test('reports whether the form contains a password', async () => {
    await kit.showPage('<form action="/own"><input type=password aria-label="Password"><button>Log in</button></form>');
    expect(elementNamed(await kit.observe(), 'Log in').formDestinations).toEqual({ urls: [kit.url('/own')] });
    await kit.page.getByLabel('Password').fill('x');
    expect(elementNamed(await kit.observe(), 'Log in').formDestinations).toEqual({
      urls: [kit.url('/own')],
      secret: true,
    });
  });

  test('Enter in a form without a submit button may press its other buttons', async () => {
    await kit.showPage(
      '<form><input aria-label="Text"><button type=button>Send</button></form><button>Delete</button>',
    );
    expect(elementNamed(await kit.observe(), 'Text').submitButton).toBe('Send');
  });
});

describe('focused element', () => {
  test('is reported if it is not in the list', async () => {
    await kit.showPage(
      '<textarea aria-label="Editor content" style="position:absolute;width:1px;height:1px;opacity:0"></textarea><p>Text</p>',
    );
    expect((await kit.observe()).observation.focus).toBeNull();
    await kit.page.evaluate(() => document.querySelector('textarea')?.focus());
    expect((await kit.observe()).observation).toMatchObject({
      focused: null,
      focus: { role: 'textbox', name: 'Editor content' },
    });
  });

  test('is omitted if it is in the list', async () => {
    await kit.showPage('<input aria-label="Name">');
    await kit.page.getByLabel('Name').focus();
    const { observation } = await kit.observe();
    expect(observation.focus).toBeUndefined();
    expect(observation.focused).toBe(elementNamed(await kit.observe(), 'Name').index);
  });

  test('is reported in a frame of another site', async () => {
    kit.serve(
      '/inner',
      '<textarea aria-label="Inner" style="position:absolute;width:1px;height:1px;opacity:0" autofocus></textarea>',
    );
    await kit.showPage(`<iframe src="${kit.url('/inner', true)}" width=300 height=100></iframe>`);
    await kit.page.frameLocator('iframe').locator('textarea').focus();
    expect((await kit.observe()).observation).toMatchObject({
      focus: { name: 'Inner', frame: kit.url('/inner', true) },
    });
  });
});
