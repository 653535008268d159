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

/** Codes of PostgreSQL and Prisma that say: others were in the way of a statement or a transaction, or its time was over. */
const BUSY = new Set(['40001', '40P01', '55P03', '57014', 'P2028', 'P2034']);

/** How deep causes are looked into. */
const DEPTH = 5;

/** Whether a statement failed because PostgreSQL is away: the same may be tried again. */
export const isDatabaseAway = (thrown: unknown): boolean =>
  isOrHas(thrown, (error) => hasCode(error, AWAY) || saysAway(error));

/** Whether a statement failed because of what others did at the time, or took too long: the same may succeed a little later. */
export const isDatabaseBusy = (thrown: unknown): boolean => isOrHas(thrown, (error) => hasCode(error, BUSY));

/** Whether what was thrown, or what it was thrown for, is such an error. */
function isOrHas(thrown: unknown, isSuch: (error: object) => boolean, depth = DEPTH): boolean {
  if (typeof thrown !== 'object' || thrown === null || depth === 0) return false;
  if (isSuch(thrown)) return true;
  const { cause, meta } = thrown as Record<string, unknown>;
  // Prisma keeps what the driver said in `meta`.
  const driver = typeof meta === 'object' && meta !== null && 'driverAdapterError' in meta && meta.driverAdapterError;
  return isOrHas(cause, isSuch, depth - 1) || isOrHas(driver, isSuch, depth - 1);
}

function hasCode(error: object, codes: ReadonlySet<string>): boolean {
  const { code, originalCode } = error as Record<string, unknown>;
  return [code, originalCode].some((known) => typeof known === 'string' && codes.has(known));
}

/** `pg` gives these no code. */
const saysAway = (error: object): boolean =>
  'message' in error &&
  typeof error.message === 'string' &&
  /^(Connection terminated|Client .* is not queryable$|timeout exceeded when trying to connect|Query read timeout)/.test(
    error.message,
  );
