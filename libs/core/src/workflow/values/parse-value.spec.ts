import type { FieldType } from '@pilothouse/contract/actions/extraction.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { parseValue } from './parse-value.ts';

const FAILS = Symbol('fails');

test.each<[string, FieldType, Json | typeof FAILS, string?]>([
  ['1,234.50 €', 'number', 1234.5],
  ['€ 1.234,50', 'number', 1234.5],
  ['-3', 'number', -3],
  ['12 %', 'number', 12],
  ['−0.5', 'number', -0.5],
  ['-€3.20', 'number', -3.2],
  ['€-3.20', 'number', -3.2],
  ['USD 1,234,567', 'number', 1234567],
  ['US$12', 'number', 12],
  ['1 234 567,8 kr', 'number', 1234567.8],
  ['1\u00a0234,50 €', 'number', 1234.5],
  ["1'234.50", 'number', 1234.5],
  ['0.125', 'number', 0.125],
  ['.5', 'number', 0.5],
  ['3,5', 'number', 3.5],
  ['1,23,45', 'number', FAILS],
  ['3 items', 'integer', 3],
  ['Messages (3)', 'integer', 3],
  ['3 pcs.', 'integer', 3],
  ['1,234', 'number', 1234, 'en'],
  ['1.234', 'number', 1.234, 'en-GB'],
  ['1,234', 'number', 1.234, 'de'],
  ['1.234', 'number', 1234, 'de-AT'],
  ['1,234', 'number', FAILS],
  ['1.234', 'number', FAILS],
  ['(12.00)', 'number', FAILS],
  ['SKU-12', 'number', FAILS],
  ['A4', 'number', FAILS],
  ['10:30', 'number', FAILS],
  ['3 of 5', 'number', FAILS],
  ['none', 'number', FAILS],
  ['3.5', 'integer', FAILS],
  ['2026-11-21', 'date', '2026-11-21'],
  ['2026-11-21T10:00:00Z', 'date', '2026-11-21'],
  ['2026/1/2', 'date', '2026-01-02'],
  ['21.11.2026', 'date', '2026-11-21'],
  ['1. 2. 2026', 'date', '2026-02-01'],
  ['11/21/2026', 'date', '2026-11-21'],
  ['21/11/2026', 'date', '2026-11-21'],
  ['03/03/2026', 'date', '2026-03-03'],
  ['21 Nov 2026', 'date', '2026-11-21'],
  ['Sat, 21 November 2026', 'date', '2026-11-21'],
  ['Sept 1, 2026', 'date', '2026-09-01'],
  ['November 21st, 2026', 'date', '2026-11-21'],
  ['03/04/2026', 'date', FAILS],
  ['03/04/2026', 'date', FAILS, 'en'],
  ['03/04/2026', 'date', FAILS, 'nonsense-language'],
  ['03/04/2026', 'date', '2026-04-03', 'en-GB'],
  ['03/04/2026', 'date', '2026-03-04', 'en-US'],
  ['03/04/2026', 'date', '2026-04-03', 'fr'],
  ['03-04-2026', 'date', '2026-04-03', 'nl'],
  ['21. März 2026', 'date', '2026-03-21', 'de'],
  ['Samstag, 21. Nov. 2026', 'date', '2026-11-21', 'de-AT'],
  ['21 de noviembre de 2026', 'date', '2026-11-21', 'es'],
  ['sábado, 21 de novembro de 2026', 'date', '2026-11-21', 'pt-BR'],
  ['1er août 2026', 'date', FAILS, 'fr'],
  ['21 août 2026', 'date', '2026-08-21', 'fr'],
  ['21 ноября 2026 г.', 'date', '2026-11-21', 'ru'],
  ['21 listopada 2026', 'date', '2026-11-21', 'pl'],
  ['2026年11月21日', 'date', '2026-11-21', 'ja'],
  ['2026년 11월 21일', 'date', '2026-11-21', 'ko'],
  ['2026. 11. 21.', 'date', '2026-11-21', 'hu'],
  ['21 November 2026', 'date', '2026-11-21', 'ja'],
  ['21 März 2026', 'date', FAILS, 'en-GB'],
  ['21 Nov 2026 and 22 Nov 2026', 'date', FAILS],
  ['٢١/١١/٢٠٢٦', 'date', '2026-11-21', 'ar-EG'],
  ['１，２３４', 'number', FAILS],
  ['٣٫٥', 'number', 3.5],
  ['1.234,50 €', 'money', { amount: 1234.5, currency: 'EUR' }, 'de'],
  ['-€3.20', 'money', { amount: -3.2, currency: 'EUR' }],
  ['US$12', 'money', { amount: 12, currency: 'USD' }, 'en-CA'],
  ['$12', 'money', { amount: 12, currency: 'CAD' }, 'en-CA'],
  ['$12', 'money', { amount: 12, currency: 'USD' }, 'en-US'],
  ['$12', 'money', FAILS, 'en'],
  ['$12', 'money', FAILS],
  ['£1,200', 'money', { amount: 1200, currency: 'GBP' }, 'en'],
  ["CHF 1'200.50", 'money', { amount: 1200.5, currency: 'CHF' }],
  ['1 234,50 kr', 'money', { amount: 1234.5, currency: 'SEK' }, 'sv'],
  ['1.234,50 kr.', 'money', { amount: 1234.5, currency: 'DKK' }, 'da'],
  ['12,50 zł', 'money', { amount: 12.5, currency: 'PLN' }, 'pl'],
  ['￥1,200', 'money', { amount: 1200, currency: 'JPY' }, 'ja'],
  ['from 12.00', 'money', FAILS],
  ['€ 5 or $ 6', 'money', FAILS],
  ['21.11.26', 'date', FAILS],
  ['31.02.2026', 'date', FAILS],
  ['13/13/2026', 'date', FAILS],
  ['tomorrow', 'date', FAILS],
  ['Yes', 'boolean', true],
  [' ✗ ', 'boolean', false],
  ['maybe', 'boolean', FAILS],
  ['  as it is ', 'string', '  as it is '],
  ['', 'string', ''],
  ['', 'number', null],
])('%j as %s is %p', (text, type, expected, ...[language]) => {
  const parse = () => parseValue(text, { type, language }, 'value');
  if (expected === FAILS) expect(parse).toThrow(expect.objectContaining({ code: 'EXTRACTION_FAILED' }));
  else expect(parse()).toEqual(expected);
});

