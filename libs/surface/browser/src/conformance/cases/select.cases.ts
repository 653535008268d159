import { click, css, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

const FROM = 'page-select-option.spec.ts';

const colors = ['black', 'blue', 'brown', 'green', 'indigo']
  .map((color) => `<option value="${color}">${color[0]?.toUpperCase()}${color.slice(1)}</option>`)
  .join('');
const list = (attributes = '') =>
  `<select id="s" ${attributes} oninput="note('input:' + chosen())" onchange="note('change:' + chosen())"><option value="">None</option>${colors}</select>
   <script>const chosen = () => [...s.selectedOptions].map((one) => one.value).join(',');</script>`;
const select = (option: string | string[], kind?: 'label' | 'value' | 'index') =>
  ({ action: 'selectOption', target: css('#s'), option, ...(kind && { by: kind }) }) as const;
const later = (code: string) => `<script>setTimeout(() => { ${code} }, 200)</script>`;
const scarlet = `s.append(new Option('Scarlet', 'scarlet'))`;

const selects = (name: string, html: string, step: ReturnType<typeof select>, values: string): ConformanceCase => ({
  name,
  from: FROM,
  html,
  steps: [step],
  playwright: 'chooses',
  outcome: { notes: `input:${values} change:${values}` },
});

/** Choices in select boxes. */
export const selectCases: ConformanceGroup = {
  name: 'select',
  cases: [
    selects('by value or label', list(), select('blue'), 'blue'),
    selects('by value', list(), select('blue', 'value'), 'blue'),
    selects('by label', list(), select('Indigo', 'label'), 'indigo'),
    selects('by index', list(), select('2', 'index'), 'blue'),
    selects('several', list('multiple'), select(['blue', 'green']), 'blue,green'),
    selects('an option that comes later', list() + later(scarlet), select('scarlet'), 'scarlet'),
    selects('an index that comes later', list() + later(scarlet), select('6', 'index'), 'scarlet'),
    selects(
      'one of several that comes later',
      list('multiple') + later(scarlet),
      select(['green', 'scarlet']),
      'green,scarlet',
    ),
    selects('a list that is enabled later', list('disabled') + later('s.disabled = false'), select('blue'), 'blue'),
    selects('a list that is shown later', list('hidden') + later('s.hidden = false'), select('blue'), 'blue'),
    {
      name: 'events bubble',
      from: FROM,
      html: `<div oninput="note('input')" onchange="note('change')"><select id="s"><option>a<option>blue</select></div>`,
      steps: [select('blue')],
      playwright: 'bubbles',
      outcome: { notes: 'input change' },
    },
    {
      name: 'a choice that leads to another page',
      from: FROM,
      html: `<select id="s" oninput="location.href = 'PATH/next'"><option>a<option>blue</select>`,
      documents: { '/next': `<script>note('arrived')</script>` },
      steps: [select('blue')],
      playwright: 'chooses, then follows',
      outcome: { notes: 'arrived' },
    },
    {
      name: 'no list',
      from: FROM,
      html: '<div id="s">blue</div>',
      steps: [select('blue')],
      playwright: 'error',
      outcome: { error: 'ACTION_UNSUPPORTED', message: 'not a <select>, listbox or combobox' },
    },
    ...[click('#o'), { action: 'selectOption' as const, target: css('#o'), option: 'blue' }].map((step) => ({
      name: `${step.action} on an option of a closed list`,
      from: step.action === 'click' ? null : FROM,
      html: '<select id="s"><option>a<option id="o">blue</select>',
      steps: [step],
      timeoutMs: 1200,
      playwright: step.action === 'click' ? 'times out: not visible' : 'error: not a <select>',
      outcome: { error: 'TARGET_NOT_FOUND', message: 'choose it by `selectOption` with the list as target' },
    })),
    {
      name: 'several in a list of one',
      from: FROM,
      html: list(),
      steps: [select(['blue', 'green'])],
      playwright: 'chooses the first',
      ours: 'error',
      deviation: 'a workflow that names two options expects two; the second would be lost without an error',
      outcome: { error: 'ACTION_UNSUPPORTED', message: 'takes one option, not 2' },
    },
    {
      name: 'no such option',
      from: FROM,
      html: list(),
      steps: [select('red')],
      timeoutMs: 2000,
      playwright: 'error when the time is over',
      outcome: { error: 'TARGET_NOT_FOUND', message: 'has no option "red"' },
    },
    {
      name: 'a disabled option',
      from: 'elementhandle-select-option.spec.ts',
      html: '<select id="s"><option>a<option disabled>blue</select>',
      steps: [select('blue')],
      timeoutMs: 2000,
      playwright: 'error when the time is over',
      outcome: { error: 'TARGET_NOT_ACTIONABLE', message: 'is disabled' },
    },
    {
      name: 'a page that replaces Event',
      from: FROM,
      html: `${list()}<script>window.Event = null</script>`,
      steps: [select('blue')],
      playwright: 'chooses',
      ours: 'error',
      deviation: 'events are created in the page, which needs its Event class',
      outcome: { error: 'TARGET_NOT_ACTIONABLE' },
    },
  ],
};
