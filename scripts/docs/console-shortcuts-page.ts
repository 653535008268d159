/** Generates docs/reference/console-shortcuts.md from the help dialog of the console. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DocsPage, page, table } from './docs-page.ts';

const shell = join(import.meta.dirname, '../../apps/console/app/shell');
const read = (name: string) => readFileSync(join(shell, name), 'utf8');

/** `<Shortcut keys={['j', 'k']}>Text</Shortcut>` of the dialog. */
const SHORTCUT = /<Shortcut keys=\{\[(?<keys>[^\]]*)\]\}>(?<text>[^<{]*)<\/Shortcut>/g;

/** `{ href: '/runs', name: 'Runs', key: 'r', … }` of the navigation. */
const NAVIGATION = /\{ href: '[^']*', name: '(?<name>[^']*)', key: '(?<key>\w)'/g;

/** Fewer matches mean that the source code has changed. */
const MIN_SHORTCUTS = 4;

const keyText = (keys: readonly string[]) => keys.map((key) => `\`${key}\``).join(' ');

function rowsOf(dialog: string, layout: string): string[][] {
  const shortcuts = [...dialog.matchAll(SHORTCUT)].map(({ groups = {} }) => [
    keyText([...(groups['keys'] ?? '').matchAll(/'([^']+)'/g)].map(([, key = '']) => key)),
    (groups['text'] ?? '').trim(),
  ]);
  const pages = [...layout.matchAll(NAVIGATION)].map(({ groups = {} }) => [
    keyText(['g', groups['key'] ?? '']),
    `Open ${groups['name'] ?? ''}`,
  ]);
  if (shortcuts.length < MIN_SHORTCUTS || pages.length < MIN_SHORTCUTS) throw new Error('No shortcuts in the console');
  return [...shortcuts, ...pages].map(([keys = '', text = '']) => [keys, `${text}.`]);
}

/** The keyboard shortcuts of the console. */
export const consoleShortcutsPage: DocsPage = {
  path: 'docs/reference/console-shortcuts.md',
  render: () =>
    page(
      '# Console shortcuts',
      'Press `?` in the console to see this list. Shortcuts do not work while you type in a field. Press `g`, then the letter of a page within 1.5 seconds.',
      table(['keys', 'action'], rowsOf(read('keyboard-shortcuts.tsx'), read('app-layout.route.tsx'))),
    ),
};
