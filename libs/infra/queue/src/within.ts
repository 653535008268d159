/** Waits so long at most. @throws what the work throws; Error naming `what` when it takes longer, and is not waited for any more */
export async function withTimeout<Value>(ms: number, what: string, work: Promise<Value>): Promise<Value> {
  let late: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(late);
  }
}
