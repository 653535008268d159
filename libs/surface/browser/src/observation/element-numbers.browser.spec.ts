import { type ElementKit, startElementKit, testContext } from '../testing/browser-test-kit.ts';

let kit: ElementKit;
beforeAll(async () => void (kit = await startElementKit()));
afterAll(() => kit.close());

it('keeps the numbers of elements and reports added, changed and removed ones', async () => {
  await kit.showPage(`<button id="a">Ay</button><button id="b">Bee</button><button id="c">Cee</button>`);
  const previous = await kit.observe();
  await kit.page.evaluate(
    `b.remove(); c.textContent = 'Sea'; a.insertAdjacentHTML('beforebegin', '<button id=d>Dee</button>')`,
  );
  const next = await kit.observe();
  expect(next.elements.map(({ index, name }) => `${index} ${name}`)).toEqual(['3 Dee', '0 Ay', '2 Sea']);
  expect(next.diff(previous).split('\n')).toEqual(['- [1] button "Bee"', '~ [2] button "Sea"', '+ [3] button "Dee"']);
  expect(next.diff(next)).toBe('nothing changed');
});

it('keeps numbers when elements move and restarts them in a new document', async () => {
  await kit.showPage(`<ul id="list"><li><button>One</button><li><button>Two</button></ul>`);
  const first = await kit.observe({ level: 'interactive' });
  await kit.page.evaluate(`list.prepend(list.lastElementChild)`);
  const secondObservation = await kit.observe({ level: 'interactive' });
  expect(secondObservation.elements.map(({ index, name }) => `${index} ${name}`)).toEqual(['1 Two', '0 One']);
  await kit.page.reload();
  const anew = await kit.observe({ level: 'interactive' });
  expect(anew.elements.map(({ index, name }) => `${index} ${name}`)).toEqual(['0 One', '1 Two']);
  expect(anew.diff(first)).toContain('[0] button "One"');
  await expect(first.handle(0, testContext(2000))).rejects.toMatchObject({ code: 'TARGET_NOT_FOUND' });
});

it('returns the element of a number and fails if it was removed or replaced', async () => {
  await kit.showPage(
    `<button id="a" onclick="document.title='a'">Ay</button><button id="b">Bee</button><button id="c">Cee</button>`,
  );
  const observed = await kit.observe();
  const handle = await observed.handle(0, testContext(3000));
  await handle.click();
  expect(await kit.page.title()).toBe('a');
  await kit.page.evaluate(`b.remove(); c.textContent = 'Delete'`);
  await expect(observed.handle(1, testContext(3000))).rejects.toMatchObject({
    code: 'TARGET_NOT_FOUND',
    message: 'Element 1 (button "Bee") was removed; observe the page again',
  });
  await expect(observed.point(2, testContext(3000))).rejects.toMatchObject({
    message:
      'Element 2 (button "Cee") has changed since the last observation: it is now button "Delete"; observe the page again',
  });
  await expect(observed.handle(9, testContext(3000))).rejects.toMatchObject({ code: 'TARGET_NOT_FOUND' });
});

it('scrolls elements into view and reports what covers them', async () => {
  await kit.showPage(`<button id="a" onclick="document.title='hit'">Ay</button><div style="height:3000px"></div>`);
  const observed = await kit.observe();
  await kit.page.evaluate('scrollTo(0, 2000)');
  const { x, y } = await observed.point(0, testContext(3000));
  await kit.page.mouse.click(x, y);
  expect(await kit.page.title()).toBe('hit');
  await kit.page.evaluate(
    `document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;inset:0"></div>')`,
  );
  await expect(observed.point(0, testContext(3000))).rejects.toMatchObject({ code: 'TARGET_NOT_ACTIONABLE' });
});

// One element of each kind: in frames, shadow roots, scrolled boxes, transformed, overlapping, nested.
const zoo = (far: string, near: string) => `
  <style>span,i{display:inline-block;min-width:14px;min-height:14px} .card{padding:12px;border:1px solid}</style>
  <button>B</button><a href="#x">inline link that is long enough to break over two lines of this narrow column, I hope</a>
  <input value="t"><input type="checkbox"><label>L <input type="radio" style="opacity:0;position:absolute"></label>
  <select><option>1</select><textarea>x</textarea><span class="trash"></span><i role="button"></i>
  <div class="card" onclick="1">Card <button>In card</button><span class="own"></span></div>
  <div contenteditable>Edit</div><details><summary>S</summary></details><div tabindex="0">Focus</div>
  <div style="transform:rotate(30deg) scale(.8);width:90px"><button>Turned</button></div>
  <div style="height:40px;overflow:auto"><button style="margin-top:25px;height:60px">Peeking</button></div>
  <div style="position:relative;height:30px"><button style="position:absolute;width:200px">Half</button><div style="position:absolute;left:0;width:120px;height:30px;background:#eee"></div></div>
  <div style="display:contents"><button>Contents</button></div>
  <svg width="40" height="20"><rect class="shape" width="20" height="20"></rect></svg>
  <x-el></x-el><iframe srcdoc="<button>In frame</button><span class='f' onclick='1'>y</span>" style="width:200px;height:60px"></iframe>
  <iframe src="${far}" style="width:200px;height:60px"></iframe>
  <iframe src="${near}" style="width:200px;height:60px"></iframe>
  <script>
    for (const s of ['.trash', '.own', '.shape']) document.querySelector(s).addEventListener('pointerdown', () => {});
    const root = document.querySelector('x-el').attachShadow({ mode: 'open' });
    root.innerHTML = '<button>Shadow</button><b class="sh" onclick="1">z</b>';
  </script>`;

it('reaches the element of every number by point and by handle', async () => {
  kit.serve('/far-zoo', `<button>Far away</button><span class="g" onclick="1">w</span>`);
  await kit.showPage(
    `<div style="width:300px;columns:1">${zoo(kit.url('/far-zoo', true), kit.otherOriginUrl('/far-zoo'))}</div>`,
  );
  for (const frame of ['iframe >> nth=1', 'iframe >> nth=2'])
    await kit.page.frameLocator(frame).locator('button').waitFor();
  const observed = await kit.observe({ level: 'interactive' });
  expect(observed.elements.length).toBeGreaterThanOrEqual(28);
  const failures: string[] = [];
  for (const { index, name, fallbackName, role, bounds } of observed.elements) {
    const handle = await observed.handle(index, testContext(10_000));
    // Each element records its events.
    await handle.evaluate((element) => {
      const label = (element as HTMLInputElement).labels?.[0];
      (element as unknown as { hits: number }).hits = 0;
      for (const node of label ? [element, label] : [element])
        node.addEventListener('mousedown', () => (element as unknown as { hits: number }).hits++);
    });
    const { x, y } = await observed.point(index, testContext(10_000));
    expect(x).toBeGreaterThanOrEqual(bounds.x - 1);
    expect(x).toBeLessThanOrEqual(bounds.x + bounds.width + 1);
    await kit.page.mouse.move(x, y);
    await kit.page.mouse.down();
    await kit.page.mouse.up();
    await kit.page.keyboard.press('Escape');
    const hits = await handle.evaluate((element) => (element as unknown as { hits: number }).hits);
    if (hits < 1) failures.push(`${index} ${role} ${name || fallbackName} at ${x},${y}`);
  }
  expect(failures).toEqual([]);
});
