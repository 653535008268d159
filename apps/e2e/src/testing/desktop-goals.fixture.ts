import type { ModelCall } from '@pilothouse/contract/model/model.schema';
import { call, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { libreOfficeProfile } from '@pilothouse/testing/libreoffice-profile';

/** A goal on a desktop, the policy that reaches it, and the file that shows its effect. */
export interface DesktopGoal {
  readonly title: string;
  /** Name of the workflow. */
  readonly name: string;
  readonly definition: { readonly steps: readonly object[]; readonly [field: string]: unknown };
  readonly inputs?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly policy: ScriptedPolicy;
  /** Path of the file, and its text afterwards. */
  readonly file: string;
  readonly text: string;
  /** Answer of the goal. */
  readonly output?: string;
  /** Inputs of the compiled workflow that differ, the text that it then writes, and its output. */
  readonly replay?: {
    readonly inputs: Readonly<Record<string, string>>;
    readonly text: string;
    readonly output?: string;
  };
}

const string = { type: 'string' };
const goal = (text: string, fields: object = {}) => ({ action: 'goal', id: 'goal', goal: text, ...fields });
const openApp = (app: string, ...args: string[]) => ({ action: 'openApp', app, args });
const files = (contents: Readonly<Record<string, string>>) => ({
  desktop: { profile: { files: Object.entries(contents).map(([path, text]) => ({ path, text })) } },
});
const file = (path: string, text: string) => files({ [path]: text });
const done = (title: string, answer = ''): ModelCall[] => [
  call('done', { answer, app_or_title: title, indicators: [] }),
];
/** Title of the active window. */
const titleOf = (page: string): string => page.split(' app://', 1)[0] ?? '';

/** LibreOffice shows its window before it takes input. A workflow has no agent that looks first. */
const untilCalcTakesInput = {
  ...{ action: 'waitFor', timeout: 60 },
  condition: { enabled: { role: 'button', name: 'Export Directly as PDF' }, visible: { role: 'gridcell', name: 'A1' } },
};

export const desktopGoals: readonly DesktopGoal[] = [
  {
    title: 'writes a text in Mousepad, and saves it by its menu',
    name: 'write-note',
    inputs: { text: 'Grüße ✓ an Ada', file: 'notes.txt' },
    definition: {
      inputs: { text: string, file: string },
      output: '{{steps.goal.value}}',
      steps: [
        goal('Write “{{inputs.text}}” into a new file {{inputs.file}}', { expect: { title: '{{inputs.file}}' } }),
      ],
    },
    policy: ({ page }) => {
      if (page.includes('no window is active')) return [call('openApp', { app: 'Mousepad', app_or_title: 'mousepad' })];
      if (titleOf(page) === 'Save As')
        return [call('fillFileDialog', { path: 'notes.txt', app_or_title: 'notes.txt' })];
      if (titleOf(page).includes('notes.txt')) return done('notes.txt', 'Grüße ✓ an Ada');
      return page.includes('Grüße')
        ? [call('selectMenuItem', { items: ['File', 'Save As…'], app_or_title: 'Save As' })]
        : [call('type', { text: 'Grüße ✓ an Ada', indicators: ['Grüße'] })];
    },
    file: '{{inputs.file}}',
    text: 'Grüße ✓ an Ada',
    output: 'Grüße ✓ an Ada',
    replay: { inputs: { text: 'Für Grace 日本', file: 'other.txt' }, text: 'Für Grace 日本', output: 'Für Grace 日本' },
  },
  {
    title: 'renames a file in Thunar',
    name: 'rename-file',
    definition: {
      ...file('a.txt', 'one'),
      steps: [openApp('thunar'), goal('Rename a.txt to “b c.txt”')],
    },
    policy: (prompt) => {
      if (titleOf(prompt.page).startsWith('Rename'))
        return [
          call('type', { element: prompt.element(/textbox/), text: 'b c.txt' }),
          call('click', { element: prompt.element(/button "Rename"/), app_or_title: 'Thunar' }),
        ];
      if (prompt.page.includes('b c.txt'))
        return [call('done', { answer: '', app_or_title: 'Thunar', indicators: ['b c.txt'] })];
      const row = prompt.maybe(/gridcell "a\.txt"/);
      return row === undefined
        ? [call('press', { key: 'Control+2', indicators: ['a.txt'] })]
        : [call('click', { element: row }), call('press', { key: 'F2', app_or_title: 'Rename' })];
    },
    file: 'b c.txt',
    text: 'one',
  },
  {
    title: 'answers the question of Mousepad whether to save',
    name: 'append-and-close',
    definition: {
      ...file('a.txt', 'one '),
      steps: [
        openApp('thunar'),
        openApp('org.xfce.mousepad', 'a.txt'),
        goal('Append two to a.txt and close it', { expect: { title: 'Thunar' } }),
      ],
    },
    policy: (prompt) => {
      if (prompt.page.includes('app://thunar')) return done('thunar');
      if (titleOf(prompt.page) === 'Save Changes') return [call('click', { element: prompt.element(/button "Save"/) })];
      return prompt.page.includes('two')
        ? [call('closeWindow', { app_or_title: 'Save Changes' })]
        : [call('press', { key: 'Control+End' }), call('type', { text: 'two', indicators: ['two'] })];
    },
    file: 'a.txt',
    text: 'one two',
  },
  {
    title: 'copies from one editor to another',
    name: 'copy-text',
    definition: {
      ...file('a.txt', 'from one'),
      steps: [
        openApp('org.xfce.mousepad', 'a.txt'),
        goal('Copy the text of a.txt into c.txt', {
          ...{ apps: ['mousepad', 'featherpad'], expect: { title: 'c.txt' } },
        }),
      ],
    },
    policy: ({ page }) => {
      if (titleOf(page).includes('c.txt')) return done('c.txt');
      if (titleOf(page).startsWith('Save')) return [call('fillFileDialog', { path: 'c.txt', app_or_title: 'c.txt' })];
      if (page.includes('app://featherpad'))
        return page.includes('"from one"')
          ? [call('press', { key: 'Control+S', app_or_title: 'Save' })]
          : [call('press', { key: 'Control+V', indicators: ['from one'] })];
      return [
        call('press', { key: 'Control+A' }),
        call('press', { key: 'Control+C' }),
        call('openApp', { app: 'featherpad', app_or_title: 'featherpad' }),
      ];
    },
    file: 'c.txt',
    text: 'from one\n',
  },
  {
    title: 'writes a file by a command in a terminal',
    name: 'run-command',
    definition: {
      steps: [openApp('xfce4-terminal'), goal('Write a file by a command', { expect: { title: 'finished' } })],
    },
    policy: ({ page }) =>
      titleOf(page).includes('finished')
        ? done('finished')
        : [
            call('type', { text: String.raw`printf 'by command' > out.txt; printf '\033]0;finished\007'; sleep 100` }),
            call('press', { key: 'Enter', app_or_title: 'finished' }),
          ],
    file: 'out.txt',
    text: 'by command',
  },
  {
    title: 'fills two cells of LibreOffice Calc',
    name: 'fill-cells',
    definition: {
      ...files(libreOfficeProfile),
      steps: [
        { ...openApp('libreoffice-calc'), timeout: 90 },
        untilCalcTakesInput,
        goal('Write 12 and 4 into a sheet, and save it as cells.csv', {
          ...{ apps: ['libreoffice-calc'], expect: { title: 'cells.csv' } },
        }),
      ],
    },
    policy: (prompt) => {
      const title = titleOf(prompt.page);
      if (title === 'Save') return [call('fillFileDialog', { path: 'cells.csv' })];
      if (title === 'Confirm File Format')
        return [call('click', { element: prompt.element(/button "Use Text CSV/), app_or_title: 'Export Text File' })];
      if (title === 'Export Text File') return [call('press', { key: 'Enter', app_or_title: 'cells.csv' })];
      if (title.startsWith('cells.csv')) return done('cells.csv');
      if (!prompt.page.includes('Sheet1')) return [call('waitFor', { text: 'Sheet1' })];
      return prompt.page.includes('"A1" = "12"')
        ? [call('press', { key: 'Control+S', app_or_title: 'Save' })]
        : [call('type', { text: '12\t4\n' })];
    },
    file: 'cells.csv',
    text: '12,4\n',
  },
  {
    title: 'types a secret that no event and no workflow keeps',
    name: 'type-secret',
    secrets: { pin: 'k7-Ünicorn-42' },
    definition: {
      inputs: { pin: { type: 'string', secret: true } },
      steps: [
        openApp('org.xfce.mousepad'),
        goal('Write {{inputs.pin}} into a new file pin.txt', { expect: { title: 'pin.txt' } }),
      ],
    },
    policy: (prompt) => {
      const title = titleOf(prompt.page);
      if (title === 'Save As') return [call('fillFileDialog', { path: 'pin.txt', app_or_title: 'pin.txt' })];
      if (title.includes('pin.txt')) return done('pin.txt');
      return title.startsWith('*')
        ? [call('press', { key: 'Control+S', app_or_title: 'Save As' })]
        : [call('type', { element: prompt.element(/textbox/), text: '{{credential.pin}}' })];
    },
    file: 'pin.txt',
    text: 'k7-Ünicorn-42',
  },
];
