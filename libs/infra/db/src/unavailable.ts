/** Codes of node, PostgreSQL and Prisma that say: the server is away, or has no place for us now. */
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'EPIPE',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '08006',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
]);

/** Whether a statement failed because PostgreSQL is away: the same may be tried again. */
export function isDatabaseAway(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'string' && AWAY.has(code)) return true;
    // `pg` gives these no code.
    if (/^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message)) return true;
  }
  return false;
}
