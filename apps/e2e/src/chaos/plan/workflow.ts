import type { Dice } from './dice.ts';

/** Of the demo site. */
const account = { email: 'demo@harbour.example', password: 'harbour-demo' };

/** What a step that only may happen once does when nobody knows whether it did. */
type OnUnknown = 'verify' | 'ask' | 'repeat' | 'fail';

/** A workflow as it is submitted. Each of its traces at the site says of which run, attempt and step it is. */
export interface WorkflowPlan {
  readonly name: string;
  readonly resume?: 'checkpoint' | 'restart' | 'fail';
  readonly heal?: 'on';
  readonly steps: readonly Step[];
}

export interface Step {
  readonly action: string;
  readonly repeatable?: boolean;
  readonly onUnknown?: OnUnknown;
  readonly [field: string]: unknown;
}

/** What the checker wants to know of a step. */
export interface StepFacts {
  /** The site writes down each time it happens. */
  readonly leaves: 'letter' | 'visit' | null;
  readonly repeatable: boolean;
  readonly onUnknown: OnUnknown | undefined;
}

export const factsOf = (step: Step): StepFacts => ({
  leaves: step['leaves'] === 'letter' || step['leaves'] === 'visit' ? step['leaves'] : null,
  repeatable: step.repeatable !== false,
  onUnknown: step.onUnknown,
});

/** Where a trace is from, as a template of the workflow and as it is read again. */
const mark = (step: number) => `{{run.id}}/{{run.epoch}}/${step}`;
const MARK = /([0-9a-f-]{36})\/(\d+)\/(\d+)$/;

export function readMark(text: string): { run: string; epoch: number; step: number } | null {
  const [, run, epoch, step] = MARK.exec(text) ?? [];
  return run ? { run, epoch: Number(epoch), step: Number(step) } : null;
}

const visit = (step: number): Step => ({
  action: 'navigate',
  url: `{{inputs.site}}/chaos/${mark(step)}`,
  leaves: 'visit',
});

const logIn = (): Step[] => [
  { action: 'navigate', url: '{{inputs.site}}/login?next=/contact/frame' },
  { action: 'type', target: { label: 'E-mail' }, text: account.email },
  { action: 'type', target: { label: 'Password' }, text: account.password },
  { action: 'click', target: { role: 'button', name: 'Log in' }, expect: { text: 'Your name' } },
];

/** Number of steps before the first letter is sent. */
export const FIRST_LETTER = 7;

const letter = (first: number, send: Partial<Step>): Step[] => [
  { action: 'navigate', url: '{{inputs.site}}/contact/frame' },
  { action: 'type', target: { label: 'Your name' }, text: 'Chaos' },
  { action: 'type', target: { label: 'Message' }, text: mark(first + 3) },
  { action: 'click', target: { role: 'button', name: 'Send message' }, leaves: 'letter', ...send },
];

/** Writes letters, each of which must not be sent twice. */
export function letters(count: number, send: Partial<Step> = {}, more: Partial<WorkflowPlan> = {}): WorkflowPlan {
  const steps = logIn();
  for (let index = 0; index < count; index += 1) steps.push(...letter(steps.length, { repeatable: false, ...send }));
  return { name: 'letters', ...more, steps };
}

/** Number of the step of `healing` whose button is called so no more. */
export const LOST_STEP = 7;

/** Writes a letter, whose button was a link once: it is found by its likeness. It must not be sent twice. */
export const healing = (): WorkflowPlan => ({
  name: 'healing',
  heal: 'on',
  steps: [
    ...logIn(),
    ...letter(4, {
      target: { role: 'link', name: 'Send message' },
      repeatable: false,
      timeout: 10,
      expect: { text: 'Thank you' },
    }),
  ],
});

/** Only looks: all of it may happen again. */
export function visits(count: number, more: Partial<WorkflowPlan> = {}): WorkflowPlan {
  return { name: 'visits', ...more, steps: Array.from({ length: count }, (_, index) => visit(index)) };
}

/** Waits until it is cancelled. */
export const waiting = (): WorkflowPlan => ({
  name: 'waiting',
  steps: [visit(0), { action: 'waitFor', condition: { text: 'This text never comes' }, timeout: 120 }, visit(2)],
});

/** Any workflow that comes to an end by itself. */
export function anyWorkflow(dice: Dice): WorkflowPlan {
  const resume = dice.pick(['checkpoint', 'checkpoint', 'checkpoint', 'restart'] as const);
  const chosen = resume === 'checkpoint' ? {} : { resume };
  if (dice.chance(0.25)) return visits(dice.whole(3, 8), chosen);
  const onUnknown = dice.pick([undefined, undefined, 'verify', 'ask', 'ask', 'fail'] as const);
  const send = {
    ...(onUnknown && { onUnknown }),
    ...(dice.chance(0.5) && { expect: { text: 'Thank you' } }),
    ...(dice.chance(0.15) && { repeatable: true, onUnknown: 'repeat' as const }),
  };
  return letters(dice.whole(1, 3), send, chosen);
}

/** What the API knows a workflow by. */
export const definitionOf = ({ steps, ...plan }: WorkflowPlan): object => ({
  ...plan,
  inputs: { site: { type: 'string' } },
  steps: steps.map(({ leaves: _, ...step }) => step),
});
