import { checkPassword } from './password-rules.ts';

const email = 'ada.lovelace@example.com';

test.each([
  ['too short', 'correct hor', /12 characters/],
  ['too long', 'long enough '.repeat(20), /200 characters/],
  ['of one character', 'aaaaaaaaaaaaaaaa', /different/],
  ['of digits', '920384756102', /letters/],
  ['common', 'qwertyuiop[]', /common/],
  ['common, with digits behind it', 'Password1234!', /common/],
  ['common, with signs around it', '123football456', /common/],
  ['common, twice', 'letmeinletmein', /common/],
  ['common, in wide letters', '\uff50assword2026', /common/],
  ['the address', email, /e-mail/],
  ['of the address', 'ada.lovelace1815', /e-mail/],
])('a password %s is rejected at its field', (_, password, reason) => {
  expect(() => checkPassword(password, email)).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_FAILED',
      fields: [{ pointer: '/password', detail: expect.stringMatching(reason) }],
    }),
  );
});

test.each([
  'a tide waits for no one',
  'x7#Kq9!vLm2$',
  'die Flut wartet auf niemand',
  '\u6f6e\u6c50\u4e0d\u7b49\u4eba'.repeat(3),
])('%s is a password', (password) => expect(() => checkPassword(password, email)).not.toThrow());
