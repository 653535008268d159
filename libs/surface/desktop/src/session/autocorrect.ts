/** Settings of LibreOffice by path. After a path that does not exist, LibreOffice ignores the rest. All of its applications share the first ones, and Writer has further ones. */
const OFFICE_SETTINGS: readonly (readonly [string, readonly string[]])[] = [
  [
    'Office.Common/AutoCorrect',
    [
      ...['UseReplacementTable', 'TwoCapitalsAtStart', 'CapitalAtStartSentence', 'ChangeUnderlineWeight'],
      ...['SetInetAttribute', 'ChangeOrdinalNumber', 'ChangeDash', 'AddNonBreakingSpace', 'TransliterateRTL'],
      ...['ChangeAngleQuotes', 'RemoveDoubleSpaces', 'CorrectAccidentalCapsLock', 'ReplaceSingleQuote'],
      'ReplaceDoubleQuote',
    ],
  ],
  [
    'Office.Writer/AutoFunction/Format/Option',
    [
      ...['UseReplacementTable', 'TwoCapitalsAtStart', 'CapitalAtStartSentence', 'ChangeUnderlineWeight'],
      ...['SetInetAttribute', 'ChangeOrdinalNumber', 'ChangeDash', 'AddNonBreakingSpace', 'TransliterateRTL'],
      ...['ChangeAngleQuotes', 'DelSpacesAtStartEnd', 'DelSpacesBetween'],
    ],
  ],
  // Lists, lines and tables that Writer makes of typed signs.
  ['Office.Writer/AutoFunction/Format/ByInput', ['Enable', 'ChangeToBorders', 'ChangeToTable']],
  ['Office.Writer/AutoFunction/Format/ByInput/ApplyNumbering', ['Enable']],
  ['Office.Writer/AutoFunction/Completion', ['Enable']],
  ['Office.Calc/Input', ['AutoInput']],
];

const officeItem = (path: string, name: string): string =>
  `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>false</value></prop></item>`;

const GNUMERIC_SETTINGS = ['init-caps', 'first-letter', 'names-of-days', 'replace'];

/** Files of a home folder that turn AutoCorrect and completion off, by path. Programs read them when they start. */
export const autocorrectFiles: Readonly<Record<string, string>> = {
  '.config/libreoffice/4/user/registrymodifications.xcu': [
    '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">',
    ...OFFICE_SETTINGS.flatMap(([path, names]) => names.map((name) => officeItem(path, name))),
    '</oor:items>',
    '',
  ].join('\n'),
  '.config/glib-2.0/settings/keyfile': [
    '[org/gnome/gnumeric/autocorrect]',
    ...GNUMERIC_SETTINGS.map((name) => `${name}=false`),
    '',
  ].join('\n'),
};
