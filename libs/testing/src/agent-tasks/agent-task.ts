import type { ModelCall } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { call, type ScriptedPolicy, type ParsedPrompt } from './parsed-prompt.ts';
import type { SeededRandom } from './task-random.ts';

/** Action of a policy on one element: its line in the list, the action, and further arguments. */
export type TaskStage = readonly [line: RegExp, action: string, more?: Readonly<Record<string, Json>>];

/** A task as generated from one seed. */
export interface GeneratedTask {
  /** The goal as text. */
  readonly goal: string;
  /** HTML of the page. */
  readonly body: string;
  /** Steps of a policy that knows the names of controls, and the page only through its element list. */
  readonly stages: readonly TaskStage[];
  /** Text on the page when the goal is reached. */
  readonly successText: string;
  /** Answer to the goal, of a task that changes nothing on the page. */
  readonly answer?: string;
  /** Replaces `stages`; created for each run. */
  readonly policy?: () => ScriptedPolicy;
}

/** A small task with one kind of widget. */
export interface TaskKind {
  readonly name: string;
  /** Variations of a page or user: order, wording, values. */
  generate(random: SeededRandom): GeneratedTask;
}

/** Text of the page after an event. */
export const lastEvent = (text: string) => `Last event: ${text}`;

const quoted = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Matches the line of an element by its role and the beginning of its name. */
export const elementLinePattern = (role: string, name: string) => new RegExp(`^\\[\\d+\\] ${role} "${quoted(name)}`);

export const doneCall = (indicator: string, parameters: Readonly<Record<string, Json>> = {}): ModelCall[] => [
  call('done', { title_or_url: 'Task', indicators: [indicator], ...parameters }),
];

/** Scrolls down: elements outside the viewport are not listed. */
export const scrollCall = () => [call('scroll', { down: 300 })];

/** Executes the stages in order, scrolls to elements outside the viewport, and then reports completion. */
export function stagedPolicy(stages: readonly TaskStage[], indicator: string): ScriptedPolicy {
  let stageIndex = 0;
  return (prompt: ParsedPrompt) => {
    const stage = stages[stageIndex];
    if (!stage) return doneCall(indicator);
    const [linePattern, action, parameters = {}] = stage;
    const element = prompt.maybe(linePattern);
    if (element === undefined) return scrollCall();
    stageIndex += 1;
    return [call(action, { element, ...parameters })];
  };
}

/** Policy that replaces a model for this task. */
export const policyOf = ({ policy, stages, successText: said }: GeneratedTask): ScriptedPolicy =>
  policy?.() ?? stagedPolicy(stages, lastEvent(said));
