import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import { describeChanges, diffObservations } from './observation-diff.ts';
import { elementLine, observationText, truncateWithLength } from './observation-text.ts';

const element = (index: number, overrides: Partial<ElementView> = {}): ElementView => ({
  index,
  interactive: true,
  role: 'button',
  name: `B${index}`,
  state: {},
  tags: [],
  bounds: { x: 0, y: 0, width: 10, height: 10 },
  ...overrides,
});

const observationOf = (elements: ElementView[], overrides: Partial<Observation> = {}): Observation => ({
  url: 'https://a.example/',
  title: 'Shop',
  document: 1,
  loading: false,
  viewport: { width: 1280, height: 800 },
  scroll: { above: 0, below: 0 },
  focused: null,
  elements,
  opaqueRegions: [],
  ...overrides,
});

describe('the text of an observation', () => {
  it('names the other windows of a desktop, and the applications where none is active', () => {
    const windows = [{ app: 'thunar', title: 'root "home"' }];
    const applications = [{ id: 'org.xfce.mousepad', name: 'Mousepad' }];
    expect(observationText(observationOf([], { url: 'app://x/', windows, applications }))).toContain(
      'other windows: thunar "root \\"home\\""\nno window is active; applications: org.xfce.mousepad (Mousepad)',
    );
    expect(observationText(observationOf([]))).not.toMatch(/window|applications/);
  });

  it.each([
    ['unresponsive', 'incomplete: the application mousepad is not responding; wait, or use another window'],
    [
      'timeout',
      'incomplete: the application mousepad was too slow, elements are missing; observe again, or use the screenshot',
    ],
    [
      'truncated',
      'incomplete: the application mousepad shows more elements than listed; scroll, or use the screenshot',
    ],
    [
      'parser',
      'incomplete: the application mousepad lists no elements, and the screen parser failed; use the screenshot',
    ],
  ] as const)('names elements that are missing: %s', (reason, line) => {
    const observation = observationOf([element(1)], { incomplete: { reason, app: 'mousepad' } });
    expect(observationText(observation).split('\n')).toEqual(['Shop https://a.example/', '[1] button "B1"', line]);
  });

  it('adds the description of an element', () => {
    expect(elementLine(element(1, { description: 'Save the document' }))).toBe('[1] button "B1" (Save the document)');
  });

  it('has the location, pending changes, and one line per element', () => {
    const list = [
      element(0, {
        role: 'textbox',
        name: 'Find',
        value: 'tea',
        tags: ['search', 'required'],
        state: { focused: true },
      }),
      element(1, { role: 'clickable', name: '', fallbackName: 'trash' }),
      element(2, { interactive: false, role: 'heading', name: 'Teas' }),
      element(3, {
        role: 'checkbox',
        name: 'Only green',
        state: { checked: 'mixed', disabled: true },
        frame: 'https://b.example/f',
      }),
    ];
    const opaqueRegions = [
      { kind: 'closed-shadow-root' as const, name: 'x-map', bounds: { x: 1, y: 2, width: 3, height: 4 } },
    ];
    const observation = observationOf(list, {
      loading: true,
      focused: 0,
      scroll: { above: 10, below: 900 },
      opaqueRegions,
    });
    expect(observationText(observation).split('\n')).toEqual([
      'Shop https://a.example/',
      'loading, focus 0, 10 px above, 900 px below: scroll down to see more',
      '[0] textbox "Find" = "tea" search required focused',
      '[1] clickable .trash',
      '[2] heading Teas',
      'frame https://b.example/f:',
      '[3] checkbox "Only green" half checked disabled',
      'unseen: closed shadow root x-map, 3×4 at 1,2',
    ]);
    expect(observationText(observation, 'interactive')).not.toContain('Teas');
  });

  it('refers to the listed element that the text around an icon begins with', () => {
    const icon = (index: number, context: string, fields: Partial<ElementView> = {}) =>
      element(index, { role: 'clickable', name: '', fallbackName: 'bin', context, ...fields });
    const far = { x: 50, y: 0, width: 10, height: 10 };
    const list = [
      element(0, { role: 'row', name: 'Row 1' }),
      icon(1, '2 of 2 in "Row 1"'),
      element(2, { role: 'link', name: 'Rope' }),
      icon(3, 'in "Rope 12 m, in stock"', { bounds: far }),
      icon(4, 'in "Ropeway"'),
      element(5, { role: 'link', name: 'Details' }),
      element(6, { role: 'link', name: 'Details' }),
      icon(7, 'in "Details of the crate"'),
      icon(8, 'in "Dear crew"', { value: 'Dear crew' }),
      icon(9, 'in "Rope 12 m"', { frame: 'https://b.example/f' }),
    ];
    const lines = observationText(observationOf(list)).split('\n');
    expect(lines.filter((line) => line.includes('.bin'))).toEqual([
      '[1] clickable .bin 2 of 2 in [0]',
      '[3] clickable .bin beside [2]',
      '[4] clickable .bin in "Ropeway"',
      '[7] clickable .bin in "Details of the crate"',
      '[8] clickable .bin = "Dear crew"',
      '[9] clickable .bin in "Rope 12 m"',
    ]);
  });

  it('has the controls of a row in their cells, if a control has the whole text of its cell', () => {
    const row = element(3, { interactive: false, role: 'row', name: 'RL-1 | Rope | Rope | 64' });
    const beside = { x: 50, y: 0, width: 10, height: 10 };
    const list = [row, element(4, { role: 'link', name: 'Rope' }), element(5, { name: 'Buy' })];
    expect(observationText(observationOf(list)).split('\n').slice(1)).toEqual([
      '[3] row RL-1 | [4] link "Rope" | Rope | 64',
      '[5] button "Buy"',
    ]);
    const outside = [row, element(4, { role: 'link', name: 'Rope', bounds: beside })];
    expect(observationText(observationOf(outside))).toContain('[3] row RL-1 | Rope | Rope | 64\n[4] link "Rope"');
  });

  it('has the page text as a separate level, with its length', () => {
    const observation = observationOf([], { text: { text: 'abc', length: 70_000 } });
    expect(observationText(observation)).toContain('text of the page:\nabc… (70000 characters)');
    expect(observationText(observation, 'view')).not.toContain('abc');
    expect(observationText(observation, 'interactive')).toContain('no input elements');
  });

  it('truncates between characters, and shows the original length', () => {
    expect(truncateWithLength('short', 10)).toBe('short');
    expect(truncateWithLength('a'.repeat(12), 10)).toBe(`${'a'.repeat(10)}… (12 characters)`);
    expect(truncateWithLength('abc😀def', 4)).toBe('abc… (8 characters)');
    expect(elementLine(element(1, { name: 'x'.repeat(200), length: 900 }))).toContain('… (900 characters)"');
  });
});

