import type { SeededRandom } from './seeded-random.ts';

/** Account of the demo site. */
export const account = { email: 'demo@harbour.example', password: 'harbour-demo' };

/** Policies of a non-repeatable step with an unknown result. */
type OnInterrupted = 'verify' | 'ask' | 'rerun' | 'fail';

/** A workflow as submitted. Each trace at the site names its run, attempt and step. */
export interface WorkflowPlan {
  readonly name: string;
  readonly onWorkerLost?: 'resume' | 'restart' | 'fail';
  readonly heal?: 'auto';
  readonly steps: readonly WorkflowStep[];
  /** Executed steps by number, when loops repeat some of `steps`. Undefined: they are `steps`. */
  readonly executedSteps?: readonly WorkflowStep[];
}

export interface WorkflowStep {
  readonly action: string;
  readonly idempotent?: boolean;
  readonly onInterrupted?: OnInterrupted;
  /** Body of a loop or of another container step. */
  readonly steps?: readonly WorkflowStep[];
  readonly [field: string]: unknown;
}

/** Facts of a step for the checker. */
export interface StepFacts {
  /** The site records each execution. */
  readonly trace: 'letter' | 'visit' | null;
  readonly idempotent: boolean;
  readonly onInterrupted: OnInterrupted | undefined;
}

const factsOf = ({ trace, idempotent, onInterrupted }: WorkflowStep): StepFacts => ({
  trace: trace === 'letter' || trace === 'visit' ? trace : null,
  // A step that asks or fails on an unknown result must not be repeated either.
  idempotent: idempotent !== false && onInterrupted !== 'ask' && onInterrupted !== 'fail',
  onInterrupted,
});

/** By step number. */
export const stepsOf = ({ steps, executedSteps: walked = steps }: WorkflowPlan): StepFacts[] => walked.map(factsOf);

/** Origin of a trace: the template for the workflow, and its parser. */
const originOf = (step: number | string) => `{{run.id}}/{{run.epoch}}/${step}`;
const ORIGIN_PATTERN = /([0-9a-f-]{36})\/(\d+)\/(\d+)$/;

export function parseTraceOrigin(text: string): { run: string; epoch: number; step: number } | null {
  const [, run, epoch, step] = ORIGIN_PATTERN.exec(text) ?? [];
  return run ? { run, epoch: Number(epoch), step: Number(step) } : null;
}

const visit = (step: number): WorkflowStep => ({
  action: 'navigate',
  url: `{{inputs.site}}/chaos/${originOf(step)}`,
  trace: 'visit',
});

const logIn = (): WorkflowStep[] => [
  { action: 'navigate', url: '{{inputs.site}}/login?next=/contact/frame' },
  { action: 'fill', target: { label: 'E-mail' }, text: account.email },
  { action: 'fill', target: { label: 'Password' }, text: account.password },
  { action: 'click', target: { role: 'button', name: 'Log in' }, expect: { text: 'Your name' } },
];

/** Number of steps before the first letter. */
export const FIRST_LETTER = 7;

const openForm: WorkflowStep = { action: 'navigate', url: '{{inputs.site}}/contact/frame' };

/** @param text mark of the sending step */
const writeLetter = (text: string, send: Partial<WorkflowStep>, type: Partial<WorkflowStep> = {}): WorkflowStep[] => [
  { action: 'fill', target: { label: 'Your name' }, text: 'Chaos' },
  { action: 'fill', target: { label: 'Message' }, text, ...type },
  { action: 'click', target: { role: 'button', name: 'Send message' }, trace: 'letter', ...send },
];

const letter = (first: number, send: Partial<WorkflowStep>, type?: Partial<WorkflowStep>): WorkflowStep[] => [
  openForm,
  ...writeLetter(originOf(first + 3), send, type),
];

/** Writes letters that must not be sent twice. */
export function letters(
  count: number,
  send: Partial<WorkflowStep> = {},
  fields: Partial<WorkflowPlan> = {},
): WorkflowPlan {
  const steps = logIn();
  for (let index = 0; index < count; index += 1) steps.push(...letter(steps.length, { idempotent: false, ...send }));
  return { name: 'letters', ...fields, steps };
}

/**
 * Writes letters in a loop over a list and in a loop with an exit condition, where each round observes the page first.
 * No letter may be sent twice, whichever round is recovered.
 */
