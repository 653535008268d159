import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import { anExample } from './dataset.fixture.ts';
import { isCardNumber } from './card-numbers.ts';
import { exampleElements, redactExample, secretAreas, secretFieldTexts } from './example-redaction.ts';
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
    ...['Secretary', 'Phone time', 'Time zone time', 'Done time code', 'One-time payment', 'Max tokens', 'Pins'].map(
      (name) => [name, { name }, false] as [string, Partial<ElementView>, boolean],
    ),
    ...['Tokens per minute', 'Access keyboard', 'Credit card type', 'creditCardType', 'Kreditkartentyp'].map(
      (name) => [name, { name }, false] as [string, Partial<ElementView>, boolean],
    ),
    ...['API token', 'accesstoken', 'client_secret', 'Secrets', 'secretKey', 'API keys', 'one-time PIN', 'Token'].map(
      (name) => [name, { name }, true] as [string, Partial<ElementView>, boolean],
    ),
    ...['Credit card *', 'creditCardNumber', 'Debit card CVC', 'creditcardnumber', 'Kreditkarten-Nummer'].map(
      (name) => [name, { name }, true] as [string, Partial<ElementView>, boolean],
    ),
  ])('%s', (_, fields, isSecret) => {
    const field = element(fields);
    expect(secretAreas([field])).toEqual(isSecret ? [field.bounds] : []);
    if (isSecret && field.role === 'textbox') expect(exampleElements([field])[0]).toMatchObject({ value: '••••' });
  });

  test.each([
    ['API key', 'kx-71 blue'],
    ['One-time code', '492817'],
    ['PIN', '7'],
    ['Card number', '1234'],
    ...['pin_code', 'userPin', 'Pincode', 'cvv2', 'onetimecode', 'Verification code', 'card_no', 'Credit card'].map(
      (name) => [name, '492817'] as [string, string],
    ),
    ...['Sicherheitscode', 'Prüfziffer', 'mTAN', 'Kreditkarte', 'Einmal-Code', 'Contraseña', 'private_key'].map(
      (name) => [name, 'kx-71 blue'] as [string, string],
    ),
  ])('the value of a field "%s" stands nowhere in an example', (name, value) => {
    const field = element({ index: 4, name, value: '' });
    const action = { action: 'fill' as const, target: { elementIndex: 4 }, text: value };
    const act = { kind: 'act' as const, action, target: field.bounds };
    const actions = [{ ...act, sequence: 1, title: '', call: null }];
    const page = { url: 'https://shop.test/', title: '', viewport: { width: 9, height: 9 }, text: '' };
    const texts = secretFieldTexts({ observation: { ...page, elements: [field] }, actions });
    const history = [
      `Type "${value}" into textbox "${name}"`,
      `[4] textbox "${name}" = "${value}"`,
      '[5] textbox "Amount" = "12,00"',
    ];
    const { example, count } = redactExample(
      anExample({ input: { system: '', text: history.join('\n') }, actions: [act] }),
      texts,
    );
    expect(example.input?.text.split('\n')).toEqual([
      `Type "••••" into textbox "${name}"`,
      `[4] textbox "${name}" = "••••"`,
      '[5] textbox "Amount" = "12,00"',
    ]);
    expect(example.actions[0]?.action).toMatchObject({ text: '••••' });
    expect(count).toBeGreaterThan(1);
  });

  const page = { url: 'https://shop.test/', title: '', viewport: { width: 9, height: 9 }, text: '' };
  const act = { kind: 'act' as const, sequence: 1, title: '', call: null, target: null };
  const pin = element({ index: 4, name: 'Your PIN', value: '' });

  test.each<[string, object, ElementView['bounds'] | null]>([
    ['its role and name', { role: 'textbox', name: 'Your PIN' }, null],
    ['a part of its name', { label: 'pin' }, null],
    ['the bounds of the field', { css: '#a' }, pin.bounds],
    ['a point in the field', { point: { x: 500, y: 500 } }, { x: 5, y: 6, width: 0, height: 0 }],
    ['the name of a field that was not there before', { role: 'textbox', name: 'One-time code' }, null],
  ])('a text that an action enters is secret: the target has %s', (_, target, bounds) => {
    const action = { action: 'fill' as const, target, text: 'kx-71 blue' };
    const observation = { ...page, elements: [pin] };
    expect([...secretFieldTexts({ observation, actions: [{ ...act, action, target: bounds }] })]).toEqual([
      action.text,
    ]);
    const correction = bounds ? [] : [{ kind: 'act' as const, action }];
    expect([...secretFieldTexts({ observation, actions: [] }, correction)]).toEqual(bounds ? [] : [action.text]);
  });

  test.each<[string, object, ElementView['bounds'] | null]>([
    ['another name', { role: 'textbox', name: 'Amount' }, null],
    ['other bounds', { css: '#a' }, { x: 100, y: 2, width: 30, height: 40 }],
    ['another index', { elementIndex: 5 }, null],
    ['the role of a button', { role: 'button', name: 'Change password' }, null],
  ])('a text is not secret: the target has %s', (_, target, bounds) => {
    const action = { action: 'fill' as const, target, text: 'two ropes' };
    const observation = { ...page, elements: [pin] };
    expect(secretFieldTexts({ observation, actions: [{ ...act, action, target: bounds }] }).size).toBe(0);
  });

  test.each([
    ['the field has the focus', [{ ...pin, state: { focused: true as const } }], []],
    ['an action of the turn clicked the field', [pin], [{ action: 'click' as const, target: { label: 'Your PIN' } }]],
    ['a key may have moved the focus to it', [pin], [{ action: 'press' as const, key: 'Tab' }]],
  ])('a text that goes to the focus is secret: %s', (_, elements, previous) => {
    const typed = (text: string) =>
      [...previous, { action: 'type' as const, text }].map((action) => ({ ...act, action }));
    const textsOf = (fields: ElementView[]) => [
      ...secretFieldTexts({ observation: { ...page, elements: fields }, actions: typed('4821 77') }),
    ];
    expect(textsOf(elements)).toEqual(['4821 77']);
    expect(textsOf([element({ index: 4, name: 'Amount', value: '' })])).toEqual(
      previous.some(({ action }) => action === 'click') ? ['4821 77'] : [],
    );
  });

  test('a text for the clipboard is secret if the page has a secret field, and the focus moves on', () => {
    const actions = [
      { action: 'writeClipboard' as const, text: '4821 77' },
      { action: 'press' as const, key: 'ControlOrMeta+V' },
      { action: 'click' as const, target: { label: 'Amount' } },
      { action: 'type' as const, text: '12,00' },
    ].map((action) => ({ ...act, action }));
    const amount = element({ index: 5, name: 'Amount', value: '' });
    expect([...secretFieldTexts({ observation: { ...page, elements: [pin, amount] }, actions })]).toEqual(['4821 77']);
    expect(secretFieldTexts({ observation: { ...page, elements: [amount] }, actions }).size).toBe(0);
  });

  test.each(['Mapping', 'Pinboard', 'Tan', 'Company', 'Discard number of items', 'Cardinal', 'Amount', 'Spinner'])(
    'the value of a field "%s" stays',
    (name) => {
      const observation = { ...page, elements: [element({ name, value: 'two ropes' })] };
      expect(secretFieldTexts({ observation, actions: [] }).size).toBe(0);
    },
  );

  test.each(['click', 'text', 'textbox', 'act', 'mixed', 'search', 'fill', 'role', 'left', 'x'])(
    'a secret "%s" does not change the form of an example',
    (secret) => {
      const field = { ...element({ index: 4, name: 'PIN', role: 'textbox' }), value: '••••' };
      const { interactive: _, ...shown } = {
        ...field,
        state: { checked: 'mixed' as const },
        tags: ['search' as const],
      };
      const target = { role: 'textbox', name: 'PIN', near: { role: 'text', name: 'A' }, side: 'left' as const };
      const action = { action: 'click' as const, target, button: 'left' as const };
      const actions = [
        { kind: 'act' as const, action, target: field.bounds },
        { kind: 'done' as const, action: null, args: { claim: { answer: { role: secret } } }, target: null },
      ];
      const source = anExample({ actions, page: { ...anExample().page, elements: [shown] } });
      const { example } = redactExample({ ...source, correction: { thought: '', actions } }, new Set([secret]));
      expect(example.page.elements).toEqual([shown]);
      expect(example.actions[0]).toEqual(actions[0]);
      expect(example.actions[1]?.args).toEqual({ claim: { answer: { role: '••••' } } });
      expect(example.correction?.actions[0]).toEqual(actions[0]);
    },
  );

  const inputOf = (text: string) => redactExample(anExample({ input: { system: '', text } })).example.input?.text;

  test.each([
    ['[4] textbox "PIN" = "a"b"c" required focused', '[4] textbox "PIN" = "••••" required focused'],
    [`[4] textbox "PIN" = "${'ab '.repeat(2000)}"`, '[4] textbox "PIN" = "••••"'],
    ['[4] textbox "PIN" = "8812', '[4] textbox "PIN" = "••••'],
    ['[4] textbox "PIN" = "" required', '[4] textbox "PIN" = "" required'],
    [
      '[3] row A | [4] textbox "PIN" = "{{secrets.a}}" | [5] textbox "B" = "8"',
      '[3] row A | [4] textbox "PIN" = "••••"',
    ],
    ['Type “a” b” into [4] textbox "PIN"', 'Type “••••” into [4] textbox "PIN"'],
    ['Add “8812” to “Password”', 'Add “••••” to “Password”'],
    ['Type “{{secrets.pin}}” into “PIN”', 'Type “{{secrets.pin}}” into “PIN”'],
    [
      '1. on “Login”: → Click “PIN”\n2. on “Login”: → Type “8812” into the focused element',
      '1. on “Login”: → Click “PIN”\n2. on “Login”: → Type “••••” into the focused element',
    ],
    ['Copy “8812” to the clipboard\nClick “PIN”', 'Copy “••••” to the clipboard\nClick “PIN”'],
    ['Copy “8812” to the clipboard\nClick “Name”', 'Copy “8812” to the clipboard\nClick “Name”'],
    ['Click “PIN”\nType “8812”', 'Click “PIN”\nType “••••”'],
    ['Click “PIN”\nType “Robin” into “Name”\nType “8812”', 'Click “PIN”\nType “Robin” into “Name”\nType “8812”'],
  ])('%s', (line, masked) => expect(inputOf(line)).toBe(masked));

  test.each([
    ['values', '= "'.repeat(100_000)],
    ['entered texts', 'Type “a” into '.repeat(30_000)],
  ])('takes linear time on a line of %s', (_, text) => {
    const start = process.cpuUsage();
    inputOf(`PIN ${text}`);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(8000);
  });

  test('values of earlier turns are masked by the name of their field; placeholders stay', () => {
    const text =
      'Type "8812" into textbox "PIN"\nType "{{secrets.pin}}" into textbox "PIN"\nType "Robin" into textbox "Name"';
    expect(redactExample(anExample({ input: { system: '', text } })).example.input?.text).toBe(
      text.replace('8812', '••••'),
    );
  });
});
