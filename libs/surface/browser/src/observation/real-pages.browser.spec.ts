import { elementNamed, startElementKit, type ElementKit } from '../testing/browser-test-kit.ts';

// Widgets of real applications: node editors with ports, loading screens, overlays in transition.

let kit: ElementKit;
beforeAll(async () => {
  kit = await startElementKit();
}, 60_000);
afterAll(() => kit.close());

test('names nodes of a drawing by their titles and ports by their surroundings', async () => {
  await kit.showPage(`<svg width=400 height=200>
    <g id=a><title>Fetch orders</title><rect tabindex=0 width=80 height=40 aria-label="Node one"></rect>
      <circle class="port in" tabindex=0 cx=10 cy=60 r=8></circle><circle class="port out" tabindex=0 cx=60 cy=60 r=8></circle></g>
    <g tabindex=0 transform="translate(200 0)"><title>Send report</title><rect width=80 height=40></rect></g></svg>
    <div style="position:absolute;left:10px;top:250px"><b>Node B</b><i class=handle tabindex=0 style="display:inline-block;width:9px;height:9px"></i></div>`);
  const observed = await kit.observe();
  expect(elementNamed(observed, 'Node one').role).toBe('focusable');
  expect(elementNamed(observed, 'Send report').interactive).toBe(true);
  const contexts = observed.elements.filter(({ context }) => context).map(({ context }) => context);
  expect(contexts).toEqual(['1 of 2 in "Fetch orders"', '2 of 2 in "Fetch orders"', 'in "Node B"']);
  expect(observed.text()).toContain('.port.in 1 of 2 in "Fetch orders"');
});

test.each<[string, string, boolean]>([
  ['a loading screen', '<div style="height:600px">Loading…</div>', true],
  ['a text about loading', '<p>Loading docks are open from 8 to 18</p><p>Port</p><a href="/x">More</a>', false],
  ['a bar without a value', '<div role=progressbar style="width:300px;height:9px"></div>', true],
  [
    'the same beside what takes input',
    '<div role=progressbar style="width:300px;height:9px"></div><button>Go</button>',
    false,
  ],
  ['a part that says that it is at work', '<main aria-busy=true style="height:600px"><button>Go</button></main>', true],
  ['a small part that does', '<p aria-busy=true style="height:20px">One</p><button>Go</button>', false],
  [
    'an overlay that goes',
    '<style>@keyframes f{to{opacity:0}}</style><div style="position:fixed;inset:0;background:#000a;animation:f .8s"></div><button>Go</button>',
    true,
  ],
  [
    'something large that moves all the time',
    '<style>@keyframes f{to{opacity:.5}}</style><div style="height:600px;animation:f 1s infinite"></div><button>Go</button>',
    false,
  ],
])('a page with %s', async (_, body, busy) => {
  await kit.showPage(body);
  expect((await kit.observe()).observation.busy === true).toBe(busy);
});
