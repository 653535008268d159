import type { FieldText } from '../injected/field-text.ts';
import { isTyped, mayBePlaceholder, type ExpectedText, sharesWords } from './typed-text.ts';

const field = (text: string, overrides: Partial<FieldText> = {}): FieldText => ({
  connected: true,
  text,
  exact: true,
  completionLength: 0,
  maxLength: -1,
  following: '',
  surroundingText: null,
  ...overrides,
});
const renderedField = (text: string, surroundingText: string | null = null) =>
  field(text, { exact: false, surroundingText });

test.each<[string, string, FieldText, Partial<ExpectedText>?]>([
  ['the text itself', 'Ana', field('Ana')],
  ['line breaks of another system', 'a\r\nb', field('a\nb')],
  ['a telephone number in a mask', '4155550132', field('(415) 555-0132')],
  ['a fixed prefix of a mask', '4155550132', field('+1 (415) 555-0132'), { blank: '+1 (' }],
  ['a date in a mask', '01022026', field('01/02/2026')],
  ['an amount with groups and a fraction', '1234.5', field('$1,234.50')],
  ['an amount of another locale', '1234,50', field('1.234,50 €')],
  ['a whole amount with a fraction', '1234', field('1,234.00')],
  ['an IBAN in groups', 'DE89370400440532013000', field('DE89 3704 0044 0532 0130 00')],
  ['capitals', 'ab-12 c', field('AB-12 C')],
  ['trimmed', ' Ana ', field('Ana')],
  ['an inline completion', 'san', field('San Francisco', { completionLength: 10 })],
  ['a code over several fields', '123456', field('1', { following: '23456', maxLength: 1 })],
  ['a closed bracket', 'call(', field('call()')],
  ['closed nested brackets', 'a([{', field('a([{}])')],
  ['a number of another form', '3.50', field('3.5'), { type: 'number' }],
  ['rendered white space', 'a  b', renderedField('a\u00a0 b\n')],
  ['lines that became paragraphs', 'a\nb', renderedField('a', 'a\n\nb\n\nc')],
  ['a paragraph that was drawn anew', 'new', renderedField('', 'first\nnew\nlast')],
  ['an empty mask', '', field('+(___) ___')],
])('accepts %s', (_, text, current, options = {}) => {
  expect(isTyped(current, { text, type: '', keys: false, ...options })).toBe(true);
});

test.each<[string, string, FieldText, Partial<ExpectedText>?]>([
  ['nothing', 'Ana', field('')],
  ['a missing letter', 'Anna', field('Ana')],
  ['a doubled letter', 'Ana', field('Anna')],
  ['the old text in front', 'new', field('oldnew')],
  ['missing spaces', 'John Smith', field('JohnSmith')],
  ['missing spaces beside digits', '12 Main Street', field('12MainStreet')],
  ['a cut text', '1234567', field('12345', { maxLength: 5 })],
  ['an amount in cents', '1234', field('12.34')],
  ['another digit', '4155550132', field('(415) 555-0133')],
  ['a missing leading zero', '01234', field('1234')],
  ['a doubled bracket', 'call(a)', field('call(a))')],
  ['another indentation', 'a {\n  b', field('a {\n    b')],
  ['a text elsewhere in the editor', 'new', renderedField('', 'first\nlast')],
  ['the text in another paragraph', 'new', renderedField('x', 'new\nx')],
  ['keys into a date', '2020-03-02', field('0302-02-02'), { type: 'date', keys: true }],
])('refuses %s', (_, text, current, options = {}) => {
  expect(isTyped(current, { text, type: '', keys: false, ...options })).toBe(false);
});

test.each([
  ['Aurora, Norway', 'Aurora', true],
  ['1,234', '1234', true],
  ['5 January 2026', '2026-01-05', true],
  ['Boreas', 'Aurora', false],
  ['2026-11-30', 'tomorrow', false],
  ['', 'Aurora', false],
])('the text %p may come from %p: %p', (current, expected, isRelated) => {
  expect(sharesWords(current, expected)).toBe(isRelated);
});

test.each([
  ['a text of an editor', renderedField('Write here'), '', true],
  ['an empty editor', renderedField('\n'), '', false],
  ['a native field', field('Ana'), '', false],
  ['a typed text', renderedField('Ana'), 'Ana', false],
])('%s may be a placeholder after the field was emptied', (_, current, text, expected) => {
  expect(mayBePlaceholder(current, { text, type: '', keys: false })).toBe(expected);
});
