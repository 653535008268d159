/**
 * Names for calls, where a provider wants the result of a call to name it. Ours are in order: the n-th result answers the n-th call that
 * has none yet.
 */
export function callIds(): { called(): string; answered(): string } {
  let calls = 0;
  let answers = 0;
  return { called: () => `call_${++calls}`, answered: () => `call_${++answers}` };
}
