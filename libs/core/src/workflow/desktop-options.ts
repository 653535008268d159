import type { FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import type { DesktopOptions } from '@pilothouse/contract/workflow/desktop-options.schema';

/** A layout and an optional variant, as XKB names them. Linear: no part can match what another one can. */
const KEYBOARD_LAYOUT = /^[a-z][a-z0-9_-]*(?:\([a-zA-Z0-9_-]+\))?$/;

/**
 * Checks values that the schema cannot check.
 * @param isSkipped true for texts whose templates are not filled in yet
 * @returns pointers below `desktop`
 */
export function desktopOptionErrors(
  { locale, timezoneId, keyboardLayout, profile }: DesktopOptions,
  isSkipped: (text: string) => boolean = () => false,
): FieldError[] {
  const errors: FieldError[] = [];
  const check = (pointer: string, value: string | undefined, problem: (text: string) => string | null) => {
    if (value === undefined || isSkipped(value)) return;
    const detail = problem(value);
    if (detail !== null) errors.push({ pointer, detail });
  };
  check('/locale', locale, (text) =>
    posixLocale(text) === null ? `${JSON.stringify(text)} is not a locale: use language and region, e.g. de-DE` : null,
  );
  check('/timezoneId', timezoneId, (text) =>
    isTimezoneId(text) ? null : `${JSON.stringify(text)} is not a time zone: use a name such as Europe/Berlin`,
  );
  check('/keyboardLayout', keyboardLayout, (text) =>
    KEYBOARD_LAYOUT.test(text)
      ? null
      : `${JSON.stringify(text)} is not a keyboard layout: use an XKB name such as de or us(dvorak)`,
  );
  for (const [index, file] of (profile?.files ?? []).entries()) {
    check(`/profile/files/${index}/path`, file.path, (text) =>
      isBelowHome(text)
        ? null
        : `${JSON.stringify(text)} is not below the home folder: use a path such as Documents/a.txt`,
    );
  }
  for (const [index, { args = [] }] of (profile?.applications ?? []).entries()) {
    for (const [position, argument] of args.entries()) {
      check(`/profile/applications/${index}/args/${position}`, argument, (text) =>
        text.startsWith('-') ? `${JSON.stringify(text)} is not a file or URL: options are not supported` : null,
      );
    }
  }
  return errors;
}

/** POSIX name of a BCP 47 locale in UTF-8: `de_DE.UTF-8`. @returns null if there is no language with a region */
export function posixLocale(locale: string): string | null {
  try {
    const { language, region } = new Intl.Locale(locale);
    return region === undefined ? null : `${language}_${region}.UTF-8`;
  } catch {
    return null;
  }
}

function isTimezoneId(timezoneId: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezoneId });
    return true;
  } catch {
    return false;
  }
}

function isBelowHome(path: string): boolean {
  const segments = path.split('/');
  return !path.includes('\0') && segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}
