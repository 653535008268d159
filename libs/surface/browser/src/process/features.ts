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

/**
 * One is ours to switch on: the network service in the browser's own process, as Chromium has it on small devices, which saves 17 of the 36 MB of one beside it. Under
 * Linux that one has no sandbox either; what crashes it now ends the browser, which its runs survive as they survive any other crash of it.
 */
const WITH = ['NetworkServiceInProcess2'];

/** What is put on the clipboard by selecting, and taken off it by the middle button, is of all runs alike: nobody gets it. */
const SETTINGS = ['middleClickPasteAllowed=false'];

const FEATURES = '--disable-features=';
const MORE_FEATURES = '--enable-features=';
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
export async function chromiumFeatureArgs(options: { readonly headless: boolean }): Promise<string[]> {
  try {
    const { server } = createRequire(import.meta.url)('playwright-core/lib/coreBundle') as Insides;
    const its = await server.createPlaywright({ sdkLanguage: 'javascript' }).chromium.defaultArgs(options, false, '');
    const extended = (name: string, ours: readonly string[]) => {
      const own = its.find((argument) => argument.startsWith(name));
      return own === undefined ? `${name}${ours.join()}` : `${own},${ours.join()}`;
    };
    return [extended(FEATURES, WITHOUT), extended(MORE_FEATURES, WITH), extended(BLINK, SETTINGS)];
  } catch {
    return [];
  }
}
