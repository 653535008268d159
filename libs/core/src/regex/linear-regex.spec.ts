import { compilePattern, MAX_MATCH_STEPS, PatternError, patternProblem } from './linear-regex.ts';

/** A fixed sequence of a and b that no prefix check can reject. */
function noise(length: number): string {
  let seed = 7;
  return Array.from({ length }, () =>
    (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) & 0x10000 ? 'a' : 'b',
  ).join('');
}

describe('time', () => {
  test.each([
    '^(a+)+$',
    '^(a|a)*$',
    '(x+x+)+y',
    String.raw`^(\w+\s?)*$`,
    '(.*)(.*)(.*)(.*)(.*)[cd]',
    '((((a?b?)*)+)*){1,100}[cd]',
    '[ab]*a[ab]{900}[cd]',
    String.raw`\s+$`,
  ])('%s takes time in proportion to the text', (source) => {
    const pattern = compilePattern(source);
    // A backtracking engine would not end with a hundredth of this.
    const length = Math.floor(MAX_MATCH_STEPS / pattern.size / 16);
    for (const text of [noise(length), `${'a'.repeat(length - 1)}!`, `${' '.repeat(length - 1)}!`]) {
      const start = performance.now();
      pattern.test(text);
      pattern.exec(text);
      expect(performance.now() - start).toBeLessThan(2_000);
    }
  });

  test('rejects a text that is too long for the size of the pattern', () => {
    const pattern = compilePattern('[ab]{1000}c');
    expect(() => pattern.test('a'.repeat(MAX_MATCH_STEPS))).toThrow(
      new PatternError(
        `The text has ${MAX_MATCH_STEPS} characters; this pattern supports at most ${Math.floor(MAX_MATCH_STEPS / pattern.size)}. Simplify the pattern, or read a smaller part.`,
      ),
    );
  });
});

describe('an error names the unsupported construct and the fix', () => {
  test.each([
    ['(a{1000}){1000}', /at most 1,000, with nested ones multiplied: use \* or \+/],
    ['a{1001}', /at most 1,000,/],
    ['(((a{100}){100}){100})', /nested ones multiplied/],
    ['(x{0,1000}y{0,1000}){1,1000}', /nested ones multiplied/],
    ['a{1000}b{1000}c{1000}', /too large: its repetitions expand to 3002 parts, more than 2500/],
    ['a'.repeat(1001), /has 1001 characters, more than 1000/],
    ['(?=a)b', /Look-ahead and look-behind.*not supported: match the text around it/],
    ['(?<!a)b', /Look-ahead and look-behind/],
    [String.raw`(a)\1`, /Back-references.*not supported: repeat the part/],
    [String.raw`(?<n>a)\k<n>`, /Back-references/],
    ['(?i:a)', /Flags inside a pattern.*write both cases/],
    ['(?<año>x)', /A group name must be unique, with ASCII letters/],
    [String.raw`\p{ASCII}`, /This Unicode property is not supported/],
    [String.raw`\Qa\E`, /Not a regular expression/],
    ['a(', /Not a regular expression/],
  ])('%s', (source, problem) => {
    expect(patternProblem(source)).toMatch(problem);
    expect(() => compilePattern(source)).toThrow(PatternError);
  });

  test('rejects flags other than i, s and u', () => {
    expect(patternProblem('a', 'g')).toBe('The flags g are not supported: use only i, s and u');
  });
});

/** Pattern, flags, and texts: the engine and ECMAScript agree on each. */
const equivalentCases: [RegExp, string[]][] = [
  [/^[A-Z]{2}\d{4}$/u, ['AB1234', 'ab1234', 'AB12345', 'AB1234\n']],
  [/(\d+)\s(?:items|pieces)/u, ['12\u00a0items', '12\u202fpieces', '12items']],
  [/[\s]x|[^\S]y/u, ['\ufeffx', '\u3000y', 'zx']],
  [/[\S]/u, ['\u00a0', '\u00a0é']],
  [/a.b/u, ['a\u2028b', 'a\rb', 'a😀b']],
  [/a.b/su, ['a\u2028b', 'a\nb']],
  [/[^]|[]/u, ['', '\n']],
  [/[\b]|\cJ|\0/u, ['\b', '\n', '\0', 'b']],
  [/[[a&&b]+$/u, ['[', '&', 'ab', 'c']],
  [/\u{1F600}|\ud83d\ude01|\u00e9|\x41/u, ['😀', '😁', 'é', 'A', 'x']],
  [/^\p{Letter}+\p{Script=Greek}\p{gc=Nd}$/u, ['abα1', 'abγ٣', '1α1']],
  [/größe|ÅNGSTRÖM/iu, ['GRÖßE', 'ångström', 'grosse']],
  [/(a)|(b)/u, ['b', 'c']],
  [/a+?|a+/u, ['aaa']],
  [/(?<year>\d{4})-(?<month>\d\d)/u, ['on 2026-11-24', 'none']],
  [/\bcat\b/u, ['a cat!', 'concat']],
  [/^$/u, ['', '\n']],
  [/[\w-]+\/[\^\]]/u, ['a-b/^', 'a/]', '/']],
];

describe('a pattern has the semantics of ECMAScript', () => {
  test.each(equivalentCases)('%s', (native, texts) => {
    const pattern = compilePattern(native.source, native.flags);
    for (const text of texts) {
      const match = native.exec(text);
      expect(pattern.test(text)).toBe(match !== null);
      expect(pattern.exec(text)).toEqual(
        match && { index: match.index, texts: [...match], groups: { ...match.groups } },
      );
    }
  });

  test('a recompiled pattern gives the same result', () => {
    const pattern = compilePattern('b(a+)$');
    const text = `b${'a'.repeat(300_000)}`;
    for (let turn = 0; turn < 4; turn++) expect(pattern.exec(text)?.texts[1]).toHaveLength(300_000);
  });
});
