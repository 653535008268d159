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

/** How deep causes are looked into. */
const DEPTH = 5;

/** Whether a statement failed because PostgreSQL is away: the same may be tried again. */
export function isDatabaseAway(thrown: unknown, depth = DEPTH): boolean {
  if (typeof thrown !== 'object' || thrown === null || depth === 0) return false;
  const { code, message, cause, originalCode, meta } = thrown as Record<string, unknown>;
  if ([code, originalCode].some((known) => typeof known === 'string' && AWAY.has(known))) return true;
  // `pg` gives these no code.
  if (
    typeof message === 'string' &&
    /^(Connection terminated|Client .* is not queryable$|timeout exceeded when trying to connect|Query read timeout)/.test(
      message,
    )
  ) {
    return true;
  }
  // Prisma keeps what the driver said in `meta`.
  const driver = typeof meta === 'object' && meta !== null && 'driverAdapterError' in meta && meta.driverAdapterError;
  return isDatabaseAway(cause, depth - 1) || isDatabaseAway(driver, depth - 1);
}
