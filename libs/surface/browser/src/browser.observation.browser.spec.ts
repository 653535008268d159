import { observationSchema } from '@pilothouse/contract/observation/observation.schema';
import { type ElementKit, elementNamed, startElementKit, testContext } from './testing/browser-test-kit.ts';

let kit: ElementKit;
beforeAll(async () => void (kit = await startElementKit()));
afterAll(() => kit.close());

const words = async (body: string, level?: 'interactive' | 'view' | 'page') => {
  await kit.showPage(body);
  return (await kit.observe({ ...(level && { level }) })).elements.map(
    ({ interactive, role, name, fallbackName }) => `${interactive ? role : `(${role})`} ${name || `.${fallbackName}`}`,
  );
};

describe('element list', () => {
  it('lists native controls with role, name, value, state and tags', async () => {
    await kit.showPage(`
      <form><label>E-mail <input type="email" required value="a@b.c"></label>
      <input type="password" aria-label="Secret" value="hush">
      <input type="search" placeholder="Search the shop" autofocus>
      <label><input type="checkbox" checked> Terms</label>
      <select aria-label="Color"><option>Red<option selected>Green</select>
      <textarea readonly title="Notes">hello</textarea>
      <input aria-label="Age" aria-invalid="true" value="x">
      <button type="button" aria-expanded="false">Menu</button><button disabled>Send</button>
      <button aria-pressed="true">Bold</button><a href="/x">Home</a><details><summary>More</summary>text</details></form>`);
    await kit.page.focus('[type=search]');
    const observed = await kit.observe({ level: 'interactive' });
    expect(observationSchema.parse(observed.observation)).toEqual(observed.observation);
    expect(observed.text().split('\n').slice(1)).toEqual([
      'focus 2',
      '[0] textbox "E-mail" = "a@b.c" required',
      '[1] textbox "Secret" = "••••"',
      '[2] searchbox "Search the shop" search focused',
      '[3] checkbox "Terms" checked',
      '[4] combobox "Color" = "Green"',
      '[5] textbox "Notes" = "hello" readonly',
      '[6] textbox "Age" = "x" invalid',
      '[7] button "Menu" collapsed',
      '[8] button "Send" disabled',
      '[9] button "Bold" pressed',
      '[10] link "Home"',
      '[11] button "More" collapsed',
    ]);
    expect(observed.observation.focused).toBe(2);
    expect(JSON.stringify(observed.observation)).not.toContain('hush');
  });

  it('reports destinations of links and forms and the submit button, in view or not', async () => {
    await kit.showPage(`<form action="/pay?x=1" method="post"><input type="hidden" name="action"><input aria-label="Card">
      <label><input type="checkbox"> Keep</label><button type="button">Help</button><button formaction="/later">Later</button>
      <p style="margin-top:3000px"><button>Pay</button></form><a href="sub/page">Read</a>
      <form><input aria-label="Alone"></form><input aria-label="None"><button form="far">Far</button><form id="far"></form>`);
    await kit.page.evaluate('scrollTo(0, 0)');
    const top = (await kit.observe({ level: 'interactive' })).elements;
    await kit.page.evaluate('scrollTo(0, 9999)');
    const allElements = [
      ...top,
      ...(await kit.observe({ level: 'interactive' })).elements.filter(
        ({ name }) => !top.some((element) => element.name === name),
      ),
    ];
    expect(
      allElements.map(({ name, linkUrl: leads, submitButton: enter }) => [
        name,
        leads && new URL(leads).pathname,
        enter,
      ]),
    ).toEqual([
      ['Card', undefined, 'Later'],
      ['Keep', undefined, 'Later'],
      ['Help', undefined, undefined],
      ['Later', '/later', undefined],
      ['Pay', '/pay', undefined],
      ['Read', '/sub/page', undefined],
      ['Alone', undefined, ''],
      ['None', undefined, undefined],
      ['Far', expect.stringContaining('/show-'), undefined],
    ]);
  });

  it('names elements by the accessible name rules', async () => {
    expect(
      await words(
        `<span id="a">Delete</span><span id="b" hidden>row 7</span>
        <button aria-labelledby="a b" aria-label="no">no</button>
        <button aria-label="Close">×</button>
        <button><img alt="Print" src=""></button>
        <button><svg width="9" height="9"><title>Chart</title></svg></button>
        <button>Buy <span hidden>not</span><span aria-hidden="true">*</span> now</button>
        <a href="/" title="Up"><i></i>&#8203;<svg width="9" height="9"></svg></a>
        <input type="submit"><label for="f">City</label><input id="f" placeholder="Town">
        <button class="icon-cart" style="width:20px;height:20px"></button>`,
        'interactive',
      ),
    ).toEqual([
      'button Delete row 7',
      'button Close',
      'button Print',
      'button Chart',
      'button Buy now',
      'link \u200b',
      'button Submit',
      'textbox City',
      'button .icon-cart',
    ]);
  });

  it('lists elements with click listeners, however they are attached', async () => {
    const box = 'style="display:inline-block;width:20px;height:20px"';
    const ids = [
      'own',
      'attr',
      'prop',
      'pointer',
      'touch',
      'react',
      'svelte',
      'solid',
      'deleg',
      'cursor',
      'nothing',
      'hover',
      'key',
    ];
    await kit.showPage(`${ids.map((id) => `<span class="${id}" ${box} ${id === 'attr' ? 'onclick="1"' : ''}></span>`).join(' ')}
      <script>
        const q = (name) => document.querySelector('.' + name), no = () => {};
        q('own').addEventListener('click', no); q('prop').onclick = no; q('pointer').addEventListener('pointerdown', no);
        q('touch').addEventListener('touchstart', no, { passive: true }); q('hover').addEventListener('mouseenter', no);
        q('key').addEventListener('keydown', no);
        q('react')['__reactProps$x1'] = { onClick: no }; q('svelte').__click = no; q('solid').$$click = no;
        document.body['jQuery123'] = { events: { click: [{ selector: '.deleg' }] } };
        q('cursor').style.cursor = 'pointer';
      </script>`);
    const observed = await kit.observe();
    expect(observed.elements.map(({ fallbackName, role }) => [fallbackName, role])).toEqual(
      ids.slice(0, 10).map((id) => [id, 'clickable']),
    );
  });

  it('names focusable and draggable elements by their text and lists that text once', async () => {
    expect(
      await words(
        `<div tabindex="0">Row <b>one</b></div><div draggable="true">Card</div><div tabindex="0" aria-label="Named">not this</div>
        <div tabindex="0"><button>Inner</button> rest</div>`,
      ),
    ).toEqual(['focusable Row one', 'draggable Card', 'focusable Named', 'focusable Inner rest', 'button Inner']);
  });

  it('is not detectable by the page', async () => {
    await kit.showPage(`<span id="s" onclick="1">x</span><script>
      window.calls = []; const keys = () => Reflect.ownKeys(window).length + '/' + Reflect.ownKeys(document).length;
      window.before = keys();
      for (const name of ['addEventListener', 'dispatchEvent', 'removeEventListener'])
        EventTarget.prototype[name + 'Was'] = EventTarget.prototype[name];
      new MutationObserver(() => calls.push('mutation')).observe(document, { subtree: true, childList: true, attributes: true });
      window.after = () => keys() + [...document.querySelectorAll('*')].map((e) => e.attributes.length + Object.keys(e).length);
    </script>`);
    await kit.page.evaluate('window.first = null, window.first = after()');
    await kit.observe();
    await kit.observe();
    const page = await kit.page.evaluate(
      `({ calls, same: first === after(), native: EventTarget.prototype.addEventListener.toString(), leaked: 'getEventListeners' in window || 'elementSnapshot' in window })`,
    );
    expect(page).toEqual({
      calls: [],
      same: true,
      native: 'function addEventListener() { [native code] }',
      leaked: false,
    });
  });

  it('cannot be deceived about names by page scripts', async () => {
    await kit.showPage(`<button>Delete all</button><script>
      Element.prototype.getAttribute = () => 'Save'; Node.prototype.textContent = 'Save';
      Object.defineProperty(Element.prototype, 'ariaLabel', { get: () => 'Save' });
      Element.prototype.getBoundingClientRect = () => ({ left: 0, top: 0, width: 0, height: 0 });
      Array.prototype.push = () => 0; JSON.stringify = () => '{}'; WeakMap.prototype.get = () => 3;
    </script>`);
    expect((await kit.observe()).elements.map(({ name }) => name)).toEqual(['Delete all']);
  });

  it('lists only visible elements that can be hit', async () => {
    expect(
      await words(
        `<style>button{width:90px}</style>
        <button style="display:none">none</button><button style="visibility:hidden">hidden</button>
        <div style="opacity:0"><button>clear</button></div>
        <div style="width:50px;height:20px;overflow:hidden"><button style="margin-left:60px">cut off</button></div>
        <div style="width:100px;height:20px;overflow:hidden"><button style="margin-left:40px;height:20px">half</button></div>
        <div style="position:relative"><button>under</button><div style="position:absolute;inset:0;background:#fff"></div></div>
        <div style="height:0;overflow:visible"><button style="position:fixed;right:0;top:0">fixed</button></div>
        <button style="position:absolute;left:-900px">left</button><button style="position:absolute;top:2000px">below</button>
        <button style="position:absolute;top:300px;pointer-events:none" disabled>dead</button>`,
        'interactive',
      ),
    ).toEqual(['button half', 'button fixed', 'button dead']);
  });

  it('uses the label of a hidden box', async () => {
    await kit.showPage(`<style>input{position:absolute;opacity:0;width:0;height:0}</style>
      <input type="checkbox" id="c"><label for="c">Wifi</label><label>Agree <input type="radio"></label>`);
    const observed = await kit.observe({ level: 'interactive' });
    expect(observed.elements.map(({ role, name }) => `${role} ${name}`)).toEqual(['checkbox Wifi', 'radio Agree']);
    const { x, y } = await observed.point(0, testContext(3000));
    await kit.page.mouse.click(x, y);
    expect((await kit.observe()).elements[0]?.state).toEqual({ checked: true, focused: true });
  });

  it('reads open and closed shadow roots and slots', async () => {
    await kit.showPage(`<x-open><b slot="s">Slotted</b><b>Lost</b></x-open><x-closed></x-closed><script>
      document.querySelector('x-open').attachShadow({ mode: 'open' }).innerHTML = '<button><slot name="s"></slot></button><i class="in" style="display:inline-block;width:9px;height:9px"></i>';
      document.querySelector('x-open').shadowRoot.querySelector('i').onclick = () => {};
      const closed = document.querySelector('x-closed').attachShadow({ mode: 'closed' });
      closed.innerHTML = '<button>Inside</button><i class="deep" style="display:inline-block;width:9px;height:9px"></i>';
      closed.querySelector('i').onclick = () => {};
    </script>`);
    const observed = await kit.observe({ level: 'interactive' });
    expect(observed.elements.map(({ role, name, fallbackName }) => `${role} ${name || fallbackName}`)).toEqual([
      'button Slotted',
      'clickable in',
      'button Inside',
      'clickable deep',
    ]);
    await expect(observed.handle(elementNamed(observed, 'Inside').index, testContext(3000))).rejects.toMatchObject({
      code: 'TARGET_NOT_ACTIONABLE',
    });
  });

  it('reads same-site, nested and cross-site frames', async () => {
    kit.serve('/inner', '<button>Inner</button>');
    kit.serve(
      '/mid',
      `<body style="margin:0"><button>Mid</button><iframe src="/inner" style="border:5px solid"></iframe></body>`,
    );
    kit.serve(
      '/far',
      `<body style="margin:0"><button id="far" style="position:absolute;left:0;top:0">Far</button><br><span class="deep" onclick="1">x</span><iframe src="${kit.url('/inner')}"></iframe></body>`,
    );
    await kit.showPage(`<button>Top</button><iframe src="/mid" style="width:400px;height:260px;margin-left:30px"></iframe>
      <div style="position:relative"><iframe src="${kit.url('/far', true)}" style="width:400px;height:200px;transform-origin:0 0;transform:scale(.5)"></iframe></div><button>End</button>`);
    await kit.page.frameLocator('iframe >> nth=1').frameLocator('iframe').locator('button').waitFor();
    const observed = await kit.observe({ level: 'interactive' });
    expect(
      observed.elements.map(
        ({ name, frame }) => `${name}${frame ? ` ${new URL(frame).hostname}${new URL(frame).pathname}` : ''}`,
      ),
    ).toEqual([
      'Top',
      'Mid 127.0.0.1/mid',
      'Inner 127.0.0.1/inner',
      'Far localhost/far',
      'x localhost/far',
      'Inner 127.0.0.1/inner',
      'End',
    ]);
    const click = async (name: string) => {
      const { x, y } = await observed.point(elementNamed(observed, name).index, testContext(3000));
      await kit.page.mouse.click(x, y);
    };
    const far = kit.page.frameLocator('iframe >> nth=1');
    await far.locator('#far').evaluate((element) => element.addEventListener('click', () => element.remove()));
    const frame = await kit.page.locator('iframe >> nth=1').boundingBox();
    const { bounds } = elementNamed(observed, 'Far');
    expect(bounds.x).toBe(Math.round((frame?.x ?? 0) + 1));
    expect(bounds.y).toBe(Math.round((frame?.y ?? 0) + 1));
    expect(bounds.height).toBe(11);
    await click('Far');
    expect(await far.locator('#far').count()).toBe(0);
  });

  it('reads cross-origin frames in the process of the page', async () => {
    kit.serve('/home', '<button>Home</button>');
    kit.serve(
      '/door',
      `<body style="margin:0"><button style="display:block">Door</button><span class="x" onclick="1">y</span>
      <iframe srcdoc="<button>Own</button>" style="width:90px;height:40px"></iframe>
      <iframe src="${kit.url('/home')}" style="width:90px;height:40px"></iframe></body>`,
    );
    kit.serve('/abroad', `<body style="margin:0"><iframe src="${kit.otherOriginUrl('/door')}"></iframe></body>`);
    await kit.showPage(`<button>Top</button>
      <iframe src="${kit.otherOriginUrl('/door')}" style="border:0;transform-origin:0 0;transform:scale(.5)"></iframe>
      <iframe src="${kit.url('/abroad', true)}" style="width:360px;height:200px"></iframe>
      <iframe sandbox srcdoc="<button>Sandboxed</button>"></iframe><button>End</button>`);
    const deepest = kit.page.frameLocator('iframe >> nth=1').frameLocator('iframe').frameLocator('iframe >> nth=1');
    await deepest.locator('button').waitFor();
    const observed = await kit.observe({ level: 'interactive' });
    expect(observed.observation.opaqueRegions).toEqual([]);
    const inDoor = ['Door /door', 'y /door', 'Own srcdoc', 'Home /home'];
    expect(observed.elements.map(({ name, frame }) => `${name}${frame ? ` ${new URL(frame).pathname}` : ''}`)).toEqual([
      'Top',
      ...inDoor,
      ...inDoor,
      'Sandboxed srcdoc',
      'End',
    ]);
    const box = await kit.page.locator('iframe >> nth=0').boundingBox();
    const [door] = observed.elements.filter(({ name }) => name === 'Door');
    expect(door?.bounds).toMatchObject({ x: Math.round(box?.x ?? 0), y: Math.round(box?.y ?? 0) });
    const secondObservation = await kit.observe({ level: 'interactive' });
    expect(secondObservation.diff(observed)).toBe('nothing changed');
    /* Another document in the frame has separate elements. */
    const frame = kit.page.frames().find((candidate) => candidate.url() === kit.otherOriginUrl('/door'));
    await frame?.goto(kit.otherOriginUrl('/home'));
    const later = await kit.observe({ level: 'interactive' });
    expect(later.elements[1]).toMatchObject({ name: 'Home', frame: kit.otherOriginUrl('/home') });
    expect(observed.elements.map(({ index }) => index)).not.toContain(later.elements[1]?.index);
  });

  it('does not list frame content covered by the parent page', async () => {
    kit.serve(
      '/two',
      `<body style="margin:0"><button style="position:absolute;top:0">Free</button><button style="position:absolute;top:100px">Under</button></body>`,
    );
    const cover = '<div style="position:absolute;top:90px;left:0;width:300px;height:60px;background:#eee"></div>';
    for (const address of [kit.url('/two'), kit.url('/two', true), kit.otherOriginUrl('/two')]) {
      await kit.showPage(
        `<div style="position:relative"><iframe src="${address}" style="border:0"></iframe>${cover}</div>`,
      );
      expect((await kit.observe({ level: 'interactive' })).elements.map(({ name }) => name)).toEqual(['Free']);
    }
  });

  it('reports opaque regions', async () => {
    await kit.showPage(`<canvas aria-label="Map" width="200" height="100"></canvas>`);
    const { observation } = await kit.observe();
    expect(observation.opaqueRegions).toEqual([
      { kind: 'canvas', name: 'Map', bounds: { x: 8, y: 8, width: 200, height: 100 } },
    ]);
  });
});

