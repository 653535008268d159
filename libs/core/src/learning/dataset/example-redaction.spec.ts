import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import { anExample } from './dataset.fixture.ts';
import { isCardNumber } from './card-numbers.ts';
import { exampleElements, redactExample, secretAreas } from './example-redaction.ts';
import { redactText } from './secret-patterns.ts';

describe('secrets in texts', () => {
  test.each([
    ['Write to robin.fischer+orders@shop.example.com now', 'Write to [e-mail] now'],
    ['Card 4111 1111 1111 1111, valid 12/27', 'Card [card], valid 12/27'],
    ['Card 4111-1111-1111-1111', 'Card [card]'],
    ['5555555555554444', '[card]'],
    ['Order 4111 1111 1111 1112', 'Order 4111 1111 1111 1112'],
    ['Invoice 20261101123456789012345', 'Invoice 20261101123456789012345'],
    ['IBAN DE89 3704 0044 0532 0130 00 of Robin', 'IBAN [IBAN] of Robin'],
    ['Authorization: Bearer abc123.def-456_ghi', 'Authorization: Bearer [token]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', '[token]'],
    ['key sk-proj-abcdefghijklmnop1234', 'key [key]'],
    ['AKIAIOSFODNN7EXAMPLE', '[key]'],
    ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', '[key]'],
    ['https://a.test/?password=hunter22&x=1', 'https://a.test/?[secret]&x=1'],
    ['password: {{credential.password}}', 'password: {{credential.password}}'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow==\n-----END RSA PRIVATE KEY-----', '[private key]'],
    ['The task of the desk: 12,00 EUR at 2026-11-01', 'The task of the desk: 12,00 EUR at 2026-11-01'],
  ])('%j', (text, redacted) => {
    expect(redactText(text).text).toBe(redacted);
  });

  test('a card number has a valid check digit', () => {
    expect([
      isCardNumber('4111111111111111'),
      isCardNumber('4111111111111112'),
      isCardNumber('0000000000000000'),
    ]).toEqual([true, false, false]);
  });

  test.each([
    ['digits', '1'.repeat(300_000)],
    ['digit groups', '4111 '.repeat(60_000)],
    ['letters before no @', 'a'.repeat(300_000)],
    ['letters before many @', 'a@'.repeat(150_000)],
    ['parts of an IBAN', 'AA11'.repeat(75_000)],
    ['blanks after a name', `password:${' '.repeat(300_000)}`],
    ['the start of a key', '-----BEGIN PRIVATE KEY-----'.repeat(10_000)],
  ])('takes linear time on %s', (_, text) => {
    // CPU time does not depend on the load of the machine.
    const start = process.cpuUsage();
    redactText(text);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(8000);
  });

  test('a secret across the boundary of chunks is found', () => {
    for (let offset = 19_980; offset < 20_010; offset += 1)
      expect(redactText(`${'x '.repeat(offset / 2)}robin@shop.test`).count).toBe(1);
  });

  test.each([
    ['private key', `-----BEGIN PRIVATE KEY-----\n${'QUFB'.repeat(420)}\n-----END PRIVATE KEY-----`],
    ['token', `eyJ${'a'.repeat(900)}.${'b'.repeat(900)}.${'c'.repeat(300)}`],
  ])('no rest of a %s remains, wherever chunks end', (replacement, secret) => {
    for (let offset = 17_500; offset < 20_500; offset += 61) {
      const { text, count } = redactText(`${'x '.repeat(offset / 2)}${secret} end${' y'.repeat(12_000)}`);
      expect(count).toBe(1);
      expect(text).toBe(`${'x '.repeat(offset / 2)}[${replacement}] end${' y'.repeat(12_000)}`);
    }
  });
});

test('10,000 planted secrets are in no field of the examples', () => {
  let found = 0;
  for (let index = 0; index < 2500; index += 1) {
    const digits = String(index).padStart(4, '0');
    const secrets = [
      `robin${digits}@canary.test`,
      `sk-live-canary${digits}canary${digits}`,
      `Canary-${digits}-word`,
      `canary${digits}.token-value`,
    ];
    const [mail, key, password, token] = secrets as [string, string, string, string];
    const { example } = redactExample(
      anExample({
        goal: `Send it to ${mail}`,
        thought: `I use ${key}`,
        input: { system: 'You operate a browser.', text: `password = "${password}"\nAuthorization: Bearer ${token}` },
        outcome: `Failed: ${mail} is unknown`,
        page: { ...anExample().page, url: `https://shop.test/?api_key=${key}`, title: `Mail of ${mail}` },
        actions: [
          { kind: 'act', action: { action: 'fill', target: { elementIndex: 4 }, text: mail }, target: null },
          { kind: 'done', action: null, args: { claim: { answer: { key } } }, target: null },
        ],
      }),
    );
    const text = JSON.stringify(example);
    found += secrets.filter((secret) => text.includes(secret)).length;
  }
  expect(found).toBe(0);
});

test('an answer is redacted, whatever its fields are called', () => {
  const answer = { prompt: 'mail ada@example.com', at: 'bob@example.com', kind: ['eve@example.com'] };
  const { example, count } = redactExample(
    anExample({ actions: [{ kind: 'done', action: null, args: { claim: { answer } }, target: null }] }),
  );
  expect(example.actions[0]?.args).toEqual({
    claim: { answer: { prompt: 'mail [e-mail]', at: '[e-mail]', kind: ['[e-mail]'] } },
  });
  expect(count).toBe(3);
});

describe('secret fields', () => {
  const element = (fields: Partial<ElementView>): ElementView => ({
    index: 1,
    interactive: true,
    role: 'textbox',
    name: 'Name',
    value: 'text',
    state: {},
    tags: [],
    bounds: { x: 1, y: 2, width: 30, height: 40 },
    ...fields,
  });

  test.each<[string, Partial<ElementView>, boolean]>([
    ['a filled password field', { name: 'Login', secret: true }, true],
    ['a field for a card', { name: 'Card number' }, true],
    ['a PIN', { name: 'Your PIN' }, true],
    ['a text with an address', { role: 'paragraph', name: 'Mail to robin@shop.test' }, true],
    ['a button to change a password', { role: 'button', name: 'Change password', value: undefined }, false],
    ['an amount', { name: 'Amount', value: '12,00' }, false],
    ['a field for shipping', { name: 'Shipping' }, false],
  ])('%s', (_, fields, isSecret) => {
    const field = element(fields);
    expect(secretAreas([field])).toEqual(isSecret ? [field.bounds] : []);
    if (isSecret && field.role === 'textbox') expect(exampleElements([field])[0]).toMatchObject({ value: '••••' });
  });
});
