import { matchesAddress, matchesHost, parseAddress, parseHost, parseHostRule } from './host-rules.ts';

const matchesName = (pattern: string, host: string, port = 443) => {
  const rule = parseHostRule(pattern);
  return rule !== null && matchesHost(rule, { host, port });
};

test.each([
  ['shop.test', 'shop.test', true],
  ['shop.test', 'www.shop.test', false],
  ['*.shop.test', 'www.shop.test', true],
  ['*.shop.test', 'a.b.shop.test', true],
  ['*.shop.test', 'shop.test', false],
  ['*.shop.test', 'myshop.test', false],
  ['Shop.Test', 'shop.test', true],
  ['bücher.test', 'xn--bcher-kva.test', true],
  ['shop.test:443', 'shop.test', true],
  ['shop.test:8443', 'shop.test', false],
])('%s matches %s: %s', (pattern, host, expected) => expect(matchesName(pattern, host)).toBe(expected));

const matches = (pattern: string, text: string, port = 443) => {
  const [rule, address] = [parseHostRule(pattern), parseAddress(text)];
  return rule !== null && address !== null && matchesAddress(rule, address, { host: text, port });
};

test.each([
  ['10.1.0.0/16', '10.1.2.3', true],
  ['10.1.0.0/16', '10.2.0.1', false],
  ['10.1.2.3', '::ffff:10.1.2.3', true],
  ['[::1]', '::1', true],
  ['[2001:db8::]/32', '2001:db8::7', true],
  ['[2001:db8::7]:443', '2001:db8::7', true],
  ['[2001:db8::7]:80', '2001:db8::7', false],
  ['private', '192.168.1.1', true],
  ['private:443', '127.0.0.1', true],
  ['private:80', '127.0.0.1', false],
  ['private', '169.254.1.1', false],
  ['private', '100.100.100.200', false],
  ['169.254.0.0/16', '169.254.169.254', false],
  ['169.254.169.254', '169.254.169.254', true],
])('%s contains %s: %s', (pattern, address, expected) => expect(matches(pattern, address)).toBe(expected));

test.each(['', 'a b', 'http://shop.test', 'shop.test/x', '10.0.0.0/33', 'shop.test:99999', '*', 'a.*.test', '[::1'])(
  '%j is not a pattern',
  (text) => expect(parseHostRule(text)).toBeNull(),
);

test('hosts are normalized', () => {
  expect(['SHOP.test.', '0x7f.1', '[::FFFF:7f00:1]'].map(parseHost)).toEqual([
    'shop.test',
    '127.0.0.1',
    '[::ffff:7f00:1]',
  ]);
  expect(parseHost('user@shop.test')).toBeNull();
});
