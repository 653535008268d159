import { expectFailure, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

describe('text condition', () => {
  test.each<[string, string, string, boolean]>([
    ['is found in one element', '<p>The order was sent</p>', 'order was sent', true],
    ['whatever its case', '<p>The ORDER was sent</p>', 'order was Sent', true],
    ['over white space of any kind', '<p>The order\n\n   was&#9;sent</p>', ' order  was sent', true],
    ['over soft hyphens and spaces of no width', '<p>Or&shy;der&#8203;ed</p>', 'ordered', true],
    ['over the elements within one', '<p>The <b>order</b> was<i> sent</i></p>', 'order was sent', true],
    ['not over a line break, as Playwright has it', '<p>one<br>two</p>', 'one two', false],
    ['on a button of a form', '<input type="submit" value="Send it">', 'send it', true],
    ['not in a field', '<input value="Send it">', 'send it', false],
    ['not in a script', '<p>-</p><script>const said = "order was sent";</script>', 'order was sent', false],
    ['not where it is hidden', '<p style="display:none">order was sent</p>', 'order was sent', false],
    [
      'in a shadow root, and in what stands in its slot',
      '<div id="h"><span>was</span></div><script>h.attachShadow({ mode: "open" }).innerHTML = "<p>order sent <slot></slot></p>"</script>',
      'order sent',
      true,
    ],
    ['in a frame', '<iframe srcdoc="<p>order was sent</p>"></iframe>', 'order was sent', true],
    ['not in the title', '<p>-</p>', 'Page', false],
  ])('%s', async (_, body, text, is) => {
    const surface = await kit.showPage(body);
    expect(await surface.isMet({ text }, testContext(5000))).toBe(is);
    await surface.close();
  });

  test('is met as soon as the text appears', async () => {
    const surface = await kit.showPage(
      '<p id="p">-</p><script>setTimeout(() => { p.textContent = "It came"; }, 300)</script>',
    );
    await surface.expect({ text: 'it came' }, testContext(5000));
    await surface.close();
  });
});

test.each<[string, string, boolean]>([
  ['a link', '<a id="next" href="#2">Next</a>', true],
  ['a button that is disabled', '<button id="next" disabled>Next</button>', false],
  ['a link that says so by ARIA', '<a id="next" href="#2" aria-disabled="true">Next</a>', false],
  ['a link with a class', '<a id="next" class="page-link is-disabled" href="#2">Next</a>', false],
  [
    'a link of a list item with a class',
    '<ul><li class="page-item disabled"><a id="next" href="#2">Next</a></ul>',
    false,
  ],
  ['a link that takes no pointer', '<a id="next" style="pointer-events: none" href="#2">Next</a>', false],
  ['a class that says something else', '<a id="next" class="disabled-once" href="#2">Next</a>', true],
  ['invisible element', '<a id="next" style="display: none" href="#2">Next</a>', false],
])('whether %s can be used', async (_, body, isSo) => {
  const surface = await kit.showPage(body);
  expect(await surface.isMet({ enabled: { css: '#next' } }, testContext(3000))).toBe(isSo);
  await surface.close();
});

test.each<[string, { equals?: number; min?: number; max?: number }, boolean]>([
  ['exactly so many', { equals: 2 }, true],
  ['exactly so many, but there are others', { equals: 3 }, false],
  ['at least', { min: 2 }, true],
  ['at least, but there are fewer', { min: 3 }, false],
  ['at most', { max: 2 }, true],
  ['at most, but there are more', { max: 1 }, false],
  ['between', { min: 1, max: 5 }, true],
])('a count: %s', async (_, bounds, isSo) => {
  const surface = await kit.showPage('<p>a</p><p>b</p><p hidden>c</p>');
  expect(await surface.isMet({ count: { target: { css: 'p' }, ...bounds } }, testContext(3000))).toBe(isSo);
  await surface.close();
});

test('waits for a count and reports the actual count', async () => {
  const surface = await kit.showPage(
    `<ul id="l"></ul><script>setTimeout(() => { l.innerHTML = '<li>a<li>b' }, 300)</script>`,
  );
  await surface.expect({ count: { target: { css: 'li' }, equals: 2 } }, testContext(5000));
  await surface.expect({ count: { target: { css: 'b' }, equals: 0 } }, testContext(5000));
  await expect(surface.expect({ count: { target: { css: 'li' }, min: 3 } }, testContext(1000))).rejects.toMatchObject({
    code: 'CONDITION_NOT_MET',
    message: expect.stringContaining('css=li is visible 2 times, not at least 3'),
  });
  await surface.close();
});

test('reports a missing element with the existing ones', async () => {
  const surface = await kit.showPage('<button>Store</button><button>Help</button>');
  const error = await expectFailure(surface.expect({ visible: { role: 'button', name: 'Save' } }, testContext(1500)));
  expect(error).toMatchObject({
    code: 'CONDITION_NOT_MET',
    message: expect.stringContaining('There is button: "Store", "Help"'),
    details: { nearby: [{ kind: 'button', names: ['Store', 'Help'] }] },
  });
  await surface.close();
});
