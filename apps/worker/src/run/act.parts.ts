import { toPilothouseError, type Answer, type Assignment, type Question } from '@pilothouse/contract';
import { stepTitle, type Surface } from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import { InputFiles } from '../files/input-files.ts';
import type { ActParts } from './act.ts';
import { takeBranches, type BranchParts } from './branches.ts';
import { agentParts, branchAgentParts } from './goal/goal.parts.ts';
import { reachGoal } from './goal/goal.ts';
import { healParts, mayHeal } from './heal/heal.parts.ts';
import { settledBy } from './heal/heal.person.ts';
import { heal } from './heal/heal.ts';
import type { Limits } from './limits.ts';
import { mayCatch } from './caught.ts';
import type { AtWork } from './notes.ts';
import type { Stops } from './stops.ts';
import type { RunParts, RunTools } from './tools.ts';
import { orAbort } from './waits.ts';
import type { Wheel } from './wheel.ts';

/** What actions of an attempt are made of. */
export interface OfAttempt {
  readonly assignment: Assignment;
  readonly link: AttemptLink;
  readonly parts: RunParts;
  readonly tools: RunTools;
  readonly stops: Stops;
  readonly limits: Limits;
  readonly wheel: Wheel;
  /** The step at work. */
  atWork(): AtWork | undefined;
  ask(question: Question): Promise<Answer>;
}

/** Whoever took the wheel has the surface until they give it back: the step at work only waits. */
async function giveWay(leftMs: number, { tools: { reporter }, stops, wheel, atWork, ask }: OfAttempt): Promise<void> {
  const work = atWork();
  if (!work) return;
  const { place } = work;
  const facts = { step: place.number };
  const left = `${Math.ceil(leftMs / 1000)} s`;
  const title = `Step ${place.at} “${stepTitle(work.step)}”`;
  for (let question = wheel.wanted(place); question; question = wheel.wanted(place)) {
    reporter.add('log', `${title} stops waiting: ${question.reason}. ${left} of it are left`, { facts });
    await ask(question);
  }
  reporter.add('log', `${title} waits on, for ${left}`, { facts });
  await orAbort(reporter.flush(), stops.halt);
}

/** What an attempt gives to its actions on a surface. @param folder of the attempt */
export function actParts(surface: Surface, folder: string, attempt: OfAttempt): ActParts {
  const { assignment, link, tools, stops, limits, wheel, atWork, ask } = attempt;
  const { clock, base, random, authorities } = attempt.parts;
  const files = new InputFiles({ link, clock, folder, base, random, signal: stops.halt });
  return {
    run: assignment.run,
    surface,
    lease: link.lease,
    halt: stops.halt,
    mayAct: () => limits.mayAct(),
    clock,
    log: tools.log,
    reveal: (text, origin) => tools.secrets.reveal(text, origin),
    file: (upload) => files.path(upload),
    fileFacts: (upload) => files.facts(upload),
    proxy: () => tools.egress.proxy(),
    authorities,
    userAgent: tools.userAgent(),
    profiles: tools.profiles,
    patience: { taken: (stop) => wheel.taken(stop), giveWay: (leftMs) => giveWay(leftMs, attempt) },
    branches: (step, act) => {
      const work = atWork();
      if (!work) throw new Error('Branches are those of a step');
      const { course, reporter, recorder, politeness, egress, safePoints } = tools;
      const explained = (error: unknown) => egress.explained(error);
      const begin = () => limits.another();
      const goal: BranchParts['goal'] = (goalStep, own, where) =>
        reachGoal(goalStep, branchAgentParts(work, own, where, { assignment, link, tools, wheel, ask }));
      return takeBranches(step, {
        ...{ place: work.place, around: course.state, act, reporter, recorder, politeness, safePoints },
        ...{ begin, explained, mayCatch, goal },
      });
    },
    goal: (step, act) => {
      const work = atWork();
      if (!work) throw new Error('An agent works for a step');
      return reachGoal(step, agentParts(work, act, { assignment, link, tools, wheel, ask }));
    },
    settled: (act) => {
      const work = atWork();
      return work ? settledBy(assignment.answer, work, act) : null;
    },
    heal: (step, failed, act) => {
      const work = atWork();
      if (!work || !mayHeal(step, failed, assignment.definition, work.place, tools.course)) throw failed;
      return heal(step, toPilothouseError(failed), healParts(work.place, act, { assignment, link, tools, ask }));
    },
  };
}
