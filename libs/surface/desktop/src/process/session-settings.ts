import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { DesktopOptions } from '@pilothouse/contract/workflow/desktop-options.schema';
import { posixLocale } from '@pilothouse/core/workflow/desktop-options';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { splitLayout } from './keyboard-layout.ts';
import { defaultSessionOptions, type SessionOptions } from './session-options.ts';
import { PROGRAM_PATH } from './session-processes.ts';

/** Settings of a session that a run can choose. */
export type SessionSettings = Pick<
  SessionOptions,
  'width' | 'height' | 'dpi' | 'locale' | 'timezoneId' | 'keyboardLayout'
>;

/** List of the layouts and variants of XKB. */
const LAYOUT_LIST = '/usr/share/X11/xkb/rules/evdev.lst';

const LOCALE_TIMEOUT_MS = 5_000;

/** Settings of a run on this machine. @throws PilothouseError ACTION_UNSUPPORTED with the field and the fix */
export async function sessionSettings(
  { resolution, dpi, locale, timezoneId, keyboardLayout }: DesktopOptions,
  environment: Readonly<Record<string, string>>,
): Promise<SessionSettings> {
  const { width, height, ...defaults } = defaultSessionOptions;
  const settings: SessionSettings = {
    ...(resolution ?? { width, height }),
    dpi: dpi ?? defaults.dpi,
    locale: locale === undefined ? defaults.locale : (posixLocale(locale) ?? locale),
    timezoneId: timezoneId ?? defaults.timezoneId,
    keyboardLayout: keyboardLayout ?? defaults.keyboardLayout,
  };
  if (settings.locale !== defaults.locale && !(await hasLocale(settings.locale, environment)))
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `desktop.locale: this worker has no locale ${settings.locale}; install it (Debian: locales-all), or choose another one`,
    );
  if (settings.keyboardLayout !== defaults.keyboardLayout && !(await hasLayout(settings.keyboardLayout)))
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `desktop.keyboardLayout: XKB has no layout ${JSON.stringify(settings.keyboardLayout)}; use a name such as de or us(dvorak)`,
    );
  return settings;
}

/** Asks the C library: `locale -a` does not list the locales below LOCPATH. */
async function hasLocale(locale: string, environment: Readonly<Record<string, string>>): Promise<boolean> {
  const env = { ...environment, PATH: PROGRAM_PATH, LC_ALL: locale };
  const { stdout } = await promisify(execFile)('locale', ['charmap'], { env, timeout: LOCALE_TIMEOUT_MS });
  return stdout.trim() === 'UTF-8';
}

async function hasLayout(name: string): Promise<boolean> {
  const { layout, variant } = splitLayout(name);
  const list = await readFile(LAYOUT_LIST, 'utf8').catch(() => null);
  // Without the list, setxkbmap decides.
  if (list === null) return true;
  let section = '';
  for (const line of list.split('\n')) {
    if (line.startsWith('! ')) section = line.slice(2).trim();
    const [key, owner] = line.trim().split(/\s+/, 2);
    if (variant === '' && section === 'layout' && key === layout) return true;
    if (variant !== '' && section === 'variant' && key === variant && owner === `${layout}:`) return true;
  }
  return false;
}
