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

const SWITCH = '--disable-features=';

/** What of Playwright's insides is used: the arguments that it starts Chromium with. */
interface Insides {
  readonly server: {
    createPlaywright(options: { sdkLanguage: string }): {
      readonly chromium: { defaultArgs(options: object, isPersistent: boolean, profile: string): Promise<string[]> };
    };
  };
}

/**
 * The argument that switches features off: Playwright's own, with ours added. Chromium takes the last such list alone, so a list
 * without Playwright's would switch on again what it keeps off.
 * @returns null where Playwright does not say what its own list is; then its list has to stay alone
 */
export async function withoutFeatures(): Promise<string | null> {
  try {
    const { server } = createRequire(import.meta.url)('playwright-core/lib/coreBundle') as Insides;
    const its = await server.createPlaywright({ sdkLanguage: 'javascript' }).chromium.defaultArgs({}, false, '');
    const list = its.find((argument) => argument.startsWith(SWITCH));
    return list === undefined ? null : `${list},${WITHOUT.join()}`;
  } catch {
    return null;
  }
}