describe('readable text', () => {
  it('lists blocks of text once, including their links', async () => {
    expect(
      await words(`<h1>Harbour <em>news</em></h1><p>See <a href="/t">the tides</a> today.</p><ul><li><a href="/a">Alone</a></li></ul>
        <table><tr><th>Ship<th>Quay<tr><td>Ada<td>7</table><button>Save <b>all</b></button><img alt="A ship" src="" width="30" height="30">
        <label>Name <input></label><script>"no"</script>`),
    ).toEqual([
      '(heading) Harbour news',
      '(paragraph) See the tides today.',
      'link the tides',
      'link Alone',
      '(row) Ship | Quay',
      '(row) Ada | 7',
      'button Save all',
      '(image) A ship',
      'textbox Name',
    ]);
  });

  it('omits covered and scrolled text, which the page text contains', async () => {
    await kit.showPage(`<p>Behind</p><p style="margin-top:3000px">Far below</p>
      <div role="dialog" style="position:fixed;inset:0;background:#fff"><p>Cookies?</p><button>Accept all</button></div>`);
    const view = await kit.observe();
    expect(view.text()).not.toMatch(/Behind|Far below/);
    expect(elementNamed(view, 'Accept all').tags).toEqual(['closer']);
    const wholePage = await kit.observe({ level: 'page' });
    expect(wholePage.observation.text?.text.split('\n')).toEqual(['Behind', 'Far below', 'Cookies?', 'Accept all']);
  });

  it('truncates long text and reports its length', async () => {
    await kit.showPage(`<button>${'x'.repeat(500)}</button><p>${'word '.repeat(1000)}</p>`);
    const observed = await kit.observe();
    const text = observed.text();
    expect(text).toContain('(4999 characters)');
    expect(text).toContain('(500 characters)');
    expect(text.length).toBeLessThan(700);
  });
});