export function loops(
  rounds: number,
  send: Partial<WorkflowStep> = {},
  fields: Partial<WorkflowPlan> = {},
): WorkflowPlan {
  const once = { idempotent: false, ...send };
  const loginSteps = logIn();
  const inList = (text: string) => [openForm, ...writeLetter(text, once)];
  const looking: WorkflowStep = { action: 'checkCondition', condition: { text: 'Your name' } };
  const inRepeat = (text: string) => [openForm, looking, ...writeLetter(text, once)];
  const [listed, repeated] = [inList('').length, inRepeat('').length];
  // The last step of each round sends its letter.
  const list = Array.from({ length: rounds }, (_, round) => loginSteps.length + (round + 1) * listed - 1);
  const lastLetter = loginSteps.length + rounds * listed - 1;
  const last = lastLetter + rounds * repeated;
  const times = (steps: readonly WorkflowStep[]) => Array.from({ length: rounds }, () => steps).flat();
  return {
    name: 'loops',
    ...fields,
    steps: [
      ...loginSteps,
      { action: 'forEach', in: list, as: 'listed', steps: inList(originOf('{{vars.listed}}')) },
      { action: 'set', vars: { letter: lastLetter } },
      {
        action: 'loop',
        until: `vars.letter >= ${last}`,
        steps: [
          { action: 'set', vars: { letter: `vars.letter + ${repeated}` } },
          openForm,
          looking,
          // Does not depend on the page: a browser that is slow would change the run.
          { action: 'group', if: `vars.letter > ${lastLetter}`, steps: writeLetter(originOf('{{vars.letter}}'), once) },
        ],
      },
    ],
    executedSteps: [...loginSteps, ...times(inList('')), ...times(inRepeat(''))],
  };
}

/** Number of the step in `behind` with a separate policy. */
export const BEHIND_STEP = 11;

/**
 * Writes a letter, and then another by a click with its own policy for an unknown result. Before the click, it types a
 * text that must not be repeated, on a page that cannot be saved. A recovering worker then has two steps in doubt. No
 * letter may be sent twice.
 */
export const behind = (onInterrupted: 'ask' | 'fail', fields: Partial<WorkflowPlan> = {}): WorkflowPlan => ({
  name: 'behind',
  ...fields,
  steps: [...logIn(), ...letter(4, { idempotent: false }), ...letter(8, { onInterrupted }, { idempotent: false })],
});

/** Number of parallel requests of one step of `abreast`. */
const ABREAST = 8;

/**
 * Sends parallel requests, so that many events are in flight at once. Between them it writes letters that must not be
 * sent twice.
 */
export function abreast(rounds: number): WorkflowPlan {
  const steps = logIn();
  for (let round = 0; round < rounds; round += 1) {
    const { url } = visit(steps.length);
    const requests = Array.from({ length: ABREAST }, (_, index) => [`request${index}`, { action: 'http', url }]);
    // On a page the branches run in sequence.
    const page = [{ action: 'navigate', url }];
    steps.push({ action: 'parallel', branches: { page, ...Object.fromEntries(requests) }, trace: 'visit' });
    steps.push(...letter(steps.length, { idempotent: false }));
  }
  return { name: 'abreast', steps };
}

/** Number of the step of `healing` whose button has a new name. */
export const LOST_STEP = 7;

/** Writes a letter with a button that was once a link and is found by similarity. It must not be sent twice. */
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

/** Number of the goal step of `remembering`. */
export const GOAL_STEP = 1;

/** An agent logs in and caches its actions. Then writes a letter that must not be sent twice. */
export const remembering = (): WorkflowPlan => ({
  name: 'remembering',
  steps: [
    { action: 'navigate', url: '{{inputs.site}}/login' },
    { id: 'in', action: 'goal', goal: 'Log in as the demo user.', expect: { url: '/catalogue' } },
    ...letter(2, { idempotent: false }),
  ],
});

/** Reads only: every step may be repeated. */
export function visits(count: number, fields: Partial<WorkflowPlan> = {}): WorkflowPlan {
  return { name: 'visits', ...fields, steps: Array.from({ length: count }, (_, index) => visit(index)) };
}

/** Number of the waiting step of `waiting`. */
export const WAITING_STEP = 1;

/** Waits until it is canceled. */
export const waiting = (): WorkflowPlan => ({
  name: 'waiting',
  steps: [visit(0), { action: 'waitFor', condition: { text: 'This text never comes' }, timeout: 120 }, visit(2)],
});

/** Any workflow that ends by itself. */
export function anyWorkflow(random: SeededRandom): WorkflowPlan {
  const onWorkerLost = random.pick(['resume', 'resume', 'resume', 'restart'] as const);
  const recoveryOptions = onWorkerLost === 'resume' ? {} : { onWorkerLost };
  if (random.chance(0.25)) return visits(random.integer(3, 8), recoveryOptions);
  const onInterrupted = random.pick([undefined, undefined, 'verify', 'ask', 'ask', 'fail'] as const);
  const send = {
    ...(onInterrupted && { onInterrupted }),
    ...(random.chance(0.5) && { expect: { text: 'Thank you' } }),
    ...(random.chance(0.15) && { idempotent: true, onInterrupted: 'rerun' as const }),
  };
  return random.chance(0.3)
    ? loops(random.integer(1, 2), send, recoveryOptions)
    : letters(random.integer(1, 3), send, recoveryOptions);
}

/** Definition of a plan for the API. */
export const definitionOf = ({ steps, executedSteps: _, ...plan }: WorkflowPlan): object => ({
  ...plan,
  inputs: { site: { type: 'string' } },
  steps: definitionSteps(steps),
});

const definitionSteps = (steps: readonly WorkflowStep[]): object[] =>
  steps.map(({ trace: _, steps: inner, ...step }) => ({ ...step, ...(inner && { steps: definitionSteps(inner) }) }));