describe('the difference of two observations', () => {
  it('lists new, changed and removed elements, but not moved ones', () => {
    const previous = observationOf([element(0), element(1), element(2)], { focused: 0 });
    const moved = element(2, { bounds: { x: 500, y: 5, width: 1, height: 1 } });
    const next = observationOf([element(0, { state: { pressed: true } }), moved, element(7, { name: 'New' })], {
      loading: true,
    });
    expect(diffObservations(previous, next).split('\n')).toEqual([
      'loading',
      'no focus',
      '- [1] button "B1"',
      '~ [0] button "B0" pressed',
      '+ [7] button "New"',
    ]);
    expect(diffObservations(next, next)).toBe('nothing changed');
  });

  it('refers to listed elements by index', () => {
    const previous = observationOf([element(0), element(1)]);
    const next = observationOf([element(0, { state: { pressed: true } }), element(7), element(8)], {
      url: 'https://a.example/b',
    });
    expect(describeChanges(previous, next).split('\n')).toEqual([
      'the address changed',
      'new: 7 8',
      'other: 0',
      'gone: button "B1"',
    ]);
  });

  it('is the whole text after a document change, even at the same URL', () => {
    const previous = observationOf([element(0)]);
    const next = observationOf([element(0)], { document: 2 });
    expect(diffObservations(previous, next)).toBe(observationText(next));
  });
});
