import { MASK, Masker } from './secret-masker.ts';

const secret = 'p@ss "w<ör>d" & 100%/+';

describe('masking', () => {
  let masker: Masker;
  beforeEach(() => {
    masker = new Masker();
    masker.add(secret);
  });

  test.each([
    ['as it is', `typed ${secret} here`],
    ['URL-encoded', `https://x.test/?q=${encodeURIComponent(secret)}&r=1`],
    ['URL-encoded in small letters', `?q=${encodeURIComponent(secret).toLowerCase()}`],
    ['from a form', new URLSearchParams({ q: secret }).toString()],
    ['JSON-escaped', JSON.stringify({ password: secret })],
    ['HTML-escaped', '<input value="p@ss &quot;w&lt;ör&gt;d&quot; &amp; 100%/+">'],
    ['base64', `Basic ${Buffer.from(secret).toString('base64')}`],
    ['base64url', Buffer.from(secret).toString('base64url')],
    ['base64 behind one byte', Buffer.from(`u${secret}`).toString('base64')],
    ['base64 between others', Buffer.from(`ab:${secret} and more`).toString('base64')],
  ])('%s', (_, text) => {
    const masked = masker.text(text);
    expect(masked).toContain(MASK);
    for (const trace of [secret, encodeURIComponent(secret), 'ss%20', 'w<ör', 'w&lt;'])
      expect(masked).not.toContain(trace);
  });

  test.each([
    ['a long text', `typed ${secret.slice(0, 9)}… (300 characters)`],
    ['an address', `https://x.test/?q=${encodeURIComponent(secret).slice(0, 14)}…`],
    ['the whole of it but a character', `${secret.slice(0, -1)}…`],
  ])('masks the prefix of a secret where %s was cut', (_, text) => {
    const masked = masker.text(text);
    expect(masked).toContain(`${MASK}…`);
    expect(masked).not.toContain(secret.slice(0, 4));
    expect(masked).not.toContain('ss%20');
  });

  test('leaves text that only looks like a prefix', () => {
    for (const text of ['p@ss', 'p@ss and more…', 'p@s…', 'and so on…']) expect(masker.text(text)).toBe(text);
  });

  describe('of a partial text', () => {
    test('no character of a secret is returned at any position', () => {
      masker.add('p@ss of others');
      masker.add('sss');
      for (const whole of [
        `typed ${secret} here`,
        `?q=${encodeURIComponent(secret)}&r`,
        'a p@ss of others',
        'as sss is',
      ]) {
        const partialTexts = Array.from(whole, (_, end) => masker.partialText(whole.slice(0, end)));
        const masked = masker.text(whole);
        for (const partial of partialTexts) expect([masked.startsWith(partial), partial]).toEqual([true, partial]);
      }
    });

    test('text that turns out not to be a prefix is returned', () => {
      expect(['use p@s', 'use p@ss', 'use p@st'].map((text) => masker.partialText(text))).toEqual([
        'use ',
        'use ',
        'use p@st',
      ]);
      expect(new Masker().partialText('as it is')).toBe('as it is');
    });
  });

  test('masks every string of a value', () => {
    expect(masker.json({ rows: [{ a: secret, n: 1 }, null], ok: true })).toEqual({
      rows: [{ a: MASK, n: 1 }, null],
      ok: true,
    });
  });

  test('masks keys in every encoding, and keeps them unique', () => {
    const encoded = encodeURIComponent(secret);
    const value = { [secret]: 1, [`a ${secret}`]: { [encoded]: [{ [Buffer.from(secret).toString('base64')]: true }] } };
    const masked = { [MASK]: 1, [`a ${MASK}`]: { [MASK]: [{ [MASK]: true }] } };
    expect(masker.json(value)).toEqual(masked);
    expect(masker.strings(value)).toEqual(masked);
    masker.add('other');
    expect(masker.json({ [secret]: 1, other: 2, plain: 3 })).toEqual({ [MASK]: 1, [`${MASK} (2)`]: 2, plain: 3 });
  });

  test('a secret that is a number is masked as a number, too', () => {
    masker.add('4711');
    expect(masker.json({ pin: 4711, n: 47 })).toEqual({ pin: MASK, n: 47 });
    expect(masker.strings({ ms: 4711, at: '4711' })).toEqual({ ms: 4711, at: MASK });
  });

  test('the longer secret is masked first; an empty one is ignored', () => {
    masker.add('abc');
    masker.add('abcdef');
    masker.add('');
    expect(masker.text('abcdef abc x')).toBe(`${MASK} ${MASK} x`);
  });

  test('masks nothing without secrets', () => {
    expect(new Masker().json({ a: secret })).toEqual({ a: secret });
  });
});
