import type { SeededRandom } from './seeded-random.ts';

/** Of the demo site. */
export const account = { email: 'demo@harbour.example', password: 'harbour-demo' };

/** What a step that only may happen once does when nobody knows whether it did. */
type OnInterrupted = 'verify' | 'ask' | 'rerun' | 'fail';

/** A workflow as it is submitted. Each of its traces at the site says of which run, attempt and step it is. */
export interface WorkflowPlan {
  readonly name: string;
  readonly onWorkerLost?: 'resume' | 'restart' | 'fail';
  readonly heal?: 'auto';
  readonly steps: readonly Step[];
  /** Every step by its number, where loops come by some of `steps` more than once; left out: they are `steps`. */
  readonly walked?: readonly Step[];
}

export interface Step {
  readonly action: string;
  readonly idempotent?: boolean;
  readonly onInterrupted?: OnInterrupted;
  /** Of a loop, or of what else holds steps. */
  readonly steps?: readonly Step[];
  readonly [field: string]: unknown;
}

/** What the checker wants to know of a step. */
export interface StepFacts {
  /** The site writes down each time it happens. */
  readonly leaves: 'letter' | 'visit' | null;
  readonly idempotent: boolean;
  readonly onInterrupted: OnInterrupted | undefined;
}

const factsOf = ({ leaves, idempotent, onInterrupted }: Step): StepFacts => ({
  leaves: leaves === 'letter' || leaves === 'visit' ? leaves : null,
  // One that asks or fails when nobody knows has not to happen twice either.
  idempotent: idempotent !== false && onInterrupted !== 'ask' && onInterrupted !== 'fail',
  onInterrupted,
});

/** By the number of the step. */
export const stepsOf = ({ steps, walked = steps }: WorkflowPlan): StepFacts[] => walked.map(factsOf);

/** Where a trace is from, as a template of the workflow and as it is read again. */
const mark = (step: number | string) => `{{run.id}}/{{run.epoch}}/${step}`;
const MARK = /([0-9a-f-]{36})\/(\d+)\/(\d+)$/;

export function parseTraceMark(text: string): { run: string; epoch: number; step: number } | null {
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
  { action: 'fill', target: { label: 'E-mail' }, text: account.email },
  { action: 'fill', target: { label: 'Password' }, text: account.password },
  { action: 'click', target: { role: 'button', name: 'Log in' }, expect: { text: 'Your name' } },
];

/** Number of steps before the first letter is sent. */
export const FIRST_LETTER = 7;

const openForm: Step = { action: 'navigate', url: '{{inputs.site}}/contact/frame' };

/** @param text the mark of the step that sends it */
const writeLetter = (text: string, send: Partial<Step>, type: Partial<Step> = {}): Step[] => [
  { action: 'fill', target: { label: 'Your name' }, text: 'Chaos' },
  { action: 'fill', target: { label: 'Message' }, text, ...type },
  { action: 'click', target: { role: 'button', name: 'Send message' }, leaves: 'letter', ...send },
];

const letter = (first: number, send: Partial<Step>, type?: Partial<Step>): Step[] => [
  openForm,
  ...writeLetter(mark(first + 3), send, type),
];

/** Writes letters, each of which must not be sent twice. */
export function letters(count: number, send: Partial<Step> = {}, more: Partial<WorkflowPlan> = {}): WorkflowPlan {
  const steps = logIn();
  for (let index = 0; index < count; index += 1) steps.push(...letter(steps.length, { idempotent: false, ...send }));
  return { name: 'letters', ...more, steps };
}

/**
 * Writes letters in the rounds of a loop over a list, and then of one that goes on until a variable says that it is enough, where each round looks at the
 * page before it writes. None must be sent twice, whichever round is taken over.
 */
export function loops(rounds: number, send: Partial<Step> = {}, more: Partial<WorkflowPlan> = {}): WorkflowPlan {
  const once = { idempotent: false, ...send };
  const begin = logIn();
  const inList = (text: string) => [openForm, ...writeLetter(text, once)];
  const looking: Step = { action: 'checkCondition', condition: { text: 'Your name' } };
  const inRepeat = (text: string) => [openForm, looking, ...writeLetter(text, once)];
  const [listed, repeated] = [inList('').length, inRepeat('').length];
  // The last step of each round sends its letter.
  const list = Array.from({ length: rounds }, (_, round) => begin.length + (round + 1) * listed - 1);
  const before = begin.length + rounds * listed - 1;
  const last = before + rounds * repeated;
  const times = (steps: readonly Step[]) => Array.from({ length: rounds }, () => steps).flat();
  return {
    name: 'loops',
    ...more,
    steps: [
      ...begin,
      { action: 'forEach', in: list, as: 'listed', steps: inList(mark('{{vars.listed}}')) },
      { action: 'set', vars: { letter: before } },
      {
        action: 'loop',
        until: `vars.letter >= ${last}`,
        steps: [
          { action: 'set', vars: { letter: `vars.letter + ${repeated}` } },
          openForm,
          looking,
          // What the page says would decide late, where a browser has no time: then the run is another.
          { action: 'group', if: `vars.letter > ${before}`, steps: writeLetter(mark('{{vars.letter}}'), once) },
        ],
      },
    ],
    walked: [...begin, ...times(inList('')), ...times(inRepeat(''))],
  };
}

