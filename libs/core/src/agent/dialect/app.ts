import { planAction, type PlannedActionOrProblem } from '../vocabulary.ts';

/** What a browser is called. */
const browsers =
  /^(?:the )?(?:(?:web|internet) ?)?(?:browser|(?:google ?)?chrome|chromium|(?:mozilla ?)?firefox|safari|(?:microsoft ?)?edge)(?: ?browser)?$/i;

/** What is an address, or the beginning of one. */
const address = /^(?:https?:\/\/\S+|[\w-]+(?:\.[\w-]+)+(?:[/:]\S*)?)$/i;

/**
 * To open an app, or to bring it to front, where all there is are the tabs of a browser: the tab that has this title or address. The browser
 * itself is in front already.
 */
export function openApp(action: string, name: string | undefined): PlannedActionOrProblem {
  const app = name?.trim() ?? '';
  if (app === '') return { kind: 'problem', problem: `${action}: say which` };
  if (browsers.test(app)) return planAction({ action: 'wait', seconds: 0 });
  return planAction({ action: 'switchTab', ...(address.test(app) ? { url: app } : { title: app }) });
}
