import { displayTitle } from './display-title.ts';

const upload = '0197f3c2-1a2b-7c3d-8e4f-0123456789ab';
const inputs = { password: '••••', note: 'two ropes', times: 3, cv: upload, pin: { secret: 'shop-pin' } };

test.each([
  ['Type “{{inputs.password}}” into “Password”', 'Type “•••• (password)” into “Password”'],
  ['Type “{{ inputs.password }}x” into “A”', 'Type “•••• (password)x” into “A”'],
  ['Type “{{secrets.token}}” into “Token”', 'Type “•••• (token)” into “Token”'],
  ['Type “{{credential.token}}” into “Token”', 'Type “•••• (token)” into “Token”'],
  ['Type “{{inputs.pin}}” into “PIN”', 'Type “•••• (pin)” into “PIN”'],
  ['Type “{{inputs.note}}” into “Note”', 'Type “two ropes” into “Note”'],
  ['Wait {{inputs.times}} s', 'Wait 3 s'],
  ['Attach {{inputs.cv}} to “CV”', 'Attach cv to “CV”'],
  [`Attach ${upload} to “CV”`, 'Attach cv to “CV”'],
  ['Read {{steps.head.value}} and {{inputs.unknown}}', 'Read … and …'],
  ['Type “{{inputs.passw…” into “A”', 'Type “…” into “A”'],
  ['Type “a {{steps.head', 'Type “a …'],
  ['Open https://shop.test/', 'Open https://shop.test/'],
])('%s is shown as %s', (title, shown) => expect(displayTitle(title, { inputs })).toBe(shown));

test('an editor keeps templates, except those of secrets', () =>
  expect(displayTitle('Type {{inputs.note}} {{inputs.password}} {{vars.a}}', { inputs, keepsTemplates: true })).toBe(
    'Type {{inputs.note}} •••• (password) {{vars.a}}',
  ));

test.each([
  ['blanks', `{{${' '.repeat(100_000)}x`],
  ['templates of blanks', `{{${' '.repeat(50)}`.repeat(2000)],
  ['braces', '{'.repeat(100_000)],
])('takes linear time on %s', (_, title) => {
  // CPU time does not depend on the load of the machine.
  const start = process.cpuUsage();
  displayTitle(title, { inputs });
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(1000);
});