test.each<[string, string, FieldType, Json]>([
  ['Order 17 of 20', 'Order (\\d+)', 'integer', 17],
  ['Order 17', '\\d+', 'string', '17'],
  ['nothing', '\\d+', 'integer', null],
])('%j by %j as %s', (text, pattern, type, expected) => {
  expect(parseValue(text, { type, pattern }, 'value')).toEqual(expected);
});

test('a pattern takes linear time, and an invalid one is reported', () => {
  const start = performance.now();
  expect(parseValue(`${'a'.repeat(100_000)}!`, { pattern: '^(a+)+$' }, 'value')).toBeNull();
  expect(performance.now() - start).toBeLessThan(5000);
  expect(() => parseValue('a', { pattern: '(?=a)' }, 'column "Name" of row 1')).toThrow(
    expect.objectContaining({
      code: 'EXTRACTION_FAILED',
      message: expect.stringMatching(/^column "Name" of row 1: the pattern \(\?=a\) cannot be used\. Look-ahead/),
    }),
  );
});

test.each<[string, string | undefined, Json | typeof FAILS, string]>([
  ['12.00', 'en', { amount: 12, currency: 'AUD' }, 'AUD'],
  ['$12.00', 'en', { amount: 12, currency: 'AUD' }, 'AUD'],
  ['€12.00', 'en', FAILS, 'AUD'],
])('%j in %s as money of %p', (text, language, expected, currency) => {
  const parse = () => parseValue(text, { type: 'money', language, currency }, 'value');
  if (expected === FAILS) expect(parse).toThrow('it is in EUR, not in AUD');
  else expect(parse()).toEqual(expected);
});

test('the message has the location, the text and the reason', () => {
  expect(() => parseValue('03/04/2026', { type: 'date' }, 'column "Due" of row 2')).toThrow(
    'column "Due" of row 2: "03/04/2026" cannot be read as date: it may begin with the day or the month: set `locale`',
  );
  expect(parseValue(null, { type: 'date' }, 'x')).toBeNull();
});
