import type { Json, ModelCall } from '@pilothouse/contract';
import { call, type ScriptedPolicy, type ParsedPrompt } from './parsed-prompt.ts';
import type { SeededRandom } from './task-random.ts';

/** What a policy does about one element: its line in the list, an action, and what the action takes besides. */
export type TaskStage = readonly [line: RegExp, action: string, more?: Readonly<Record<string, Json>>];

/** A task as one seed draws it. */
export interface GeneratedTask {
  /** What is to be reached, in words. */
  readonly goal: string;
  /** Of the page. */
  readonly body: string;
  /** The way to it, for a policy that knows what things are called and nothing of the page but its list. */
  readonly stages: readonly TaskStage[];
  /** What the page says once it is reached. */
  readonly said: string;
  /** Goes another way than `stages`; made anew for each run. */
  readonly policy?: () => ScriptedPolicy;
}

/** A small task with one kind of widget. */
export interface TaskKind {
  readonly name: string;
  /** What a page or a user may vary: order, wording, which value. */
  draw(dice: SeededRandom): GeneratedTask;
}

/** What the page says happened. */
export const lastEvent = (said: string) => `Last event: ${said}`;

const quoted = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The line of an element by its role and how its name begins. */
export const elementLinePattern = (role: string, name: string) => new RegExp(`^\\[\\d+\\] ${role} "${quoted(name)}`);

export const doneCall = (said: string, more: Readonly<Record<string, Json>> = {}): ModelCall[] => [
  call('done', { title_or_url: 'Task', indicators: [said], ...more }),
];

/** Looks further down: what is not in view is not listed. */
export const scrollCall = () => [call('scroll', { down: 300 })];

/** Does the stages one by one, scrolling to what is not in view; then says that it is done. */
export function stagedPolicy(stages: readonly TaskStage[], said: string): ScriptedPolicy {
  let at = 0;
  return (prompt: ParsedPrompt) => {
    const stage = stages[at];
    if (!stage) return doneCall(said);
    const [fits, action, more = {}] = stage;
    const element = prompt.maybe(fits);
    if (element === undefined) return scrollCall();
    at += 1;
    return [call(action, { element, ...more })];
  };
}

/** What a policy does that stands in for a model on this task. */
export const policyOf = ({ policy, stages, said }: GeneratedTask): ScriptedPolicy =>
  policy?.() ?? stagedPolicy(stages, lastEvent(said));
