import { ManualTimers } from '@pilothouse/testing/manual-timers';
import type { AccessibilityBus, AccessibleRef } from './accessibility-bus.ts';
import type { ActiveFrame } from './active-frame.ts';
import { atspiRoles } from './roles.ts';
import { stateSetOf } from './states.ts';
import { joinTexts, MAX_JOINED_CHARACTERS, readWindowText } from './window-text.ts';

test('texts that are read at the same time have one limit together', async () => {
  const isFrame = ({ path }: AccessibleRef) => path === '/frame';
  const bus = {
    timers: new ManualTimers(),
    role: (target: AccessibleRef) => Promise.resolve(isFrame(target) ? atspiRoles.frame : atspiRoles.paragraph),
    name: () => Promise.resolve(''),
    states: () => Promise.resolve(stateSetOf('showing')),
    childCount: (target: AccessibleRef) => Promise.resolve(isFrame(target) ? 10 : 0),
    children: () => Promise.resolve(Array.from({ length: 10 }, (_, index) => ({ bus: ':1.1', path: `/${index}` }))),
    text: (_: AccessibleRef, _timeoutMs: number, maxCharacters: number) => Promise.resolve('a'.repeat(maxCharacters)),
  };
  const active = {
    frame: { bus: ':1.1', path: '/frame' },
    popups: [],
    strategy: { method: 'walk', toolkit: 'other', visibleState: 'showing' },
  };
  const { parts, incomplete } = await readWindowText(
    bus as unknown as AccessibilityBus,
    active as unknown as ActiveFrame,
    1_000,
  );
  expect(parts.reduce((sum, { text }) => sum + text.length, 0)).toBe(200_000);
  expect(incomplete).toBe('truncated');
});

test('joined texts have the most characters that the worker accepts', () => {
  expect(joinTexts(['first', 'second'], 'timeout')).toEqual({ text: 'first\nsecond', incomplete: 'timeout' });
  const { text, incomplete } = joinTexts(['a'.repeat(MAX_JOINED_CHARACTERS), 'b'], null);
  expect([text.length, text.at(-1), incomplete]).toEqual([MAX_JOINED_CHARACTERS, 'a', 'truncated']);
});
