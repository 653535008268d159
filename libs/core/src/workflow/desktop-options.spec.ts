import type { DesktopOptions } from '@pilothouse/contract/workflow/desktop-options.schema';
import { workflowDefinitionSchema, type WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { renderDesktop, templateScope } from './secret-placeholders.ts';
import { lintDefinition } from './lint/lint-workflow.ts';
import { posixLocale } from './desktop-options.ts';
import { parseWorkflow } from './parse-workflow.ts';

const inputs = {
  zone: { type: 'string' },
  password: { type: 'string', secret: true },
  sheet: { type: 'file' },
} as const;

const define = (desktop: DesktopOptions, part: Partial<WorkflowDefinitionInput> = {}) =>
  workflowDefinitionSchema.parse({
    name: 'w',
    surface: 'desktop',
    inputs,
    steps: [{ action: 'openApp', app: 'mousepad' }],
    desktop,
    ...part,
  });

const complete: DesktopOptions = {
  resolution: { width: 1600, height: 900 },
  dpi: 144,
  locale: 'de-DE',
  timezoneId: '{{inputs.zone}}',
  keyboardLayout: 'us(dvorak)',
  profile: {
    files: [
      { path: 'Documents/note.txt', text: 'zone {{inputs.zone}}' },
      { path: 'Documents/prices.ods', upload: '{{inputs.sheet}}' },
    ],
    applications: [{ app: 'libreoffice-calc', args: ['Documents/prices.ods'] }],
    ready: [{ app: 'libreoffice-calc', window: 'prices.ods' }],
    readyTimeout: 60,
    onWorkerLost: 'restart',
  },
};

test('complete settings have no problems', () => expect(lintDefinition(define(complete))).toEqual([]));

test.each<[string, DesktopOptions, string, string]>([
  ['a locale without a region', { locale: 'de' }, '/desktop/locale', 'use language and region, e.g. de-DE'],
  ['an invalid locale', { locale: 'de_DE.UTF-8@x' }, '/desktop/locale', '"de_DE.UTF-8@x" is not a locale'],
  [
    'an unknown time zone',
    { timezoneId: 'Europe/Atlantis' },
    '/desktop/timezoneId',
    'use a name such as Europe/Berlin',
  ],
  ['a layout with options', { keyboardLayout: 'de -print' }, '/desktop/keyboardLayout', 'use an XKB name such as de'],
  ...['/etc/passwd', '../x', 'a/../../x', 'a//b', './a', 'a/', 'a\0b'].map(
    (path): [string, DesktopOptions, string, string] => [
      `the path ${JSON.stringify(path)}`,
      { profile: { files: [{ path, text: '' }] } },
      '/desktop/profile/files/0/path',
      'is not below the home folder',
    ],
  ),
  [
    'an option of a program',
    { profile: { applications: [{ app: 'mousepad', args: ['a.txt', '--quit'] }] } },
    '/desktop/profile/applications/0/args/1',
    '"--quit" is not a file or URL',
  ],
  [
    'a secret in a file',
    { profile: { files: [{ path: 'a', text: '{{inputs.password}}' }] } },
    '/desktop/profile/files/0/text',
    'a secret is allowed only',
  ],
  ['an unknown input', { locale: '{{inputs.language}}' }, '/desktop/locale', 'language'],
])('%s is refused with field and fix', (_name, desktop, pointer, detail) => {
  expect(lintDefinition(define(desktop))).toEqual([{ pointer, detail: expect.stringContaining(detail) }]);
});

test.each([
  ['desktop: { resolution: { width: 10, height: 800 } }', '/desktop/resolution/width'],
  ['desktop: { dpi: 1000 }', '/desktop/dpi'],
  ['desktop: { profile: { files: [{ path: a }] } }', '/desktop/profile/files/0'],
  ['desktop: { profile: { files: [{ path: a, text: b, upload: c }] } }', '/desktop/profile/files/0'],
  ['desktop: { profile: { ready: [{}] } }', '/desktop/profile/ready/0'],
  ['desktop: { profile: { onWorkerLost: resume } }', '/desktop/profile/onWorkerLost'],
])('%s is not valid', (yaml, pointer) => {
  const text = `name: w\nsurface: desktop\nsteps: [{ action: openApp, app: mousepad }]\n${yaml}\n`;
  expect(() => parseWorkflow(text)).toThrow(
    expect.objectContaining({ fields: [expect.objectContaining({ pointer })] }) as Error,
  );
});

test('a browser has no desktop settings', () => {
  const definition = define({ dpi: 96 }, { surface: 'browser', steps: [{ action: 'reload' }] });
  expect(lintDefinition(definition)).toEqual([
    { pointer: '/desktop', detail: '`desktop` settings are not supported on the browser surface: remove them' },
  ]);
});

describe('with rendered templates', () => {
  const run = { id: 'r', epoch: 1 };
  const scope = (zone: string) =>
    templateScope(define(complete), { inputs: { zone, sheet: 'id' }, secrets: [], steps: {}, run });

  test('settings have their values', () => {
    const { timezoneId, profile } = renderDesktop(complete, scope('Europe/Berlin'));
    expect(timezoneId).toBe('Europe/Berlin');
    expect(profile?.files).toEqual([
      { path: 'Documents/note.txt', text: 'zone Europe/Berlin' },
      { path: 'Documents/prices.ods', upload: 'id' },
    ]);
  });

  test('a value from an input is checked too', () => {
    expect(() => renderDesktop(complete, scope('Mars'))).toThrow(
      '`desktop` is invalid at /timezoneId: "Mars" is not a time zone',
    );
    const { profile } = { profile: { files: [{ path: '{{inputs.zone}}', text: '' }] } };
    expect(() => renderDesktop({ profile }, scope('../../etc/passwd'))).toThrow(
      '`desktop` is invalid at /profile/files/0/path',
    );
  });
});

test.each([
  ['de-DE', 'de_DE.UTF-8'],
  ['pt-br', 'pt_BR.UTF-8'],
  ['zh-Hant-TW', 'zh_TW.UTF-8'],
  ['de', null],
  ['x y', null],
])('POSIX calls the locale %s %s', (locale, name) => expect(posixLocale(locale)).toBe(name));