/** Number of the step of `behind` that decides by itself. */
export const BEHIND_STEP = 11;

/**
 * Writes a letter, and then another one, by a click that says by itself what is to become of it when nobody knows whether it happened. Before it stands a text
 * that must not be typed twice, and whose page cannot be kept: who takes over there has two steps in doubt. No letter must be sent twice.
 */
export const behind = (onInterrupted: 'ask' | 'fail', more: Partial<WorkflowPlan> = {}): WorkflowPlan => ({
  name: 'behind',
  ...more,
  steps: [...logIn(), ...letter(4, { idempotent: false }), ...letter(8, { onInterrupted }, { idempotent: false })],
});

/** Requests that a step of `abreast` sends side by side. */
const ABREAST = 8;

/** Sends requests side by side, so that much of what it says is under way at once, and writes letters between, none of which must be sent twice. */
export function abreast(rounds: number): WorkflowPlan {
  const steps = logIn();
  for (let round = 0; round < rounds; round += 1) {
    const { url } = visit(steps.length);
    const requests = Array.from({ length: ABREAST }, (_, at) => [`request${at}`, { action: 'http', url }]);
    // Beside a page each of them says what it does, and waits for nothing.
    const page = [{ action: 'navigate', url }];
    steps.push({ action: 'parallel', branches: { page, ...Object.fromEntries(requests) }, leaves: 'visit' });
    steps.push(...letter(steps.length, { idempotent: false }));
  }
  return { name: 'abreast', steps };
}

/** Number of the step of `healing` whose button is called so no more. */
export const LOST_STEP = 7;

/** Writes a letter, whose button was a link once: it is found by its likeness. It must not be sent twice. */
export const healing = (): WorkflowPlan => ({
  name: 'healing',
  heal: 'auto',
  steps: [
    ...logIn(),
    ...letter(4, {
      target: { role: 'link', name: 'Send message' },
      idempotent: false,
      timeout: 10,
      expect: { text: 'Thank you' },
    }),
  ],
});

/** Number of the step of `remembering` that is a goal. */
export const GOAL_STEP = 1;

/** Has an agent log in, which remembers how, and then writes a letter, which must not be sent twice. */
export const remembering = (): WorkflowPlan => ({
  name: 'remembering',
  steps: [
    { action: 'navigate', url: '{{inputs.site}}/login' },
    { id: 'in', action: 'goal', goal: 'Log in as the demo user.', expect: { url: '/catalogue' } },
    ...letter(2, { idempotent: false }),
  ],
});

/** Only looks: all of it may happen again. */
export function visits(count: number, more: Partial<WorkflowPlan> = {}): WorkflowPlan {
  return { name: 'visits', ...more, steps: Array.from({ length: count }, (_, index) => visit(index)) };
}

/** Number of the step at which `waiting` waits. */
export const WAITING_STEP = 1;

/** Waits until it is cancelled. */
export const waiting = (): WorkflowPlan => ({
  name: 'waiting',
  steps: [visit(0), { action: 'waitFor', condition: { text: 'This text never comes' }, timeout: 120 }, visit(2)],
});

/** Any workflow that comes to an end by itself. */
export function anyWorkflow(random: SeededRandom): WorkflowPlan {
  const onWorkerLost = random.pick(['resume', 'resume', 'resume', 'restart'] as const);
  const chosen = onWorkerLost === 'resume' ? {} : { onWorkerLost };
  if (random.chance(0.25)) return visits(random.whole(3, 8), chosen);
  const onInterrupted = random.pick([undefined, undefined, 'verify', 'ask', 'ask', 'fail'] as const);
  const send = {
    ...(onInterrupted && { onInterrupted }),
    ...(random.chance(0.5) && { expect: { text: 'Thank you' } }),
    ...(random.chance(0.15) && { idempotent: true, onInterrupted: 'rerun' as const }),
  };
  return random.chance(0.3) ? loops(random.whole(1, 2), send, chosen) : letters(random.whole(1, 3), send, chosen);
}

/** What the API knows a workflow by. */
export const definitionOf = ({ steps, walked: _, ...plan }: WorkflowPlan): object => ({
  ...plan,
  inputs: { site: { type: 'string' } },
  steps: written(steps),
});

const written = (steps: readonly Step[]): object[] =>
  steps.map(({ leaves: _, steps: inner, ...step }) => ({ ...step, ...(inner && { steps: written(inner) }) }));
