import { debugLogKind } from './debug-log.ts';

test.each([
  ['trace', 'console-1.jsonl', 'console'],
  ['trace', 'network-2.har', 'network'],
  ['download', 'console-1.jsonl', undefined],
  ['trace', 'model-1.jsonl', undefined],
] as const)('a %s %s is %s', (kind, name, expected) => expect(debugLogKind({ kind, name })).toBe(expected));
