import { click, openApp, press, saveAs, type, untilText, untilTitle } from '../testing/desktop-steps.fixture.ts';
import { desktopTasks, type DesktopTask } from '../testing/desktop-task.fixture.ts';

const page = `<!doctype html><meta charset="utf-8"><title>Order page</title>
<h1>Order 4711</h1>
<label>Address <textarea id="address">Grüße aus Köln, 日本</textarea></label>
<label>Note <input id="note"></label>
<button onclick="document.title = 'Note: ' + document.getElementById('note').value">Send</button>`;

const files = {
  'order.html': page,
  // No page of the vendor at the first start.
  '.mozilla/firefox/profiles.ini': '[Profile0]\nName=default\nIsRelative=1\nPath=run\nDefault=1\n',
  '.mozilla/firefox/run/user.js': [
    'user_pref("datareporting.policy.dataSubmissionPolicyBypassNotification", true);',
    'user_pref("browser.aboutwelcome.enabled", false);',
    'user_pref("browser.startup.homepage_override.mstone", "ignore");',
  ].join('\n'),
};

/** Copies the address of the page in a browser into an editor. */
const copyFromPage = (browser: string): DesktopTask => ({
  title: 'copies a text from a page into an editor, and saves it',
  steps: [
    openApp(browser, 'order.html'),
    untilTitle('Order page'),
    { action: 'click', target: { role: 'textbox', name: 'Address', exact: true } },
    press('Control+A'),
    press('Control+C'),
    openApp('org.xfce.mousepad'),
    press('Control+V'),
    untilText('Grüße aus Köln, 日本'),
    press('Control+S'),
    ...saveAs('address.txt'),
    untilTitle('address.txt'),
  ],
  saved: { 'address.txt': 'Grüße aus Köln, 日本' },
});

desktopTasks(
  'Firefox',
  ['firefox-esr', 'mousepad'],
  [
    copyFromPage('firefox-esr'),
    {
      title: 'copies a text from an editor into a form, and sends it',
      files: { 'note.txt': 'ring – zweimal ✓' },
      steps: [
        openApp('firefox-esr', 'order.html'),
        untilTitle('Order page'),
        openApp('org.xfce.mousepad', 'note.txt'),
        press('Control+A'),
        press('Control+C'),
        { action: 'switchWindow', app: 'firefox-esr' },
        { action: 'click', target: { role: 'textbox', name: 'Note' } },
        press('Control+V'),
        click('button', 'Send'),
        untilTitle('Note: ring – zweimal ✓'),
      ],
      saved: { 'note.txt': 'ring – zweimal ✓' },
    },
    {
      title: 'types into a form, and finds the button by its name',
      steps: [
        openApp('firefox-esr', 'order.html'),
        untilTitle('Order page'),
        { action: 'click', target: { role: 'textbox', name: 'Note' } },
        type('Größe ёЖ'),
        click('button', 'Send'),
        untilTitle('Note: Größe ёЖ'),
      ],
    },
  ],
  files,
);

desktopTasks('Chromium', ['chromium', 'mousepad'], [copyFromPage('chromium')], files);
