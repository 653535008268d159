import { pageBranchesOf, type BranchStep, type Json, type ParallelStep } from '@pilothouse/contract';
import { stepShape } from '../workflow/shape.ts';
import type { TemplateScope } from '../workflow/render.ts';

/** What steps of a branch have read so far, by their id. */
export type BranchValues = Readonly<Record<string, Json>>;

/** What templates of a step of a branch see: what the run knew when the branches began, and what the branch has read since. */
export const branchScope = (scope: TemplateScope, read: BranchValues): TemplateScope => ({
  ...scope,
  steps: { ...scope.steps, ...Object.fromEntries(Object.entries(read).map(([id, value]) => [id, { value }])) },
});

/** What is known of a branch after a step that read this. */
export const branchRead = (read: BranchValues, step: BranchStep, value: Json): BranchValues =>
  step.id === undefined || stepShape(step) === null ? read : { ...read, [step.id]: value };

/** Where a step of a branch stands, for people: `3/left/2`, the second step of the branch `left` of step 3. */
export const branchPlace = (at: string, name: string, index: number): string => `${at}/${name}/${index + 1}`;

/** The step with its branches in the order of the file, each as a list: a request is a branch of one step. */
export const branchesInOrder = (step: ParallelStep): { name: string; steps: BranchStep[]; isPage: boolean }[] => {
  const pages = new Map(pageBranchesOf(step));
  return Object.entries(step.branches).map(([name, branch]) => {
    const steps = pages.get(name);
    return steps ? { name, steps, isPage: true } : { name, steps: [branch as BranchStep], isPage: false };
  });
};
