import type { NativeCall } from '@pilothouse/contract/model/native-turn.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { AnswerContext } from '../../tools/action-arguments.ts';
import { parseAnswer } from '../read-answer.ts';

const roles = new Map([
  [3, 'combobox'],
  [4, 'textbox'],
]);

const parse = (...members: [name: string, args: Record<string, Json>][]) => parseWith({}, ...members);

function parseWith(fields: Partial<AnswerContext>, ...members: [name: string, args: Record<string, Json>][]) {
  const calls = members.map(([name, args], index): NativeCall => ({
    ...{ id: `${index}`, name, args, toolset: 'browser', checks: [] },
  }));
  return parseAnswer(
    { text: '', calls: [], native: { tool: 'browser_toolset_20260801', blocks: [], calls } },
    {
      surface: 'browser',
      focused: null,
      image: { width: 1000, height: 500 },
      secrets: [],
      roleOf: (index) => roles.get(index),
      ...fields,
    },
  );
}
const ref = (index: number): Json => ({ type: 'ref', ref: `ref_${index}` });
const coordinate = (x: number, y: number): Json => ({ type: 'coordinate', x, y });
const element = (elementIndex: number) => ({ elementIndex });

test.each<[string, Record<string, Json>, unknown[]]>([
  ['left_click', { target: ref(7) }, [{ action: 'click', target: element(7) }]],
  ['left_click', { target: { type: 'ref', ref: '7' } }, [{ action: 'click', target: element(7) }]],
  [
    'double_click',
    { target: coordinate(500, 250) },
    [{ action: 'click', target: { point: { x: 500, y: 500 } }, count: 2 }],
  ],
  [
    'left_click',
    { target: ref(7), modifiers: 'ctrl' },
    [{ action: 'click', target: element(7), modifiers: ['Control'] }],
  ],
  ['hover', { target: ref(2) }, [{ action: 'hover', target: element(2) }]],
  ['form_input', { target: ref(4), value: 'rope' }, [{ action: 'fill', target: element(4), text: 'rope' }]],
  ['form_input', { target: ref(3), value: 'Large' }, [{ action: 'selectOption', target: element(3), option: 'Large' }]],
  ['form_input', { target: ref(5), value: true }, [{ action: 'check', target: element(5) }]],
  ['form_input', { target: ref(5), value: false }, [{ action: 'uncheck', target: element(5) }]],
  [
    'file_upload',
    { target: ref(6), document_ids: ['order'] },
    [{ action: 'upload', target: element(6), file: 'order' }],
  ],
  ['scroll_to', { target: ref(9) }, [{ action: 'scroll', target: element(9) }]],
  ['navigate', { url: 'https://shop.test/' }, [{ action: 'navigate', url: 'https://shop.test/' }]],
  ['navigate', { url: 'back' }, [{ action: 'goBack' }]],
  [
    'key',
    { text: 'ctrl+a Delete' },
    [
      { action: 'press', key: 'Control+a' },
      { action: 'press', key: 'Delete' },
    ],
  ],
  [
    'key',
    { text: 'ctrl++ Delete' },
    [
      { action: 'press', key: 'Control++' },
      { action: 'press', key: 'Delete' },
    ],
  ],
  ['read_page', { filter: 'interactive' }, [{ kind: 'see' }]],
  ['find', { query: 'the search field' }, [{ kind: 'see' }]],
  ['get_page_text', { tab_id: '1' }, [{ kind: 'see' }]],
])('%s %j', (name, args, actions) => {
  const answer = parse([name, args]);
  expect(answer.problems).toEqual([]);
  expect(answer.actions.map((planned) => (planned.kind === 'act' ? planned.action : planned))).toEqual(actions);
});

test.each<[string, Record<string, Json>, RegExp]>([
  ['javascript_exec', { code: 'fetch("/")' }, /javascript_exec is disabled/],
  ['read_network', {}, /read_network is disabled/],
  ['read_console', {}, /read_console is disabled/],
  ['left_click', { target: { type: 'ref', ref: 'main > a' } }, /not an element of the list/],
  ['left_click', { target: coordinate(1001, 5) }, /outside the screen/],
  ['new_tab', {}, /new_tab is disabled/],
  ['left_click', { target: ref(1), tab_id: '2' }, /the current tab is 1; call switch_tab first/],
  ['switch_tab', { tab_id: '2' }, /no tab has the id "2"/],
  ['scroll', { target: ref(1), scroll_direction: 'down' }, /`scroll` needs a coordinate, not a ref/],
  ['key', { text: 'Tab Delete', repeat: 11 }, /`repeat` is an integer from 1 to 10/],
  ['file_upload', { target: ref(6), paths: ['/etc/passwd'] }, /name a file of the goal/],
])('refuses the whole turn for %s %j', (name, args, reason) => {
  const answer = parse(['left_click', { target: ref(7) }], [name, args]);
  expect(answer.actions).toEqual([]);
  expect(answer.problems).toEqual([expect.stringMatching(reason)]);
});

describe('tabs', () => {
  const tabs = { tabCount: 3, currentTab: 1 };
  test.each<[string, Record<string, Json>, object[]]>([
    ['switch_tab', { tab_id: '3' }, [{ action: 'switchTab', index: 2 }, { kind: 'see' }]],
    ['close_tab', { tab_id: '1' }, [{ action: 'closeTab', index: 0 }, { kind: 'see' }]],
    ['list_tabs', {}, [{ kind: 'see' }]],
    ['left_click', { target: ref(1), tab_id: '2' }, [{ action: 'click', target: element(1) }]],
  ])('%s %j', (name, args, actions) => {
    const answer = parseWith(tabs, [name, args]);
    expect(answer.problems).toEqual([]);
    expect(answer.actions.map((planned) => (planned.kind === 'act' ? planned.action : planned))).toEqual(actions);
  });

  test('calls after a switch are not executed, because the model has not seen the tab', () => {
    const answer = parseWith(tabs, ['switch_tab', { tab_id: '1' }], ['left_click', { target: coordinate(5, 5) }]);
    expect(answer.actions).toMatchObject([{ action: { action: 'switchTab' } }, { kind: 'see' }]);
  });
});
