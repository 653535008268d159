import { createRequire } from 'node:module';

/**
 * Of Chromium's features these are ours to switch off: processes of some 30 MB for each context, that show the suggestions of an
 * address bar nobody types into, and one that waits for a page; and the question to its maker what the fields of each form are.
 */
const WITHOUT = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
  'AutofillServerCommunication',
];

/** What is put on the clipboard by selecting, and taken off it by the middle button, is of all runs alike: nobody gets it. */
const SETTINGS = ['middleClickPasteAllowed=false'];

const FEATURES = '--disable-features=';
const BLINK = '--blink-settings=';

/** What of Playwright's insides is used: the arguments that it starts Chromium with. */
interface Insides {
  readonly server: {
    createPlaywright(options: { sdkLanguage: string }): {
      readonly chromium: { defaultArgs(options: object, isPersistent: boolean, profile: string): Promise<string[]> };
    };
  };
}

/**
 * The arguments that switch features off and set up pages: Playwright's own, with ours added. Chromium takes the last such list alone,
 * so a list without Playwright's would undo what it asks for.
 * @returns none where Playwright does not say what its own lists are; then they have to stay alone
 */
export async function ownLists(options: { readonly headless: boolean }): Promise<string[]> {
  try {
    const { server } = createRequire(import.meta.url)('playwright-core/lib/coreBundle') as Insides;
    const its = await server.createPlaywright({ sdkLanguage: 'javascript' }).chromium.defaultArgs(options, false, '');
    const listed = (name: string) => its.find((argument) => argument.startsWith(name));
    const features = listed(FEATURES);
    const settings = listed(BLINK);
    return [
      ...(features === undefined ? [] : [`${features},${WITHOUT.join()}`]),
      settings === undefined ? `${BLINK}${SETTINGS.join()}` : `${settings},${SETTINGS.join()}`,
    ];
  } catch {
    return [];
  }
}
