/** Sets the time limit of each test and hook of a jest worker. Tests, hooks and `jest.setTimeout` may name another one. */
export function limitTests(ms: number): void {
  Object.assign(globalThis, { [Symbol.for('TEST_TIMEOUT_SYMBOL')]: ms });
}
